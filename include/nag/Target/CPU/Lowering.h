//===- Lowering.h - From loops and vectors to the LLVM dialect ----------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// The pipeline that takes func/scf/memref/vector/math code to the LLVM dialect for one processor.

#ifndef NAG_TARGET_CPU_LOWERING_H
#define NAG_TARGET_CPU_LOWERING_H

#include "nag/Target/CPU/Options.h"

#include "mlir/Support/LLVM.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace nag {

/// Appends the passes from scf/vector/memref to the LLVM dialect. An unknown processor is an error of the first pass.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm, const CpuOptions &options);

/// Runs that pipeline. Afterwards the module holds nothing but the LLVM and OpenMP dialects, only entries are visible
/// from outside, and data layout and target triple are set.
mlir::LogicalResult lowerToLLVMDialect(mlir::ModuleOp module, const CpuOptions &options);

} // namespace nag

#endif // NAG_TARGET_CPU_LOWERING_H
