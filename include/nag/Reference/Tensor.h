//===- Tensor.h - Exact values and how far a target may be from them ------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// What the reference evaluator computes with: exact values, and how far from them a target's values may be.

#ifndef NAG_REFERENCE_TENSOR_H
#define NAG_REFERENCE_TENSOR_H

#include "nag/Support/HostTensor.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <vector>

namespace mlir {
class Type;
} // namespace mlir

namespace nag {

/// The storage type of a builtin float type; none for others.
std::optional<ElementType> getElementType(mlir::Type type);

/// How far a target may be from the exact values of one row, or of one number of a token. With x exact, a result may
/// differ by
///   units * unit(type) * max(|x|, scale) + floor + carried,
/// of which `carried`, one number an element, comes from operands that are not exact themselves.
struct RowAllowance {
  /// The RMS of the exact row; 0 and 1 for numbers with a relative and an absolute bound.
  double scale = 0;
  /// What the target promises, in units in the last place of the storage type.
  double units = 0;
  /// Relative error before the one rounding at the store: what a later operation sees of the arithmetic.
  double arithmetic = 0;
  /// The same two of a row that is cancelled to nothing, absolute.
  double floor = 0, arithmeticFloor = 0;
  /// Rounding may decide what the row is (live or not): it is left out of comparisons.
  bool undecided = false;
};

/// A tensor of the evaluator. Either an argument, exact as stored, or the result of an operation: exact values of what
/// the operation makes of its stored operands, before they are rounded to the element type.
class ReferenceTensor {
public:
  ReferenceTensor() = default;
  /// An argument or a constant.
  explicit ReferenceTensor(std::shared_ptr<const HostTensor> stored);
  /// A result, to be filled row by row. `width` elements share an allowance.
  ReferenceTensor(ElementType type, llvm::ArrayRef<int64_t> shape, int64_t width);

  ElementType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getWidth() const { return width; }
  int64_t getNumRows() const { return rows; }
  int64_t getNumElements() const { return rows * width; }
  /// Whether values are known to be the same on every target.
  bool isExact() const { return bool(argument); }

  double getExact(int64_t index) const { return argument ? argument->get(index) : data->exact[size_t(index)]; }
  /// As the element type holds it: what the next operation reads.
  double getStored(int64_t index) const { return argument ? argument->get(index) : roundTo(type, getExact(index)); }
  /// How far a target's stored value may be from ours, given that both round.
  double getStoredError(int64_t index) const;
  /// How far a target's result may be from `getExact`.
  double getTolerance(int64_t index) const;
  RowAllowance getAllowance(int64_t row) const { return argument ? RowAllowance() : data->allowances[size_t(row)]; }
  bool isUndecided(int64_t row) const { return !argument && data->allowances[size_t(row)].undecided; }

  /// For the operation that makes this tensor; rows may be set by several threads.
  void setExact(int64_t index, double value) { data->exact[size_t(index)] = value; }
  void setCarried(int64_t index, double value) { data->carried[size_t(index)] = value; }
  void setAllowance(int64_t row, const RowAllowance &allowance) { data->allowances[size_t(row)] = allowance; }

private:
  struct Data {
    std::vector<double> exact, carried;
    std::vector<RowAllowance> allowances;
  };

  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  int64_t width = 1, rows = 0;
  std::shared_ptr<const HostTensor> argument;
  std::shared_ptr<Data> data;
};

/// The promise for a row of RMS `scale`, which numbers of RMS `source` were cancelled to make: k = source / scale. It
/// grows with k beyond a bound of the type, so that a row that is cancelled to zero may be off by a part of `source`.
RowAllowance getRowAllowance(ElementType type, double scale, double source);

} // namespace nag

#endif // NAG_REFERENCE_TENSOR_H
