//===- FenceStreams.cpp - Stores past the caches are seen by whoever waits for them -------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Non-temporal stores keep no order with those that say that a thread, or the entry, is done.

#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUFENCESTREAMS
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

static void fenceBefore(Operation *op) {
  OpBuilder b(op);
  if (!isa_and_nonnull<LLVM::FenceOp>(op->getPrevNode()))
    LLVM::FenceOp::create(b, op->getLoc(), LLVM::AtomicOrdering::seq_cst);
}

namespace {

struct FenceStreams : nag::impl::NagCpuFenceStreamsBase<FenceStreams> {
  void runOnOperation() override {
    bool isSerial = false;
    llvm::SmallSetVector<omp::ParallelOp, 4> regions;
    getOperation().walk([&](vector::StoreOp store) {
      if (!store.getNontemporal())
        return;
      if (auto parallel = store->getParentOfType<omp::ParallelOp>())
        regions.insert(parallel);
      else
        isSerial = true;
    });
    for (omp::ParallelOp parallel : regions) {
      // Threads wait for each other at the end of the region, after their fences: not at the end of the loop as well.
      for (Block &block : parallel.getRegion())
        fenceBefore(block.getTerminator());
      parallel.walk([](omp::WsloopOp loop) { loop.setNowait(true); });
    }
    if (isSerial)
      getOperation().walk([](func::ReturnOp op) { fenceBefore(op); });
  }
};

} // namespace
