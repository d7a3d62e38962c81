//===- DeviceMath.h - Arithmetic of the GPU that a host has no instruction for --------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Rounding modes, flushing and approximate functions, by value, as generated code calls them.

#ifndef NAG_TARGET_SIMT_DEVICEMATH_H
#define NAG_TARGET_SIMT_DEVICEMATH_H

#include <cstdint>

namespace nag::simt {

enum class Arith : uint32_t { Add, Mul, Fma, Div, Sqrt, Rcp, Rsqrt, Ex2, Lg2, Sin, Cos, Min, Max, MinNan, MaxNan };
enum class Rounding : uint32_t { Nearest, Zero, Down, Up };
/// Bits of `flags`: subnormal inputs and results become zeros of their sign; results are clamped to [0, 1], NaN to 0.
constexpr uint32_t kFlushToZero = 1, kSaturate = 2;

float arithF32(uint32_t op, uint32_t rounding, uint32_t flags, float a, float b, float c);
double arithF64(uint32_t op, uint32_t rounding, uint32_t flags, double a, double b, double c);
/// To an integer of `bits` bits, clamped; NaN as for a source in f32 or in f64.
uint64_t toInt(double x, uint32_t rounding, uint32_t flags, uint32_t bits, uint32_t isSigned, uint32_t isF64);
float intToF32(uint64_t x, uint32_t rounding, uint32_t isSigned);
double intToF64(uint64_t x, uint32_t rounding, uint32_t isSigned);
float f64ToF32(double x, uint32_t rounding, uint32_t flags);
/// To the 16 bits of a bf16 or an f16, to nearest even.
uint32_t toBF16(double x);
uint32_t toF16(double x);
float fromF16(uint32_t bits);

} // namespace nag::simt

#endif // NAG_TARGET_SIMT_DEVICEMATH_H
