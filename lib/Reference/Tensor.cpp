//===- Tensor.cpp - Exact values and how far a target may be from them --------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The promises of accuracy by storage type, and what rounding at the store makes of an error before it.

#include "nag/Reference/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nag;

std::optional<ElementType> nag::getElementType(mlir::Type type) {
  if (type.isF64())
    return ElementType::F64;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  return std::nullopt;
}

ReferenceTensor::ReferenceTensor(std::shared_ptr<const HostTensor> stored)
    : type(stored->getType()), shape(stored->getShape()), width(stored->getWidth()), rows(stored->getNumRows()),
      argument(std::move(stored)) {}

ReferenceTensor::ReferenceTensor(ElementType type, llvm::ArrayRef<int64_t> shape, int64_t width)
    : type(type), shape(shape), width(width) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  rows = elements / width;
  data = std::make_shared<Data>();
  data->exact.resize(size_t(elements));
  data->carried.resize(size_t(elements));
  data->allowances.resize(size_t(rows));
}

/// `x` and `y` as results of one operation: equal infinities do not differ.
static double distance(double x, double y) { return x == y ? 0 : std::fabs(x - y); }

double ReferenceTensor::getStoredError(int64_t index) const {
  if (argument)
    return 0;
  const RowAllowance &allowance = data->allowances[size_t(index / width)];
  double x = data->exact[size_t(index)];
  if (!std::isfinite(x))
    return 0;
  double error = allowance.arithmetic * std::max(std::fabs(x), allowance.scale) + allowance.arithmeticFloor +
                 data->carried[size_t(index)];
  // Far from a midpoint both sides round alike, so the error often vanishes in a narrow type.
  double stored = roundTo(type, x);
  double low = distance(roundTo(type, x - error), stored), high = distance(roundTo(type, x + error), stored);
  double flushed = std::fabs(x) < getMinNormal(type) ? std::fabs(stored) : 0;
  return std::max({low, high, flushed});
}

double ReferenceTensor::getTolerance(int64_t index) const {
  if (argument)
    return 0;
  const RowAllowance &allowance = data->allowances[size_t(index / width)];
  double x = std::fabs(data->exact[size_t(index)]);
  double promised = allowance.units * getUnit(type) * std::max(x, allowance.scale);
  // Below the normal range the unit no longer shrinks with the row.
  if (allowance.units > 0 && x < getMinNormal(type))
    promised = std::max(promised, getMinSubnormal(type));
  return promised + allowance.floor + data->carried[size_t(index)];
}

RowAllowance nag::getRowAllowance(ElementType type, double scale, double source) {
  bool narrow = type == ElementType::F16 || type == ElementType::BF16;
  double freeBelow = narrow ? 0x1p12 : 0x1p8;
  RowAllowance allowance;
  allowance.units = narrow ? 1 : type == ElementType::F32 ? 16 : 64;
  allowance.arithmetic = type == ElementType::F64 ? 64 * getUnit(ElementType::F64) : 16 * getUnit(ElementType::F32);
  // Rows that hold a NaN or an infinity are compared by that alone.
  if (!std::isfinite(scale) || !std::isfinite(source))
    return allowance;
  allowance.scale = scale;
  if (scale == 0) {
    allowance.floor = allowance.units * getUnit(type) * source / freeBelow;
    allowance.arithmeticFloor = allowance.arithmetic * source / 0x1p8;
    return allowance;
  }
  double k = std::max(source / scale, 1.0);
  allowance.units *= std::max(1.0, k / freeBelow);
  allowance.arithmetic *= std::max(1.0, k / 0x1p8);
  return allowance;
}
