//===- RowProgram.cpp - The formulas of a NAG sub-layer as pieces of row programs ---------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "RowProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace nag;

//===--------------------------------------------------------------------------------------------------===//
// Vocabulary
//===--------------------------------------------------------------------------------------------------===//

Value RowProgram::constant(double value) {
  APFloat exact(value);
  bool losesInfo;
  exact.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return arith::ConstantOp::create(b, FloatAttr::get(type, exact));
}

Value RowProgram::load(Value reference) {
  return row::LoadOp::create(b, row::getLoadedType(reference.getType(), type), reference);
}

void RowProgram::store(Value value, Value reference) { row::StoreOp::create(b, value, reference); }

Value RowProgram::map(Type elementType, ValueRange rows, MapFn body) {
  return row::MapOp::create(b, elementType, rows, [&](OpBuilder &nested, Location loc, ValueRange elements) {
    ImplicitLocOpBuilder inner(loc, nested);
    return body(inner, elements);
  });
}

Value RowProgram::times(Value row, Value factor) {
  return map(row,
             [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value { return arith::MulFOp::create(b, e[0], factor); });
}

Value RowProgram::plusTimes(Value row, Value factor, Value other) {
  return map({row, other}, [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value {
    return math::FmaOp::create(b, factor, e[1], e[0]);
  });
}

Value RowProgram::narrow(Value row, Type storage) {
  return row::NarrowOp::create(b, row::VecType::get(b.getContext(), width, storage), row);
}

Value RowProgram::sum(Value row) { return row::ReduceOp::create(b, type, row::ReduceKind::Add, row, Value()); }

Value RowProgram::dot(Value lhs, Value rhs) { return row::ReduceOp::create(b, type, row::ReduceKind::Add, lhs, rhs); }

Value RowProgram::dot(const ScaledRow &lhs, const ScaledRow &rhs) {
  bool areAlike = lhs.summands().getType() == rhs.summands().getType();
  return areAlike ? dot(lhs.summands(), rhs.summands()) : dot(lhs.row, rhs.row);
}

Value RowProgram::perElement(Value total) { return arith::DivFOp::create(b, total, constant(width)); }

Value RowProgram::inverseUnless(Value isZero, Value value) {
  Value inverse = arith::DivFOp::create(b, constant(1.0), value);
  return arith::SelectOp::create(b, isZero, constant(0.0), inverse);
}

Value RowProgram::isZero(Value scalar) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, scalar, constant(0.0));
}

Value RowProgram::zeroUnlessFinite(Value value, Value tested) {
  auto constantLike = [&](double number) -> Value {
    Value scalar = constant(number);
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? vector::BroadcastOp::create(b, vector, scalar).getResult() : scalar;
  };
  Value isFinite = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, tested),
                                         constantLike(std::numeric_limits<double>::infinity()));
  return arith::SelectOp::create(b, isFinite, value, constantLike(0.0));
}

Value RowProgram::isNot(Value condition) {
  return arith::XOrIOp::create(b, condition, arith::ConstantIntOp::create(b, 1, 1));
}

//===--------------------------------------------------------------------------------------------------===//
// Scale and measure
//===--------------------------------------------------------------------------------------------------===//

/// The exponent bias of an IEEE type: 127 for f32, 1023 for f64.
static int64_t getBias(FloatType type) { return APFloat::semanticsMaxExponent(type.getFloatSemantics()); }

/// Rows of 16-bit elements whose largest magnitude is within 2^-16 and 2^16 are not scaled: their squares, and those of
/// a P that is 2^20 times smaller, are far in range, and so are their products with w and alpha up to 2^80 or so.
static constexpr int64_t kUnscaledExponents = 16;

/// An integer constant as wide as `type`.
static Value bitsConstant(ImplicitLocOpBuilder &b, FloatType type, int64_t value) {
  return arith::ConstantOp::create(b, IntegerAttr::get(IntegerType::get(b.getContext(), type.getWidth()), value));
}

