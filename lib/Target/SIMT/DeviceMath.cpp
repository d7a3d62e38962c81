//===- DeviceMath.cpp - Arithmetic of the GPU that a host has no instruction for ----------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Computes in the host's rounding modes. Approximate functions are computed in double and rounded once: they are within
// half a unit of the exact value, which a GPU's are not.

#include "nag/Target/SIMT/DeviceMath.h"

#include "llvm/ADT/bit.h"

#include <cfenv>
#include <cmath>
#include <limits>

using namespace nag::simt;

namespace {

/// Sets a rounding mode for as long as it lives.
class RoundingScope {
public:
  explicit RoundingScope(uint32_t rounding) : before(std::fegetround()) {
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(modes[rounding & 3]);
  }
  ~RoundingScope() { std::fesetround(before); }

private:
  int before;
};

template <class T> T flush(T x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(T(0), x) : x; }

/// -0 < +0, and a NaN gives way to a number.
template <class T> T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
}

template <class T> T compute(Arith op, uint32_t rounding, T a, T b, T c) {
  switch (op) {
  case Arith::Ex2:
    return static_cast<T>(std::exp2(static_cast<double>(a)));
  case Arith::Lg2:
    return static_cast<T>(std::log2(static_cast<double>(a)));
  case Arith::Sin:
    return static_cast<T>(std::sin(static_cast<double>(a)));
  case Arith::Cos:
    return static_cast<T>(std::cos(static_cast<double>(a)));
  case Arith::Rsqrt:
    return static_cast<T>(1 / std::sqrt(static_cast<double>(a)));
  case Arith::Min:
    return minimum(a, b);
  case Arith::Max:
    return -minimum(-a, -b);
  case Arith::MinNan:
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : minimum(a, b);
  case Arith::MaxNan:
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : -minimum(-a, -b);
  default:
    break;
  }
  RoundingScope scope(rounding);
  switch (op) {
  case Arith::Add:
    return a + b;
  case Arith::Mul:
    return a * b;
  case Arith::Fma:
    return std::fma(a, b, c);
  case Arith::Div:
    return a / b;
  case Arith::Sqrt:
    return std::sqrt(a);
  default:
    return T(1) / a;
  }
}

template <class T> T arith(uint32_t op, uint32_t rounding, uint32_t flags, T a, T b, T c) {
  if (flags & kFlushToZero) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
  }
  T result = compute(static_cast<Arith>(op), rounding, a, b, c);
  if (flags & kFlushToZero)
    result = flush(result);
  if (flags & kSaturate)
    result = result > 0 ? (result < 1 ? result : T(1)) : T(0);
  return result;
}

double roundToInteger(double x, uint32_t rounding) {
  switch (static_cast<Rounding>(rounding)) {
  case Rounding::Nearest:
    return std::nearbyint(x);
  case Rounding::Zero:
    return std::trunc(x);
  case Rounding::Down:
    return std::floor(x);
  case Rounding::Up:
    return std::ceil(x);
  }
  return x;
}

/// To nearest even, through one integer: a binary format of `fractionBits` and exponents from 1 - bias.
uint32_t roundTo16(double x, int fractionBits, int bias) {
  uint32_t sign = std::signbit(x) ? 0x8000 : 0, infinity = (2u * static_cast<uint32_t>(bias) + 1) << fractionBits;
  if (std::isnan(x))
    return 0x7fff;
  x = std::fabs(x);
  if (std::isinf(x))
    return sign | infinity;
  int exponent = x == 0 ? 1 - bias : std::max(std::ilogb(x), 1 - bias);
  // The value in units of the last place; scaling by powers of two is exact, and nearbyint rounds to nearest even.
  double units = std::nearbyint(std::scalbn(x, fractionBits - exponent));
  // A carry moves into the exponent, and from the largest number to infinity.
  uint64_t bits = static_cast<uint64_t>(units) + (static_cast<uint64_t>(exponent + bias - 1) << fractionBits);
  return sign | (bits >= infinity ? infinity : static_cast<uint32_t>(bits));
}

} // namespace

float nag::simt::arithF32(uint32_t op, uint32_t rounding, uint32_t flags, float a, float b, float c) {
  return arith<float>(op, rounding, flags, a, b, c);
}

double nag::simt::arithF64(uint32_t op, uint32_t rounding, uint32_t flags, double a, double b, double c) {
  return arith<double>(op, rounding, flags, a, b, c);
}

uint64_t nag::simt::toInt(double x, uint32_t rounding, uint32_t flags, uint32_t bits, uint32_t isSigned,
                          uint32_t isF64) {
  uint64_t top = uint64_t(1) << (bits - 1), all = top - 1 + top;
  if (std::isnan(x))
    return isF64 ? top : 0;
  // Of f32: a double holds every f32, so that subnormals have to be told by their size.
  if ((flags & kFlushToZero) && std::fabs(x) < 0x1p-126)
    x = 0;
  x = roundToInteger(x, rounding);
  double limit = std::ldexp(1.0, static_cast<int>(bits) - (isSigned ? 1 : 0));
  if (x >= limit)
    return isSigned ? top - 1 : all;
  if (!isSigned)
    return x <= 0 ? 0 : static_cast<uint64_t>(x);
  return (x < -limit ? top : static_cast<uint64_t>(static_cast<int64_t>(x))) & all;
}

float nag::simt::intToF32(uint64_t x, uint32_t rounding, uint32_t isSigned) {
  RoundingScope scope(rounding);
  return isSigned ? static_cast<float>(static_cast<int64_t>(x)) : static_cast<float>(x);
}

double nag::simt::intToF64(uint64_t x, uint32_t rounding, uint32_t isSigned) {
  RoundingScope scope(rounding);
  return isSigned ? static_cast<double>(static_cast<int64_t>(x)) : static_cast<double>(x);
}

float nag::simt::f64ToF32(double x, uint32_t rounding, uint32_t flags) {
  RoundingScope scope(rounding);
  float result = static_cast<float>(x);
  return flags & kFlushToZero ? flush(result) : result;
}

uint32_t nag::simt::toBF16(double x) { return roundTo16(x, 7, 127); }
uint32_t nag::simt::toF16(double x) { return roundTo16(x, 10, 15); }

float nag::simt::fromF16(uint32_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  float magnitude = exponent == 31
                        ? (fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity())
                    : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(fraction | 0x400), static_cast<int>(exponent) - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}
