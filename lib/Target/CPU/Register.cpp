//===- Register.cpp - What the CPU target needs registered --------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Registers dialects, translations, passes and the pipeline of the CPU target.

#include "nag/Target/CPU/Register.h"

#include "nag/Target/CPU/Lowering.h"
#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"

using namespace mlir;

namespace {

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> cpu{*this, "cpu", llvm::cl::desc("Processor: native, or a name that LLVM knows"),
                          llvm::cl::init("native")};
  Option<std::string> features{*this, "features", llvm::cl::desc("Features on top of it, as in +f16c,-avx512bf16")};
  Option<bool> openmp{*this, "openmp", llvm::cl::desc("Spread tokens over OpenMP threads"), llvm::cl::init(true)};
};

} // namespace

void nag::registerCpuTarget(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                  index::IndexDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, omp::OpenMPDialect,
                  scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
}

void nag::registerCpuPasses() {
  registerNagCpuPasses();
  PassPipelineRegistration<PipelineOptions>("nag-cpu-to-llvm",
                                            "From scf, vector and memref to the LLVM dialect for one processor",
                                            [](OpPassManager &pm, const PipelineOptions &given) {
                                              CpuOptions options;
                                              options.cpu = given.cpu;
                                              options.features = given.features;
                                              options.openmp = given.openmp;
                                              buildLowerToLLVMPipeline(pm, options);
                                            });
}
