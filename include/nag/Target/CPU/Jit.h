//===- Jit.h - Entries that run in this process -------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Compiles a module for the machine we run on and keeps its entries callable.

#ifndef NAG_TARGET_CPU_JIT_H
#define NAG_TARGET_CPU_JIT_H

#include "nag/Target/CPU/Options.h"

#include "mlir/Support/LLVM.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nag {

class CpuKernels {
public:
  ~CpuKernels();

  /// Compiles `module`, which comes from lowerToLLVMDialect with the same options. The OpenMP runtime is loaded only if
  /// the code asks for it; the number of threads is then OMP_NUM_THREADS.
  static mlir::FailureOr<std::unique_ptr<CpuKernels>> create(mlir::ModuleOp module, const CpuOptions &options);

  /// Address of an entry, or of its packed form NAME_packed; null if there is none of that name. Valid as long as this
  /// object lives.
  void *lookup(mlir::StringRef name);

private:
  explicit CpuKernels(std::unique_ptr<llvm::orc::LLJIT> jit);
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace nag

#endif // NAG_TARGET_CPU_JIT_H
