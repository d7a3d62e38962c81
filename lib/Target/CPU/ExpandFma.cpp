//===- ExpandFma.cpp - Fused products on processors without them --------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// A call of fmaf for each element would be the slowest thing in a kernel; in f64 the product of two f32 is exact.

#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUEXPANDFMA
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

namespace {

/// math.fma of f32  ==>  truncf(extf(a) * extf(b) + extf(c))
struct FmaThroughF64 : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    Location loc = op.getLoc();
    Type wide = rewriter.getF64Type();
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      wide = vector.clone(wide);
    auto widen = [&](Value value) -> Value { return arith::ExtFOp::create(rewriter, loc, wide, value); };
    Value product = arith::MulFOp::create(rewriter, loc, widen(op.getA()), widen(op.getB()));
    Value sum = arith::AddFOp::create(rewriter, loc, product, widen(op.getC()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), sum);
    return success();
  }
};

struct ExpandFma : nag::impl::NagCpuExpandFmaBase<ExpandFma> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FmaThroughF64>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
