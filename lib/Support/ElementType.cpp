//===- ElementType.cpp - Storage types of tensors, and rounding to them -------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Conversions between double and the storage types, and the constants of each type.

#include "nag/Support/ElementType.h"

#include "llvm/Support/ErrorHandling.h"

#include <cmath>

using namespace nag;

namespace {

/// What distinguishes the types, in one row each.
struct Format {
  llvm::StringLiteral name;
  unsigned bytes;
  unsigned exponentBits;
  unsigned fractionBits;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

constexpr Format kFormats[] = {{"f64", 8, 11, 52}, {"f32", 4, 8, 23}, {"f16", 2, 5, 10}, {"bf16", 2, 8, 7}};

const Format &get(ElementType type) { return kFormats[unsigned(type)]; }

/// The bits of `value` in a format that is narrower than double in exponent and fraction.
uint32_t encode(double value, const Format &format) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t sign = uint32_t(bits >> 63) << (format.exponentBits + format.fractionBits);
  uint32_t infinity = ((1u << format.exponentBits) - 1) << format.fractionBits;
  unsigned shift = 52 - format.fractionBits;
  int exponent = int(bits >> 52) & 0x7ff;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);

  if (exponent == 0x7ff) {
    if (!fraction)
      return sign | infinity;
    return sign | infinity | (1u << (format.fractionBits - 1)) | uint32_t(fraction >> shift);
  }
  // Doubles without an implicit bit are far below every narrower type.
  if (exponent == 0)
    return sign;

  uint64_t significand = fraction | (uint64_t(1) << 52);
  int target = exponent - 1023 + format.bias();
  if (target >= (1 << format.exponentBits) - 1)
    return sign | infinity;
  if (target < 1) {
    // Subnormal: the exponent stays at its least and the significand moves right.
    shift += unsigned(1 - target);
    target = 1;
    if (shift > 54)
      return sign;
  }
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // The implicit bit of `kept` adds one to the exponent; a carry out of the rounding adds another, up to infinity.
  return sign | ((uint32_t(target - 1) << format.fractionBits) + uint32_t(kept));
}

} // namespace

llvm::StringRef nag::getName(ElementType type) { return get(type).name; }
unsigned nag::getByteSize(ElementType type) { return get(type).bytes; }
unsigned nag::getPrecision(ElementType type) { return get(type).fractionBits + 1; }
double nag::getUnit(ElementType type) { return std::ldexp(1.0, -int(get(type).fractionBits)); }
double nag::getMaxFinite(ElementType type) { return std::ldexp(2.0 - getUnit(type), get(type).bias()); }
double nag::getMinNormal(ElementType type) { return std::ldexp(1.0, 1 - get(type).bias()); }
double nag::getMinSubnormal(ElementType type) { return std::ldexp(getMinNormal(type), -int(get(type).fractionBits)); }

uint16_t nag::encodeF16(double value) { return uint16_t(encode(value, get(ElementType::F16))); }
uint16_t nag::encodeBF16(double value) { return uint16_t(encode(value, get(ElementType::BF16))); }

double nag::decodeF16(uint16_t bits) {
  uint64_t sign = uint64_t(bits >> 15) << 63, exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0) {
    double magnitude = std::ldexp(double(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  uint64_t wide = sign | ((exponent == 0x1f ? 0x7ff : exponent - 15 + 1023) << 52) | (fraction << 42);
  double value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

double nag::roundTo(ElementType type, double value) {
  switch (type) {
  case ElementType::F64:
    return value;
  case ElementType::F32: {
    uint32_t bits = encode(value, get(ElementType::F32));
    float narrow;
    std::memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
  }
  case ElementType::F16:
    return decodeF16(encodeF16(value));
  case ElementType::BF16:
    return decodeBF16(encodeBF16(value));
  }
  llvm_unreachable("all element types are handled");
}

double nag::loadElement(ElementType type, const void *from) {
  switch (type) {
  case ElementType::F64: {
    double value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  case ElementType::F32: {
    float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  case ElementType::F16:
  case ElementType::BF16: {
    uint16_t bits;
    std::memcpy(&bits, from, sizeof bits);
    return type == ElementType::F16 ? decodeF16(bits) : decodeBF16(bits);
  }
  }
  llvm_unreachable("all element types are handled");
}

void nag::storeElement(ElementType type, double value, void *to) {
  switch (type) {
  case ElementType::F64:
    std::memcpy(to, &value, sizeof value);
    return;
  case ElementType::F32: {
    uint32_t bits = encode(value, get(ElementType::F32));
    std::memcpy(to, &bits, sizeof bits);
    return;
  }
  case ElementType::F16:
  case ElementType::BF16: {
    uint16_t bits = type == ElementType::F16 ? encodeF16(value) : encodeBF16(value);
    std::memcpy(to, &bits, sizeof bits);
    return;
  }
  }
  llvm_unreachable("all element types are handled");
}
