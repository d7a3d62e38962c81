//===- ElementType.h - Storage types of tensors, and rounding to them -----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The element types that tensors are stored in, with conversions that round once, to nearest even, in software: the
// same bits on every machine.

#ifndef NAG_SUPPORT_ELEMENTTYPE_H
#define NAG_SUPPORT_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <cstring>

namespace nag {

enum class ElementType : uint8_t { F64, F32, F16, BF16 };

/// As MLIR writes it: "f64", "f32", "f16", "bf16".
llvm::StringRef getName(ElementType type);
unsigned getByteSize(ElementType type);
/// Bits of the significand, the implicit one counted: 53, 24, 11, 8.
unsigned getPrecision(ElementType type);
/// Relative distance of neighbouring numbers just above a power of two: 2^(1 - precision).
double getUnit(ElementType type);
double getMaxFinite(ElementType type);
double getMinNormal(ElementType type);
double getMinSubnormal(ElementType type);

/// A number as its bits in a 16-bit type. Subnormal results are kept; a NaN stays a (quiet) NaN of its sign.
uint16_t encodeF16(double value);
uint16_t encodeBF16(double value);
/// Exact.
double decodeF16(uint16_t bits);
inline double decodeBF16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// The number of `type` nearest to `value`, or infinity beyond its range.
double roundTo(ElementType type, double value);

/// Reads and writes one element in memory, at any alignment.
double loadElement(ElementType type, const void *from);
void storeElement(ElementType type, double value, void *to);

} // namespace nag

#endif // NAG_SUPPORT_ELEMENTTYPE_H