/// 2^(biased - bias), by its bits.
static Value powerOfTwo(RowProgram &p, Value biased) {
  Value shift = bitsConstant(p.b, p.type, p.type.getFPMantissaWidth() - 1);
  return arith::BitcastOp::create(p.b, p.type, arith::ShLIOp::create(p.b, biased, shift));
}

ScaledRow RowProgram::scale(Value reference, bool always) {
  auto stored = cast<FloatType>(cast<row::RowType>(reference.getType()).getElementType());
  int64_t bias = getBias(type);
  bool isNarrow = !isFine && !always && stored.getWidth() == 16;
  if (isNarrow && stored.isF16()) {
    // All of f16 lies where nothing has to be scaled.
    Value row = load(reference);
    return {row, narrow(row, stored), bitsConstant(b, type, bias), constant(1.0)};
  }

  // Magnitudes compare as their bits do, in storage already. The exponent field of the largest is clamped to where 2^e
  // and 2^-e are both normal numbers: rows of subnormals come out small, rows with an Inf or NaN come out as they are.
  unsigned storedBits = stored.getWidth();
  auto storedInteger = IntegerType::get(b.getContext(), storedBits);
  Value bits = row::LoadOp::create(b, row::getLoadedType(reference.getType(), storedInteger), reference);
  Value magnitudes = map(storedInteger, bits, [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value {
    Value mask = bitsConstant(b, stored, APInt::getSignedMaxValue(storedBits).getSExtValue());
    return arith::AndIOp::create(b, e[0], mask);
  });
  Value top = row::ReduceOp::create(b, storedInteger, row::ReduceKind::UMax, magnitudes, Value());
  if (stored != type) {
    Value asFloat = arith::BitcastOp::create(b, stored, top);
    Value widened = arith::ExtFOp::create(b, type, asFloat);
    top = arith::BitcastOp::create(b, IntegerType::get(b.getContext(), type.getWidth()), widened);
  }

  Value exponent = arith::ShRUIOp::create(b, top, bitsConstant(b, type, type.getFPMantissaWidth() - 1));
  exponent = arith::MaxUIOp::create(b, exponent, bitsConstant(b, type, 1));
  exponent = arith::MinUIOp::create(b, exponent, bitsConstant(b, type, 2 * bias - 1));
  if (isNarrow) {
    // Nor does a row of ordinary numbers have to be, or one of zeros. Either way gives the same bits, so it is a matter
    // of speed.
    Value fromLowest = arith::SubIOp::create(b, exponent, bitsConstant(b, type, bias - kUnscaledExponents));
    Value isOrdinary =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ule, fromLowest, bitsConstant(b, type, 2 * kUnscaledExponents));
    Value isZeroRow = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, top, bitsConstant(b, type, 0));
    exponent = arith::SelectOp::create(b, arith::OrIOp::create(b, isOrdinary, isZeroRow), bitsConstant(b, type, bias),
                                       exponent);
    exponent = row::ExpectOp::create(b, exponent, b.getIntegerAttr(exponent.getType(), bias));
  }
  Value inverse = powerOfTwo(*this, arith::SubIOp::create(b, bitsConstant(b, type, 2 * bias), exponent));
  ScaledRow result{times(load(reference), inverse), Value(), exponent, powerOfTwo(*this, exponent)};
  if (isNarrow)
    result.narrow = narrow(result.row, stored);
  return result;
}

Value RowProgram::powerOfTwoRatio(const ScaledRow &lhs, const ScaledRow &rhs) {
  // An RMS in its own scale is between 2^-24 (2^-53) and 2^10 or so: with half the range of exponents on top, a
  // product is neither zero nor infinite, and tolerances of 2^-60 (2^-500) and less are the same as zero.
  int64_t limit = getBias(type) / 2;
  Value difference = arith::SubIOp::create(b, lhs.exponent, rhs.exponent);
  difference = arith::MaxSIOp::create(b, difference, bitsConstant(b, type, -limit));
  difference = arith::MinSIOp::create(b, difference, bitsConstant(b, type, limit));
  return powerOfTwo(*this, arith::AddIOp::create(b, difference, bitsConstant(b, type, getBias(type))));
}

