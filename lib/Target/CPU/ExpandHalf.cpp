//===- ExpandHalf.cpp - 16-bit floats by integer arithmetic -------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Expands conversions to and from f16 and bf16 into integer arithmetic with the bits of the hardware instructions.

#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUEXPANDHALF
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

namespace {

/// Writes arithmetic on values of one shape, scalar or vector, in few words.
class Bits {
public:
  Bits(OpBuilder &builder, Location loc, Type like) : builder(builder), loc(loc), like(like) {}

  Type type(Type element) const {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Type i(unsigned width) const { return type(builder.getIntegerType(width)); }
  Type f32() const { return type(builder.getF32Type()); }

  Value constant(unsigned width, uint64_t value) {
    return splat(i(width), builder.getIntegerAttr(builder.getIntegerType(width), APInt(width, value)));
  }
  Value constantF32(float value) { return splat(f32(), builder.getF32FloatAttr(value)); }

  Value cast(Type to, Value v) { return arith::BitcastOp::create(builder, loc, to, v); }
  Value extend(Type to, Value v) { return arith::ExtUIOp::create(builder, loc, to, v); }
  Value truncate(Type to, Value v) { return arith::TruncIOp::create(builder, loc, to, v); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
  Value bitAnd(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
  Value bitOr(Value a, Value b) { return arith::OrIOp::create(builder, loc, a, b); }
  Value shr(Value a, Value b) { return arith::ShRUIOp::create(builder, loc, a, b); }
  Value shl(Value a, Value b) { return arith::ShLIOp::create(builder, loc, a, b); }
  Value addF(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value subF(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value compare(arith::CmpIPredicate p, Value a, Value b) { return arith::CmpIOp::create(builder, loc, p, a, b); }
  Value compareF(arith::CmpFPredicate p, Value a, Value b) { return arith::CmpFOp::create(builder, loc, p, a, b); }
  Value select(Value c, Value a, Value b) { return arith::SelectOp::create(builder, loc, c, a, b); }

private:
  Value splat(Type type, TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, value);
    return arith::ConstantOp::create(builder, loc, type, value);
  }

  OpBuilder &builder;
  Location loc;
  Type like;
};

using IPred = arith::CmpIPredicate;
using FPred = arith::CmpFPredicate;

/// Fixed vectors and scalars; the bit tricks hold for any length, but no scalable vector reaches a CPU entry.
bool isExpandable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return !vector || !vector.isScalable();
}

/// Whether the op rounds to nearest even, which is what the expansions do.
bool roundsToNearestEven(arith::TruncFOp op) {
  return !op.getRoundingmode() || *op.getRoundingmode() == arith::RoundingMode::to_nearest_even;
}

/// truncf f32 to bf16  ==>  (bits + 0x7fff + lowest kept bit) >> 16, NaN apart
struct TruncateToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16() || !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32 to bf16");
    if (!isExpandable(op.getType()) || !roundsToNearestEven(op))
      return rewriter.notifyMatchFailure(op, "scalable vector or another rounding mode");
    Bits b(rewriter, op.getLoc(), op.getType());
    Value x = b.cast(b.i(32), op.getIn());
    Value sixteen = b.constant(32, 16);
    Value high = b.shr(x, sixteen);
    Value bias = b.add(b.bitAnd(high, b.constant(32, 1)), b.constant(32, 0x7fff));
    Value rounded = b.shr(b.add(x, bias), sixteen);
    Value isNaN = b.compareF(FPred::UNO, op.getIn(), op.getIn());
    Value quiet = b.bitOr(high, b.constant(32, 0x40));
    Value bits = b.truncate(b.i(16), b.select(isNaN, quiet, rounded));
    rewriter.replaceOp(op, b.cast(op.getType(), bits));
    return success();
  }
};

/// extf bf16 to f32  ==>  bits << 16
struct ExtendFromBF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isBF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not bf16 to f32");
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(op, "scalable vector");
    Bits b(rewriter, op.getLoc(), op.getType());
    Value bits = b.extend(b.i(32), b.cast(b.i(16), op.getIn()));
    rewriter.replaceOp(op, b.cast(op.getType(), b.shl(bits, b.constant(32, 16))));
    return success();
  }
};

/// truncf f32 to f16  ==>  three ranges of |x| computed side by side, so that it stays vector code
struct TruncateToF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF16() || !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32 to f16");
    if (!isExpandable(op.getType()) || !roundsToNearestEven(op))
      return rewriter.notifyMatchFailure(op, "scalable vector or another rounding mode");
    Bits b(rewriter, op.getLoc(), op.getType());
    Value x = b.cast(b.i(32), op.getIn());
    Value magnitude = b.bitAnd(x, b.constant(32, 0x7fffffff));
    Value sign = b.bitAnd(b.shr(x, b.constant(32, 16)), b.constant(32, 0x8000));
    Value thirteen = b.constant(32, 13);

    // Normal results: move the exponent's bias from 127 to 15 and round away 13 bits; a carry into the exponent is
    // right.
    // Signed comparisons serve: magnitudes are below 2^31, and baseline x86-64 has no unsigned ones.
    Value odd = b.bitAnd(b.shr(magnitude, thirteen), b.constant(32, 1));
    Value rebias = b.constant(32, 0xfff - (112u << 23));
    Value normal = b.shr(b.add(b.add(magnitude, rebias), odd), thirteen);
    Value infinity = b.constant(32, 0x7c00);
    Value overflows = b.compare(IPred::sge, magnitude, b.constant(32, 0x477ff000)); // 65520, halfway past the largest
    Value result = b.select(overflows, infinity, normal);

    // Subnormal results are multiples of 2^-24, the last place of numbers in [0.5, 1): adding 0.5 rounds to them.
    Value half = b.constantF32(0.5f);
    Value shifted = b.cast(b.i(32), b.addF(b.cast(b.f32(), magnitude), half));
    Value subnormal = b.sub(shifted, b.constant(32, 0x3f000000));
    Value isSmall = b.compare(IPred::slt, magnitude, b.constant(32, 113u << 23)); // 2^-14
    result = b.select(isSmall, subnormal, result);

    Value payload = b.bitAnd(b.shr(magnitude, thirteen), b.constant(32, 0x3ff));
    Value quiet = b.bitOr(payload, b.constant(32, 0x7e00));
    Value isNaN = b.compare(IPred::sgt, magnitude, b.constant(32, 0x7f800000));
    result = b.select(isNaN, quiet, result);

    Value bits = b.truncate(b.i(16), b.bitOr(result, sign));
    rewriter.replaceOp(op, b.cast(op.getType(), bits));
    return success();
  }
};

