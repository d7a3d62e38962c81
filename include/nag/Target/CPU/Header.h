//===- Header.h - The C header of a module's entries --------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Writes the C header through which a program calls the entries of a compiled module.

#ifndef NAG_TARGET_CPU_HEADER_H
#define NAG_TARGET_CPU_HEADER_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nag {

struct HeaderOptions {
  /// The include guard is made of this name, usually that of the library.
  std::string name = "kernels";
  /// Define the descriptors in the header itself; otherwise it includes nag/Runtime/Abi.h.
  bool selfContained = true;
};

/// C99 and C++ header of the entries of `module`, which is still on func.func with memref arguments.
mlir::FailureOr<std::string> emitHeader(mlir::ModuleOp module, const HeaderOptions &options);

} // namespace nag

#endif // NAG_TARGET_CPU_HEADER_H
