//===- Compare.h - A target's result against the reference ----------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compares what a target computed with the exact values, by the promises of accuracy.

#ifndef NAG_REFERENCE_COMPARE_H
#define NAG_REFERENCE_COMPARE_H

#include "nag/Reference/Tensor.h"

#include <string>

namespace nag {

struct Comparison {
  /// Rows that were compared, and rows left out because rounding may decide whether they are live.
  int64_t compared = 0, leftOut = 0;
  /// The largest absolute error, and the largest in units of 2^(1-p) max(|x|, rms of the exact row).
  double largestError = 0, largestUnits = 0;
  /// What the element with the largest error in units was allowed, in units.
  double allowedUnits = 0;
  /// Its position.
  int64_t worstRow = -1, worstColumn = -1;
  /// Elements beyond what they are allowed, and the first of them in words.
  int64_t failures = 0;
  std::string firstFailure;

  bool passed() const { return failures == 0; }
};

/// `result` has the type and shape of `reference`. What is not finite must be the same: a NaN for a NaN, an infinity
/// for the same infinity; but in a row whose exact values hold a NaN, other elements may be anything, since a target
/// may see the NaN earlier or later.
Comparison compare(const ReferenceTensor &reference, const HostTensor &result);

} // namespace nag

#endif // NAG_REFERENCE_COMPARE_H
