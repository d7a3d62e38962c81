//===- DeviceMathTest.cpp - Tests of the GPU's arithmetic on a host -----------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Rounding modes, flushing and conversions against values worked out by hand.

#include "nag/Target/SIMT/DeviceMath.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nag::simt;

namespace {

float arith(Arith op, Rounding rounding, float a, float b = 0, float c = 0, uint32_t flags = 0) {
  return arithF32(uint32_t(op), uint32_t(rounding), flags, a, b, c);
}

TEST(DeviceMath, RoundsInEveryDirection) {
  const float tiny = 0x1p-30f, above = 1 + 0x1p-23f, below = 1 - 0x1p-24f;
  EXPECT_EQ(arith(Arith::Add, Rounding::Nearest, 1, tiny), 1);
  EXPECT_EQ(arith(Arith::Add, Rounding::Up, 1, tiny), above);
  EXPECT_EQ(arith(Arith::Add, Rounding::Down, 1, tiny), 1);
  EXPECT_EQ(arith(Arith::Add, Rounding::Down, 1, -tiny), below);
  EXPECT_EQ(arith(Arith::Add, Rounding::Zero, 1, -tiny), below);
  EXPECT_EQ(arith(Arith::Add, Rounding::Zero, -1, tiny), -below);
  EXPECT_EQ(arith(Arith::Fma, Rounding::Down, 1, 1, -tiny), below);
  EXPECT_EQ(arith(Arith::Div, Rounding::Up, 1, 3), 0x1.555556p-2f);
  EXPECT_EQ(arith(Arith::Div, Rounding::Down, 1, 3), 0x1.555554p-2f);
  EXPECT_EQ(arith(Arith::Sqrt, Rounding::Down, 2), 0x1.6a09e6p0f);
  EXPECT_EQ(arith(Arith::Sqrt, Rounding::Up, 2), 0x1.6a09e8p0f);
}

TEST(DeviceMath, FlushesWhereItIsAskedTo) {
  const float subnormal = 0x1p-140f;
  EXPECT_EQ(arith(Arith::Add, Rounding::Nearest, subnormal, 0), subnormal);
  EXPECT_EQ(arith(Arith::Add, Rounding::Nearest, subnormal, 0, 0, kFlushToZero), 0);
  EXPECT_TRUE(std::signbit(arith(Arith::Mul, Rounding::Nearest, -0x1p-100f, 0x1p-40f, 0, kFlushToZero)));
}

TEST(DeviceMath, Saturates) {
  EXPECT_EQ(arith(Arith::Add, Rounding::Nearest, 1, 1, 0, kSaturate), 1);
  EXPECT_EQ(arith(Arith::Add, Rounding::Nearest, -1, 0, 0, kSaturate), 0);
  EXPECT_EQ(arith(Arith::Add, Rounding::Nearest, NAN, 0, 0, kSaturate), 0);
}

TEST(DeviceMath, MinimumAndMaximum) {
  EXPECT_EQ(arith(Arith::Min, Rounding::Nearest, NAN, 3), 3);
  EXPECT_TRUE(std::isnan(arith(Arith::MinNan, Rounding::Nearest, NAN, 3)));
  EXPECT_TRUE(std::signbit(arith(Arith::Min, Rounding::Nearest, 0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(arith(Arith::Max, Rounding::Nearest, -0.0f, 0.0f)));
  EXPECT_EQ(arith(Arith::Max, Rounding::Nearest, 2, 3), 3);
}

TEST(DeviceMath, ToIntegersClamps) {
  auto convert = [](double x, Rounding rounding, uint32_t bits, bool isSigned, bool isF64 = false) {
    return toInt(x, uint32_t(rounding), 0, bits, isSigned, isF64);
  };
  EXPECT_EQ(convert(2.5, Rounding::Nearest, 32, true), 2u);
  EXPECT_EQ(convert(2.5, Rounding::Up, 32, true), 3u);
  EXPECT_EQ(convert(-1.5, Rounding::Zero, 32, true), 0xffffffffu);
  EXPECT_EQ(convert(1e20, Rounding::Zero, 32, true), 0x7fffffffu);
  EXPECT_EQ(convert(-1e20, Rounding::Zero, 32, true), 0x80000000u);
  EXPECT_EQ(convert(-1, Rounding::Zero, 32, false), 0u);
  EXPECT_EQ(convert(1e20, Rounding::Zero, 64, false), ~uint64_t(0));
  EXPECT_EQ(convert(NAN, Rounding::Zero, 32, true), 0u);
  EXPECT_EQ(convert(NAN, Rounding::Zero, 32, true, true), 0x80000000u);
}

TEST(DeviceMath, SixteenBits) {
  EXPECT_EQ(toF16(1), 0x3c00u);
  EXPECT_EQ(toF16(65504), 0x7bffu);
  EXPECT_EQ(toF16(65519.999), 0x7bffu);
  EXPECT_EQ(toF16(65520), 0x7c00u);
  EXPECT_EQ(toF16(-0x1p-24), 0x8001u);
  EXPECT_EQ(toF16(0x1p-25), 0u);
  EXPECT_EQ(toF16(0x1.8p-24), 2u);
  EXPECT_EQ(toF16(NAN), 0x7fffu);
  EXPECT_EQ(toBF16(1), 0x3f80u);
  EXPECT_EQ(toBF16(-INFINITY), 0xff80u);
  EXPECT_EQ(toBF16(0), 0u);
  for (uint32_t bits = 0; bits < 0x7c00; ++bits)
    ASSERT_EQ(toF16(double(fromF16(bits))), bits);
}

} // namespace
