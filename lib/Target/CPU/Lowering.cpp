//===- Lowering.cpp - From loops and vectors to the LLVM dialect --------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Assembles the pipeline to the LLVM dialect.

#include "nag/Target/CPU/Lowering.h"

#include "nag/Target/CPU/Machine.h"
#include "nag/Target/CPU/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void nag::buildLowerToLLVMPipeline(OpPassManager &pm, const CpuOptions &options) {
  NagCpuCheckInputOptions check;
  check.cpu = options.cpu;
  check.features = options.features;
  pm.addPass(createNagCpuCheckInput(check));

  // Loops. Canonicalisation between the steps is not decoration: OpenMP regions must be free of memref.alloca_scope
  // before scf.for becomes branches, and it is canonicalisation that dissolves them.
  pm.addNestedPass<func::FuncOp>(createNagCpuCopyToLoops());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  NagCpuParallelOptions parallel;
  parallel.openmp = options.openmp;
  pm.addNestedPass<func::FuncOp>(createNagCpuParallel(parallel));
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  pm.addPass(createConvertVectorToSCFPass());
  if (options.openmp)
    pm.addPass(createConvertSCFToOpenMPPass());
  pm.addNestedPass<func::FuncOp>(createNagCpuHoistAllocas());
  pm.addNestedPass<func::FuncOp>(createNagCpuFenceStreams());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSCFToControlFlowPass());

  // Numbers: arithmetic on 16-bit types in f32, libm, and conversions the processor lacks.
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"f16", "bf16"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  pm.addPass(createNagCpuMathToLibm());
  NagCpuExpandHalfOptions expand;
  if (llvm::Expected<CpuMachine> machine = CpuMachine::resolve(options)) {
    if (!machine->hasBF16Dot())
      pm.addPass(createNagCpuExpandDot());
    if (!machine->hasFma())
      pm.addPass(createNagCpuExpandFma());
    expand.f16 = !machine->convertsF16();
    expand.bf16 = !machine->convertsBF16();
  } else {
    llvm::consumeError(machine.takeError()); // the first pass reports it
  }
  pm.addPass(createNagCpuExpandHalf(expand));

  // Down to the LLVM dialect.
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  ConvertVectorToLLVMPassOptions vector;
  // A mask's bound may come from 64-bit sizes; 32-bit lane numbers would wrap.
  vector.force32BitVectorIndices = false;
  vector.x86Vector = true;
  pm.addPass(createConvertVectorToLLVMPass(vector));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  if (options.openmp)
    pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createNagCpuHalfAsInteger());
  pm.addPass(createNagCpuExportEntries());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

LogicalResult nag::lowerToLLVMDialect(ModuleOp module, const CpuOptions &options) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  buildLowerToLLVMPipeline(pm, options);
  return pm.run(module);
}
