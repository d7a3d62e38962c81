//===- RowToCPU.cpp - Row programs as parallel loops of vector code -----------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "nag/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

namespace nag {
#define GEN_PASS_DEF_ROWTOCPU
#include "nag/Conversion/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag::row;

namespace {

struct RowToCPU : nag::impl::RowToCPUBase<RowToCPU> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (!kernel.isBufferized()) {
        kernel.emitOpError("works on tensors still: run one-shot-bufferize before row-to-cpu");
        return signalPassFailure();
      }
      OpBuilder builder(kernel);
      emitKernelForCPU(kernel, builder);
      kernel.erase();
    }
  }
};

} // namespace
