//===- Lowering.h - From gpu kernels to the NVVM dialect ----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// The passes that bring a gpu.module down to the LLVM and NVVM dialects.
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_TARGET_CUDA_LOWERING_H
#define NAG_TARGET_CUDA_LOWERING_H

#include <memory>

namespace mlir {
class OpPassManager;
class Pass;
class RewritePatternSet;
} // namespace mlir

namespace nag {

/// Patterns that take `math` operations which hardware or LLVM rounds correctly to LLVM's intrinsics, before MLIR
/// makes libdevice calls of them.
void populateExactMathPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites, on a gpu.module, what MLIR's conversion to NVVM would make approximate or cannot take. Exact.
std::unique_ptr<mlir::Pass> createPrepareForNVVMPass();

/// The way from gpu, vector, scf, memref, math, arith to LLVM and NVVM. `pm` runs on gpu.module.
void buildGpuToNVVMPipeline(mlir::OpPassManager &pm);

/// Makes the pass and the pipeline `nag-gpu-to-nvvm` known to tools by their names.
void registerCudaPasses();

} // namespace nag

#endif // NAG_TARGET_CUDA_LOWERING_H
