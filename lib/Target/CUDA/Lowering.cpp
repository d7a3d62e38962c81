//===- Lowering.cpp - From gpu kernels to the NVVM dialect --------------------------------*- C++ -*-===//
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

#include "nag/Target/CUDA/Lowering.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {

struct PrepareForNVVM : PassWrapper<PrepareForNVVM, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrepareForNVVM)

  StringRef getArgument() const final { return "nag-prepare-for-nvvm"; }
  StringRef getDescription() const final {
    return "Rewrite what the conversion to NVVM would make approximate or cannot take (exact)";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect, vector::VectorDialect>();
  }

  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    nag::populateExactMathPatterns(patterns);
    // Transfers and masks down to loads and stores.
    vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/false);
    vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
    // Vectors of several dimensions down to one.
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorMultiReductionLoweringPatterns(patterns, vector::VectorMultiReductionLowering::InnerParallel);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransposeLowering::EltWise);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation().emitError("preparing for the conversion to NVVM did not come to an end");
      signalPassFailure();
    }
  }
};

/// MLIR defines an empty array for dynamic shared memory, to which ptxas gives a byte. It is somebody else's: a
/// declaration.
struct DeclareDynamicShared : PassWrapper<DeclareDynamicShared, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeclareDynamicShared)

  StringRef getArgument() const final { return "nag-declare-dynamic-shared"; }
  StringRef getDescription() const final { return "Make dynamic shared memory a declaration (exact)"; }

  void runOnOperation() final {
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
      if (type && type.getNumElements() == 0 &&
          global.getAddrSpace() == static_cast<uint32_t>(NVVM::NVVMMemorySpace::Shared))
        global.setLinkage(LLVM::Linkage::External);
    }
  }
};

} // namespace

std::unique_ptr<Pass> nag::createPrepareForNVVMPass() { return std::make_unique<PrepareForNVVM>(); }

void nag::buildGpuToNVVMPipeline(OpPassManager &pm) {
  pm.addPass(createPrepareForNVVMPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertNVGPUToNVVMPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 64;
  pm.addPass(createConvertGpuOpsToNVVMOps(options));
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(std::make_unique<DeclareDynamicShared>());
}

void nag::registerCudaPasses() {
  registerPass(createPrepareForNVVMPass);
  registerPass([]() -> std::unique_ptr<Pass> { return std::make_unique<DeclareDynamicShared>(); });
  PassPipelineRegistration<>("nag-gpu-to-nvvm", "Lower the kernels of each gpu.module to the NVVM dialect",
                             [](OpPassManager &pm) { buildGpuToNVVMPipeline(pm.nest<gpu::GPUModuleOp>()); });
}
