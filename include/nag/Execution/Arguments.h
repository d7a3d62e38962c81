//===- Arguments.h - What the arguments of an entry are, and their values -------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Finds out what an argument stands for in a sub-layer, and makes values of that kind.

#ifndef NAG_EXECUTION_ARGUMENTS_H
#define NAG_EXECUTION_ARGUMENTS_H

#include "nag/Support/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace nag {

/// What `nag` operations use an argument for.
enum class Role { Other, Stream, Direction, LogNorm, Branch, Unit, Modulator, Alpha, Beta, W, Bias, Logits };

/// The role of a value by the first `nag` operation that uses it, through casts and calls.
Role findRole(mlir::Value value);
/// Whether the role is one row of features for each token.
bool isRows(Role role);
/// Whether a returned value is.
bool isRowResult(mlir::Value value);
llvm::StringRef getName(Role role);

/// How a random argument is distributed.
struct Distribution {
  enum Kind { Normal, Uniform, Constant } kind = Normal;
  /// Normal: the standard deviation. Constant: the value. Uniform: the bounds.
  double first = 1, second = 0;
  /// Each row is then divided by its RMS.
  bool normalized = false;

  /// What suits a role: alpha = 0.7, beta = 0.5, w ~ N(0, 0.02), m uniform, directions and unit rows of RMS 1, all else
  /// ~ N(0, 1).
  static Distribution of(Role role);
  /// "normal", "normal:SCALE", "uniform:LOW:HIGH" or "constant:VALUE".
  static std::optional<Distribution> parse(llvm::StringRef text);
};

/// Fills a tensor, the same values for the same seed and argument whatever the layout; rows do not depend on their
/// number.
void fillRandom(HostTensor &tensor, const Distribution &distribution, uint64_t seed, uint64_t argument);

} // namespace nag

#endif // NAG_EXECUTION_ARGUMENTS_H