/// extf f16 to f32  ==>  the exponent's bias moved from 15 to 127, subnormals and infinities apart
struct ExtendFromF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f16 to f32");
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(op, "scalable vector");
    Bits b(rewriter, op.getLoc(), op.getType());
    Value h = b.extend(b.i(32), b.cast(b.i(16), op.getIn()));
    Value sign = b.shl(b.bitAnd(h, b.constant(32, 0x8000)), b.constant(32, 16));
    Value magnitude = b.bitAnd(h, b.constant(32, 0x7fff));
    Value shifted = b.shl(magnitude, b.constant(32, 13));
    Value normal = b.add(shifted, b.constant(32, 112u << 23));

    Value special = b.add(shifted, b.constant(32, 224u << 23));
    Value isSpecial = b.compare(IPred::sge, magnitude, b.constant(32, 0x7c00));
    Value result = b.select(isSpecial, special, normal);
    Value isNaN = b.compare(IPred::sgt, magnitude, b.constant(32, 0x7c00));
    result = b.bitOr(result, b.select(isNaN, b.constant(32, 0x400000), b.constant(32, 0)));

    // With the exponent of 2^-14 the fraction counts 2^-24: taking 2^-14 away leaves the subnormal's value, exactly.
    Value scaled = b.cast(b.f32(), b.add(shifted, b.constant(32, 113u << 23)));
    Value subnormal = b.cast(b.i(32), b.subF(scaled, b.constantF32(0x1p-14f)));
    Value isSmall = b.compare(IPred::slt, magnitude, b.constant(32, 0x400));
    result = b.select(isSmall, subnormal, result);
    rewriter.replaceOp(op, b.cast(op.getType(), b.bitOr(result, sign)));
    return success();
  }
};

/// truncf f64 to f16 or bf16  ==>  f64 to f32 rounded to odd, then truncf. Rounding twice to nearest would not round to
/// nearest; an odd last place keeps what the first rounding dropped apart from a tie.
struct TruncateF64ThroughF32 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!(element.isF16() || element.isBF16()) || !getElementTypeOrSelf(op.getIn().getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64 to a 16-bit type");
    if (!isExpandable(op.getType()) || !roundsToNearestEven(op))
      return rewriter.notifyMatchFailure(op, "scalable vector or another rounding mode");
    Bits b(rewriter, op.getLoc(), op.getType());
    Value x = op.getIn();
    Value nearest = arith::TruncFOp::create(rewriter, op.getLoc(), b.f32(), x);
    Value back = arith::ExtFOp::create(rewriter, op.getLoc(), x.getType(), nearest);
    Value bits = b.cast(b.i(32), nearest);
    Value mask = b.constant(64, 0x7fffffffffffffff);
    Value backMagnitude = b.bitAnd(b.cast(b.i(64), back), mask);
    Value magnitude = b.bitAnd(b.cast(b.i(64), x), mask);
    Value isAway = b.compare(IPred::sgt, backMagnitude, magnitude);
    Value one = b.constant(32, 1);
    Value towardZero = b.select(isAway, b.sub(bits, one), bits);
    Value isInexact = b.compareF(FPred::ONE, back, x); // ordered, so a NaN stays as it is
    Value odd = b.select(isInexact, b.bitOr(towardZero, one), bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), b.cast(b.f32(), odd));
    return success();
  }
};

/// extf f16 or bf16 to f64  ==>  through f32, exactly
struct ExtendToF64ThroughF32 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getIn().getType());
    if (!(element.isF16() || element.isBF16()) || !getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not a 16-bit type to f64");
    Bits b(rewriter, op.getLoc(), op.getType());
    Value middle = arith::ExtFOp::create(rewriter, op.getLoc(), b.f32(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), middle);
    return success();
  }
};

struct ExpandHalf : nag::impl::NagCpuExpandHalfBase<ExpandHalf> {
  using NagCpuExpandHalfBase::NagCpuExpandHalfBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<TruncateF64ThroughF32, ExtendToF64ThroughF32>(&getContext());
    if (f16)
      patterns.add<TruncateToF16, ExtendFromF16>(&getContext());
    if (bf16)
      patterns.add<TruncateToBF16, ExtendFromBF16>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      emitError(getOperation()->getLoc(), "expanding 16-bit float conversions did not settle");
      signalPassFailure();
    }
  }
};

} // namespace
