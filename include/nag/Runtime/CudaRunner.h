//===- CudaRunner.h - Entries on a GPU, with tensors in host memory -------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Copies tensors to a device, calls a compiled entry on them, and copies the results back: what tools need.

#ifndef NAG_RUNTIME_CUDARUNNER_H
#define NAG_RUNTIME_CUDARUNNER_H

#include "nag/Runtime/CudaDriver.h"
#include "nag/Support/HostTensor.h"

#include <functional>

namespace nag {

/// The packed forms (Abi.h) of an entry and of the functions beside it.
struct PackedEntry {
  int32_t (*entry)(void *const *args) = nullptr;
  int64_t (*workspaceSize)(void *const *args) = nullptr;
  int32_t (*prepare)(void *const *args) = nullptr;
  int32_t (*release)(void *const *args) = nullptr;

  /// Looks up NAME, NAME_workspace_size, NAME_prepare and NAME_release. An error names what is missing.
  static llvm::Expected<PackedEntry> find(llvm::StringRef name, std::function<void *(llvm::StringRef)> lookup);
};

/// A stream on one device, and the memory of the last run.
class CudaRunner {
public:
  /// Loads the driver. Where there is none, or no such device, the error says so.
  static llvm::Expected<std::unique_ptr<CudaRunner>> create(int device = 0);
  ~CudaRunner();

  /// The device's chip as the compiler names it: "sm_90".
  const std::string &getChip() const { return chip; }

  /// Copies the inputs to the device, in the layout that they have, loads the kernels, calls the entry, waits, and
  /// copies the outputs back. Returns the entry's status where the entry refused its arguments. What the driver
  /// reports, and memory around an output or the workspace that was overwritten, is an error.
  llvm::Expected<int32_t> run(const PackedEntry &entry, llvm::MutableArrayRef<HostTensor> inputs,
                              llvm::MutableArrayRef<HostTensor> outputs);

  /// Calls the entry `repetitions` times more on what lies on the device since the last run that succeeded; the seconds
  /// that one call took there.
  llvm::Expected<double> time(const PackedEntry &entry, int repetitions);

private:
  /// Device memory around what a tensor spans, with guard bytes at either end.
  struct Buffer {
    CUdeviceptr allocation = 0;
    int64_t bytes = 0;
    CUdeviceptr data() const;
  };

  explicit CudaRunner(const CudaDriver &driver) : driver(driver) {}
  llvm::Error check(CUresult result, const char *what);
  llvm::Expected<Buffer> allocate(int64_t bytes);
  llvm::Error upload(HostTensor &tensor);
  llvm::Error checkGuards(const Buffer &buffer, const std::string &what);
  llvm::Error call(const PackedEntry &entry, int32_t &status);
  void freeBuffers();

  const CudaDriver &driver;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::string chip;
  std::vector<Buffer> buffers;
  std::vector<std::vector<int64_t>> descriptors;
};

} // namespace nag

#endif // NAG_RUNTIME_CUDARUNNER_H
