//===- EntryCall.h - Calls a compiled entry by its packed form ------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The caller's side of the calling convention of compiled entries: descriptors, the workspace, and what a status means.

#ifndef NAG_LIB_EXECUTION_ENTRYCALL_H
#define NAG_LIB_EXECUTION_ENTRYCALL_H

#include "nag/Support/HostTensor.h"
#include "nag/Target/CPU/Jit.h"

#include <functional>

namespace nag {

/// Packed forms of an entry and of its workspace size, with a workspace that is kept from call to call.
class EntryCall {
public:
  /// Looks the functions up; an error names what is missing.
  llvm::Error find(llvm::StringRef name, CpuKernels &kernels);

  /// Told where the workspace is, before the entry is called.
  std::function<void(void *base, uint64_t bytes)> onWorkspace;

  /// Calls the entry; a status other than 0 becomes an error that names the argument.
  llvm::Error run(llvm::MutableArrayRef<HostTensor> inputs, llvm::MutableArrayRef<HostTensor> outputs, void *stream);

private:
  int32_t (*entry)(void *const *) = nullptr;
  int64_t (*workspaceSize)(void *const *) = nullptr;
  HostTensor workspace;
};

/// "argument 1, dimension 0: ...", for a status of a function with `inputs` inputs and `outputs` results.
std::string describeStatus(int32_t status, size_t inputs, size_t outputs);

} // namespace nag

#endif // NAG_LIB_EXECUTION_ENTRYCALL_H
