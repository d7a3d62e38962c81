//===- Loops.cpp - One level of threads, no copies, no stack in loops ---------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Prepares loops for threads: serial inner loops, copies written out, stack buffers out of loops.

#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUCOPYTOLOOPS
#define GEN_PASS_DEF_NAGCPUPARALLEL
#define GEN_PASS_DEF_NAGCPUHOISTALLOCAS
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

namespace {

/// memref.copy %a, %b  ==>  scf.for i { scf.for j { %b[i, j] = %a[i, j] } }
struct CopyToLoops : nag::impl::NagCpuCopyToLoopsBase<CopyToLoops> {
  using NagCpuCopyToLoopsBase::NagCpuCopyToLoopsBase;
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp op) { copies.push_back(op); });
    for (memref::CopyOp op : copies) {
      if (!isa<MemRefType>(op.getSource().getType()) || !isa<MemRefType>(op.getTarget().getType())) {
        op.emitOpError("cannot be compiled for the CPU: expected ranked memrefs");
        return signalPassFailure();
      }
      IRRewriter rewriter(op);
      Location loc = op.getLoc();
      Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
      Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
      int64_t rank = cast<MemRefType>(op.getSource().getType()).getRank();
      SmallVector<Value> lower(rank, zero), step(rank, one), upper;
      for (int64_t dim = 0; dim < rank; ++dim)
        upper.push_back(memref::DimOp::create(rewriter, loc, op.getSource(), dim));
      scf::buildLoopNest(rewriter, loc, lower, upper, step, [&](OpBuilder &builder, Location loc, ValueRange indices) {
        Value element = memref::LoadOp::create(builder, loc, op.getSource(), indices);
        memref::StoreOp::create(builder, loc, element, op.getTarget(), indices);
      });
      rewriter.eraseOp(op);
    }
  }
};

struct Parallel : nag::impl::NagCpuParallelBase<Parallel> {
  using NagCpuParallelBase::NagCpuParallelBase;
  void runOnOperation() override {
    SmallVector<scf::ParallelOp> serial;
    // Post-order: an inner loop is rewritten before the one around it.
    getOperation().walk([&](scf::ParallelOp op) {
      if (!openmp || op->getParentOfType<scf::ParallelOp>())
        serial.push_back(op);
    });
    for (scf::ParallelOp op : serial) {
      IRRewriter rewriter(op);
      if (failed(scf::parallelForToNestedFors(rewriter, op))) {
        op.emitOpError("cannot be made serial: a parallel loop with results is not supported here");
        return signalPassFailure();
      }
    }
  }
};

struct HoistAllocas : nag::impl::NagCpuHoistAllocasBase<HoistAllocas> {
  using NagCpuHoistAllocasBase::NagCpuHoistAllocasBase;
  void runOnOperation() override {
    getOperation().walk([&](memref::AllocaOp op) {
      if (!op.getDynamicSizes().empty() || !op.getSymbolOperands().empty())
        return;
      // A thread's buffer must not be shared with the other threads, so it stays within the parallel region.
      Block *entry = &getOperation().getBody().front();
      if (auto parallel = op->getParentOfType<omp::ParallelOp>())
        entry = &parallel.getRegion().front();
      if (op->getBlock() != entry)
        op->moveBefore(entry, entry->begin());
    });
  }
};

} // namespace
