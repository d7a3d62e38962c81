//===- Compare.cpp - A target's result against the reference ------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The comparison of one element, and its sum over a tensor.

#include "nag/Reference/Compare.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace nag;

namespace {

/// Compares the elements of one row.
class RowComparison {
public:
  RowComparison(const ReferenceTensor &reference, int64_t row)
      : reference(reference), type(reference.getType()), allowance(reference.getAllowance(row)) {
    int64_t begin = row * reference.getWidth();
    for (int64_t i = begin; i < begin + reference.getWidth(); ++i)
      hasNaN |= std::isnan(reference.getExact(i));
  }

  /// Whether `actual` is within what element `index` is allowed. An error that can be measured is left in `error`.
  bool check(int64_t index, double actual, double &error) const {
    error = 0;
    double exact = reference.getExact(index), rounded = roundTo(type, exact);
    if (std::isnan(rounded))
      return std::isnan(actual);
    // In a row that holds a NaN the rest says nothing: a target may see the NaN earlier or later.
    if (hasNaN || actual == rounded)
      return true;
    if (std::isnan(actual) || std::isinf(exact))
      return false;
    double tolerance = reference.getTolerance(index);
    // Next to the edge of the range rounding decides between the largest number and infinity.
    if (std::isinf(actual))
      return roundTo(type, exact + std::copysign(tolerance, actual)) == actual;
    // A result that is subnormal in its type may be flushed.
    if (actual == 0 && std::fabs(exact) < getMinNormal(type))
      return true;
    error = std::fabs(actual - exact);
    return error <= tolerance;
  }

  double toUnits(int64_t index, double error) const {
    double scale = std::max(std::fabs(reference.getExact(index)), allowance.scale);
    // Where the exact row is zero, or all of it is subnormal, the smallest number serves as the unit.
    return error / std::max(getUnit(type) * scale, getMinSubnormal(type));
  }

private:
  const ReferenceTensor &reference;
  ElementType type;
  RowAllowance allowance;
  bool hasNaN = false;
};

} // namespace

/// The sign of a NaN means nothing, and should not be shown.
static double withoutSignOfNaN(double x) { return std::isnan(x) ? std::fabs(x) : x; }

Comparison nag::compare(const ReferenceTensor &reference, const HostTensor &result) {
  Comparison out;
  int64_t width = reference.getWidth();
  for (int64_t row = 0; row < reference.getNumRows(); ++row) {
    if (reference.isUndecided(row)) {
      ++out.leftOut;
      continue;
    }
    ++out.compared;
    RowComparison comparison(reference, row);
    for (int64_t column = 0; column < width; ++column) {
      int64_t index = row * width + column;
      double error, actual = result.get(index);
      bool ok = comparison.check(index, actual, error);
      // What is not finite has no error to measure.
      double units = std::isfinite(reference.getExact(index)) ? comparison.toUnits(index, error) : -1;
      out.largestError = std::max(out.largestError, error);
      if (units > out.largestUnits || (units >= 0 && out.worstRow < 0)) {
        out.largestUnits = units;
        out.allowedUnits = comparison.toUnits(index, reference.getTolerance(index));
        out.worstRow = row;
        out.worstColumn = column;
      }
      if (ok || out.failures++)
        continue;
      llvm::raw_string_ostream os(out.firstFailure);
      double exact = reference.getExact(index);
      os << "row " << row << ", column " << column << ": got " << llvm::format("%.9g", withoutSignOfNaN(actual))
         << ", expected " << llvm::format("%.9g", withoutSignOfNaN(exact));
      if (std::isfinite(exact))
        os << " within " << llvm::format("%.3g", reference.getTolerance(index));
    }
  }
  return out;
}