MeasuredRow RowProgram::measure(Value reference) {
  MeasuredRow result;
  result.scaled = scale(reference);
  result.squares = dot(result.scaled, result.scaled);
  result.isZero = isZero(result.squares);
  result.rms = math::SqrtOp::create(b, perElement(result.squares));
  result.inverseRms = inverseUnless(result.isZero, result.rms);
  return result;
}

Value RowProgram::logNorm(const MeasuredRow &row) {
  // log(rms 2^e) from its parts: 2^e may be where rms 2^e is not.
  Value unbiased = arith::SubIOp::create(b, row.scaled.exponent, bitsConstant(b, type, getBias(type)));
  Value exponent = arith::SIToFPOp::create(b, type, unbiased);
  Value result = arith::AddFOp::create(b, math::LogOp::create(b, row.rms),
                                       arith::MulFOp::create(b, exponent, constant(0x1.62e42fefa39efp-1)));
  return arith::SelectOp::create(b, row.isZero, constant(-std::numeric_limits<double>::infinity()), result);
}

//===--------------------------------------------------------------------------------------------------===//
// Centre, orthogonalise, scale
//===--------------------------------------------------------------------------------------------------===//

static Value subtract(RowProgram &p, Value row, Value scalar) {
  return p.map(row,
               [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value { return arith::SubFOp::create(b, e[0], scalar); });
}

/// a - b = difference + error, exactly (Knuth's TwoSum).
static std::pair<Value, Value> subtractExactly(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  Value difference = arith::SubFOp::create(b, lhs, rhs);
  Value taken = arith::SubFOp::create(b, lhs, difference);
  Value lhsError = arith::SubFOp::create(b, lhs, arith::AddFOp::create(b, difference, taken));
  return {difference, arith::AddFOp::create(b, lhsError, arith::SubFOp::create(b, taken, rhs))};
}

Mean RowProgram::mean(const ScaledRow &scaled) {
  // Results of 16 bits do not show what a plain sum loses.
  if (!isFine)
    return {perElement(sum(scaled.summands())), Value()};

  // The row has magnitudes below 2. Each element is cut at a multiple of a unit so coarse that the upper parts add up
  // without rounding, in any order; the lower parts add up with errors of their own size.
  int64_t bits = std::max<int64_t>(llvm::Log2_64_Ceil(width), 2) + 1;
  Value grid = constant(1.5 * std::ldexp(1.0, bits - 1)); // whose last place is that unit
  Value row = scaled.row;
  Value high = map(row, [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value {
    return arith::SubFOp::create(b, arith::AddFOp::create(b, e[0], grid), grid);
  });
  Value low = map({row, high},
                  [](ImplicitLocOpBuilder &b, ValueRange e) -> Value { return arith::SubFOp::create(b, e[0], e[1]); });
  Value highSum = sum(high), lowSum = sum(low);
  Value mean = perElement(arith::AddFOp::create(b, highSum, lowSum));
  Value rest = math::FmaOp::create(b, arith::NegFOp::create(b, mean), constant(width), highSum);
  return {mean, perElement(arith::AddFOp::create(b, rest, lowSum))};
}

Value RowProgram::center(const ScaledRow &row) {
  Mean m = mean(row);
  if (!m.low)
    return subtract(*this, row.row, m.high);
  return map(row.row, [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value {
    return arith::SubFOp::create(b, arith::SubFOp::create(b, e[0], m.high), m.low);
  });
}

Value RowProgram::share(Value dot, const MeasuredRow &stream) {
  return arith::MulFOp::create(b, dot, inverseUnless(stream.isZero, stream.squares));
}

Value RowProgram::refine(Value row, const MeasuredRow &stream) {
  Value rest = share(dot(row, stream.scaled.row), stream);
  return plusTimes(row, arith::NegFOp::create(b, rest), stream.scaled.row);
}

Value RowProgram::orthogonalize(Value row, const MeasuredRow &stream) {
  Value direction = stream.scaled.row;
  Value once = plusTimes(row, arith::NegFOp::create(b, share(dot(row, direction), stream)), direction);
  return isFine ? refine(once, stream) : once;
}

Value RowProgram::centerAndOrthogonalize(const ScaledRow &branch, const MeasuredRow &stream) {
  // <f_c, D> = <f, D> - mean(f) sum(D), so that mean and dot product share a round. What that cancels, and the rounding
  // of c, is an error along D.
  Value direction = stream.scaled.row;
  Mean m = mean(branch);
  Value along = dot(branch, stream.scaled);
  along = arith::SubFOp::create(b, along, arith::MulFOp::create(b, m.high, sum(stream.scaled.summands())));
  Value minusC = arith::NegFOp::create(b, share(along, stream));
  if (!isFine)
    return plusTimes(subtract(*this, branch.row, m.high), minusC, direction);

  // P may be far smaller than f: with an exact difference and an exact product its errors are of its own size, and what
  // is left of them along D goes in a second projection.
  Value once = map({branch.row, direction}, [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value {
    auto [centered, rest] = subtractExactly(b, e[0], m.high);
    rest = arith::SubFOp::create(b, rest, m.low);
    return arith::AddFOp::create(b, math::FmaOp::create(b, minusC, e[1], centered), rest);
  });
  return refine(once, stream);
}

OrthogonalRow RowProgram::normalize(Value row, Value branchSquares, double tol, Value streamIsZero, Value rmsRatio) {
  Value rms = math::SqrtOp::create(b, perElement(dot(row, row)));
  Value branchRms = math::SqrtOp::create(b, perElement(branchSquares));
  Value measured = rmsRatio ? Value(arith::MulFOp::create(b, rms, rmsRatio)) : rms;
  // Not (rms(P) <= tol rms(f)): a NaN makes the row live, so that it shows.
  Value isLive =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, measured, arith::MulFOp::create(b, branchRms, constant(tol)));
  // A tolerance of zero leaves the zero rows, and a product may underflow where its factors do not.
  isLive = arith::AndIOp::create(b, isLive, isNot(isZero(rms)));
  if (streamIsZero)
    isLive = arith::AndIOp::create(b, isLive, isNot(streamIsZero));
  Value inverse = arith::DivFOp::create(b, constant(1.0), rms);
  return {row, arith::SelectOp::create(b, isLive, inverse, constant(0.0)), isLive};
}

//===--------------------------------------------------------------------------------------------------===//
// Modulate
//===--------------------------------------------------------------------------------------------------===//

namespace {

/// A number or vector as a sum of two, the second of the size of the first one's rounding.
struct TwoPart {
  Value high;
  Value low;
};

} // namespace

/// a + b as a sum of two, exactly (Knuth's TwoSum), and as a + b + 0 where it is not finite.
static TwoPart addExactly(RowProgram &p, Value lhs, Value rhs) {
  auto &b = p.b;
  Value sum = arith::AddFOp::create(b, lhs, rhs);
  Value taken = arith::SubFOp::create(b, sum, lhs);
  Value lhsError = arith::SubFOp::create(b, lhs, arith::SubFOp::create(b, sum, taken));
  Value error = arith::AddFOp::create(b, lhsError, arith::SubFOp::create(b, rhs, taken));
  return {sum, p.zeroUnlessFinite(error, sum)};
}

/// log sum_i weight_i exp(x_i) with weights near 1, or without any: the largest of high_i, and what comes on top of it.
/// No exponential overflows, and the largest does not underflow.
static TwoPart logSumExp(RowProgram &p, const TwoPart &x, Value inverseWeights = {}) {
  auto &b = p.b;
  Value top = vector::ReductionOp::create(b, vector::CombiningKind::MAXIMUMF, x.high);
  // Where all are -inf, so is the result: -inf - -inf would be a NaN.
  Value lowest = arith::ConstantOp::create(
      b, FloatAttr::get(p.type, APFloat::getLargest(p.type.getFloatSemantics(), /*Negative=*/true)));
  top = arith::MaximumFOp::create(b, top, lowest);
  Value shifted = arith::SubFOp::create(b, x.high, vector::BroadcastOp::create(b, x.high.getType(), top));
  if (x.low)
    shifted = arith::AddFOp::create(b, shifted, x.low);
  Value terms = math::ExpOp::create(b, shifted);
  if (inverseWeights)
    terms = arith::DivFOp::create(b, terms, inverseWeights);
  Value total = vector::ReductionOp::create(b, vector::CombiningKind::ADD, terms);
  return {top, math::LogOp::create(b, total)};
}

Value RowProgram::modulate(const MeasuredRow &stream, Value beta, Value w, Value bias, Value logits) {
  auto table = cast<row::TableType>(w.getType());
  Value direction = stream.scaled.row, narrow = stream.scaled.narrow;
  if (narrow && cast<row::VecType>(narrow.getType()).getElementType() == table.getElementType())
    direction = narrow;
  Value products = row::ContractOp::create(b, VectorType::get(table.getShape().front(), type), direction, w);
  Type vector = products.getType();
  auto broadcast = [&](Value scalar) -> Value { return vector::BroadcastOp::create(b, vector, scalar); };
  Value zero = broadcast(constant(0.0)), one = broadcast(constant(1.0));

  // In logarithms, since S^beta may be far in range where S is not, and in two parts, since exp makes a relative error
  // of m from an absolute one of beta log S, however large that is.
  TwoPart t = addExactly(*this, arith::MulFOp::create(b, products, broadcast(stream.inverseRms)), load(bias));
  Value x = load(logits);
  // log p_i = (x_i - top) - rest: top + rest rounded would lose what large logits have in common.
  TwoPart normalizer = logSumExp(*this, {x, Value()});
  Value shifted = arith::SubFOp::create(b, x, broadcast(normalizer.high));

  // p sigmoid(t) = exp(log p + min(t, 0)) / (1 + exp(-|t|)).
  TwoPart exponent = addExactly(*this, arith::MinimumFOp::create(b, t.high, zero), shifted);
  Value isNegative = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, t.high, zero);
  Value low = arith::AddFOp::create(b, arith::SelectOp::create(b, isNegative, t.low, zero), exponent.low);
  low = arith::SubFOp::create(b, low, broadcast(normalizer.low));
  Value decay = math::ExpOp::create(b, arith::NegFOp::create(b, math::AbsFOp::create(b, t.high)));
  TwoPart logS = logSumExp(*this, {exponent.high, low}, arith::AddFOp::create(b, one, decay));

  // S^beta = exp(y) exp(e) with y + e = beta log S and e so small that exp(e) = 1 + e.
  Value power = load(beta);
  Value y = arith::MulFOp::create(b, power, arith::AddFOp::create(b, logS.high, logS.low));
  Value error = math::FmaOp::create(b, power, logS.high, arith::NegFOp::create(b, y));
  error = arith::AddFOp::create(b, error, arith::MulFOp::create(b, power, logS.low));
  Value correction = arith::AddFOp::create(b, constant(1.0), zeroUnlessFinite(error, y));
  return arith::MulFOp::create(b, math::ExpOp::create(b, y), correction);
}

//===--------------------------------------------------------------------------------------------------===//
// Rotate
//===--------------------------------------------------------------------------------------------------===//

Value RowProgram::amount(Value alpha, Value modulator, Value isLive) {
  Value result = load(alpha);
  if (modulator)
    result = arith::MulFOp::create(b, result, modulator);
  return arith::SelectOp::create(b, isLive, result, constant(0.0));
}

Value RowProgram::rotateResidual(Value stream, const MeasuredRow &measured, const OrthogonalRow &unit, Value amount) {
  // In the scale of the stream, so that a power of two in R is the same power of two in R'.
  Value gain = arith::MulFOp::create(b, arith::MulFOp::create(b, measured.rms, amount), unit.inverseRms);
  return map({stream, measured.scaled.row, unit.row}, [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value {
    Value moved = arith::MulFOp::create(b, math::FmaOp::create(b, gain, e[2], e[1]), measured.scaled.scale);
    return arith::SelectOp::create(b, unit.isLive, moved, e[0]);
  });
}

std::pair<Value, Value> RowProgram::fold(Value amount) {
  Value magnitude = math::AbsFOp::create(b, amount);
  Value isLong = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, magnitude, constant(1.0));
  Value inverse = arith::DivFOp::create(b, constant(1.0), magnitude);
  return {arith::SelectOp::create(b, isLong, inverse, magnitude), isLong};
}

/// How far from 1 the mean square of a direction can be after it was rounded to `storage`.
static double getStoredDirectionSlack(Type storage) {
  if (storage.isBF16())
    return 0x1p-7;
  if (storage.isF16())
    return 0x1p-10;
  return storage.isF64() ? 0x1p-48 : 0x1p-20;
}

Value RowProgram::rotateDirection(Value stream, const MeasuredRow &measured, const OrthogonalRow &unit, Value amount,
                                  Type storage) {
  // 1 / sqrt(1 + a^2) = r / sqrt(1 + r^2) with r = 1 / |a|: no amount that is finite overflows.
  auto [ratio, isLong] = fold(amount);
  Value length =
      math::SqrtOp::create(b, arith::AddFOp::create(b, constant(1.0), arith::MulFOp::create(b, ratio, ratio)));
  Value numerator = arith::SelectOp::create(b, isLong, ratio, constant(1.0));
  Value shrink = arith::DivFOp::create(b, numerator, length);
  Value directionGain = arith::MulFOp::create(b, measured.inverseRms, shrink);
  Value gain = arith::MulFOp::create(b, arith::MulFOp::create(b, amount, shrink), unit.inverseRms);

  Value storedRms = arith::MulFOp::create(b, measured.rms, measured.scaled.scale);
  Value excess = arith::SubFOp::create(b, arith::MulFOp::create(b, storedRms, storedRms), constant(1.0));
  Value isStored = arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, math::AbsFOp::create(b, excess),
                                         constant(getStoredDirectionSlack(storage)));
  Value passes = arith::AndIOp::create(b, isNot(unit.isLive), isStored);

  return map({stream, measured.scaled.row, unit.row}, [&](ImplicitLocOpBuilder &b, ValueRange e) -> Value {
    Value moved = math::FmaOp::create(b, gain, e[2], arith::MulFOp::create(b, e[1], directionGain));
    return arith::SelectOp::create(b, passes, e[0], moved);
  });
}

Value RowProgram::rotateLogNorm(Value logNorm, Value amount) {
  // log1p(a^2) / 2 = log |a| + log1p(1 / a^2) / 2.
  auto [ratio, isLong] = fold(amount);
  Value squared = arith::MulFOp::create(b, ratio, ratio);
  Value growth = arith::MulFOp::create(b, constant(0.5), math::Log1pOp::create(b, squared));
  Value magnitude = arith::SelectOp::create(b, isLong, math::AbsFOp::create(b, amount), constant(1.0));
  growth = arith::AddFOp::create(b, growth, math::LogOp::create(b, magnitude));
  return arith::AddFOp::create(b, logNorm, growth);
}
