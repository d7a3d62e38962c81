//===- ExpandDot.cpp - Dot products of bf16 on processors without them --------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// The instruction is two fused products in a fixed order, so that any processor can give its bits.

#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUEXPANDDOT
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

namespace {

/// x86vector.avx512.dot  ==>  fma(a_2i, b_2i, fma(a_2i+1, b_2i+1, src_i))
struct DotAsFma : OpRewritePattern<x86vector::DotBF16Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(x86vector::DotBF16Op op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = op.getSrc().getType(), pairs = type.clone(rewriter.getI32Type());
    auto constant = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(pairs, value));
    };
    // A bf16 is the upper half of an f32; the first of a pair is the lower half of 32 bits.
    Value half = constant(16), upper = constant(static_cast<int32_t>(0xffff0000));
    auto widen = [&](Value vector) -> std::pair<Value, Value> {
      Value bits = vector::BitCastOp::create(rewriter, loc, pairs, vector);
      Value even = arith::ShLIOp::create(rewriter, loc, bits, half);
      Value odd = arith::AndIOp::create(rewriter, loc, bits, upper);
      return {arith::BitcastOp::create(rewriter, loc, type, even), arith::BitcastOp::create(rewriter, loc, type, odd)};
    };
    auto [evenA, oddA] = widen(op.getA());
    auto [evenB, oddB] = widen(op.getB());
    Value sum = math::FmaOp::create(rewriter, loc, oddA, oddB, op.getSrc());
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, evenA, evenB, sum);
    return success();
  }
};

struct ExpandDot : nag::impl::NagCpuExpandDotBase<ExpandDot> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DotAsFma>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
