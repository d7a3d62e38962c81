//===- RowProgram.h - The formulas of a NAG sub-layer as pieces of row programs -----------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_NAGTOROW_ROWPROGRAM_H
#define NAG_LIB_CONVERSION_NAGTOROW_ROWPROGRAM_H

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag {

/// A row scaled by an exact power of two, so that its squares stay in range.
struct ScaledRow {
  mlir::Value row;    ///< The row times 2^-e.
  mlir::Value narrow; ///< The same in the 16 bits that it is stored in, or null: sums of products are cheaper of them.
  mlir::Value exponent; ///< e + bias, an integer, in [1, 2 bias - 1] so that 2^e and 2^-e are both normal.
  mlir::Value scale;    ///< 2^e.

  /// What to take sums of.
  mlir::Value summands() const { return narrow ? narrow : row; }
};

/// A row scaled to `scaled`, and what is known of it once it is measured.
struct MeasuredRow {
  ScaledRow scaled;
  mlir::Value isZero;     ///< Whether all elements are zero.
  mlir::Value squares;    ///< The sum of squares of the scaled row.
  mlir::Value rms;        ///< RMS of the scaled row.
  mlir::Value inverseRms; ///< 1 / rms, and 0 for a zero row.
};

/// The mean of a row as a sum of two numbers, the second far below the first; or as one number, without the second.
struct Mean {
  mlir::Value high;
  mlir::Value low;
};

/// What a branch output has left orthogonal to a direction, on its way to a unit row.
struct OrthogonalRow {
  mlir::Value row;        ///< P, in the scale that it was formed in.
  mlir::Value inverseRms; ///< 1 / rms(P), and 0 in a row that is not live: `row` times this is u.
  mlir::Value isLive;
};

/// Writes the program of one token, in the arithmetic type of its rows. Each formula of the sub-layer stands here once;
/// operations are put together from them.
class RowProgram {
public:
  /// Rows are computed in the type `arithmetic`.
  RowProgram(mlir::ImplicitLocOpBuilder &builder, mlir::FloatType arithmetic, int64_t width, bool isFine)
      : b(builder), type(arithmetic), width(width), isFine(isFine) {}

  mlir::ImplicitLocOpBuilder &b;
  mlir::FloatType type;
  int64_t width;
  /// Whether results keep all digits of the arithmetic, so that P has to be right beyond the rounding of f_c and c D.
  bool isFine;

  //===----------------------------------------------------------------------------------------------===//
  // Vocabulary
  //===----------------------------------------------------------------------------------------------===//

  using MapFn = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

  mlir::Value constant(double value);
  mlir::Value load(mlir::Value reference);
  void store(mlir::Value value, mlir::Value reference);
  mlir::Value map(mlir::ValueRange rows, MapFn body) { return map(type, rows, body); }
  mlir::Value map(mlir::Type elementType, mlir::ValueRange rows, MapFn body);
  /// row * factor, element by element.
  mlir::Value times(mlir::Value row, mlir::Value factor);
  /// row + factor * other, element by element, rounded once.
  mlir::Value plusTimes(mlir::Value row, mlir::Value factor, mlir::Value other);
  /// `row` in 16 bits, which hold it.
  mlir::Value narrow(mlir::Value row, mlir::Type storage);
  mlir::Value sum(mlir::Value row);
  /// The sum of products of two rows.
  mlir::Value dot(mlir::Value lhs, mlir::Value rhs);
  mlir::Value dot(const ScaledRow &lhs, const ScaledRow &rhs);
  /// total / d.
  mlir::Value perElement(mlir::Value total);
  /// 1 / value, and 0 where `isZero`.
  mlir::Value inverseUnless(mlir::Value isZero, mlir::Value value);
  mlir::Value isZero(mlir::Value scalar);
  mlir::Value isNot(mlir::Value condition);
  /// `value`, and 0 where `tested` is infinite or a NaN; numbers or vectors of them.
  mlir::Value zeroUnlessFinite(mlir::Value value, mlir::Value tested);

  //===----------------------------------------------------------------------------------------------===//
  // Formulas
  //===----------------------------------------------------------------------------------------------===//

  /// Reads, scales and measures the row that `reference` stands for. Rows of 16-bit elements and ordinary magnitude stay
  /// as they are, unless they are `always` to be near 1.
  ScaledRow scale(mlir::Value reference, bool always = false);
  MeasuredRow measure(mlir::Value reference);

  /// log rms(R), and -inf for a zero row (eq. 3).
  mlir::Value logNorm(const MeasuredRow &row);

  /// f_c - (<f_c, D> / <D, D>) D with f_c = f - mean(f), in the scale of `branch` (eq. 10-11).
  mlir::Value centerAndOrthogonalize(const ScaledRow &branch, const MeasuredRow &stream);
  /// The part of `row` orthogonal to `stream`.
  mlir::Value orthogonalize(mlir::Value row, const MeasuredRow &stream);
  mlir::Value center(const ScaledRow &row);
  /// The mean of a row; where `isFine`, as far right as if it were summed in twice the digits.
  Mean mean(const ScaledRow &row);

  /// 2^(e of lhs - e of rhs), of rows that are always scaled, held to where a guard no longer depends on it.
  mlir::Value powerOfTwoRatio(const ScaledRow &lhs, const ScaledRow &rhs);

  /// u and the guard of live rows, rms(P) <= tol rms(f) (eq. 12). Where `row` and the branch are in different scales,
  /// `rmsRatio` takes an RMS from the first to the second.
  OrthogonalRow normalize(mlir::Value row, mlir::Value branchSquares, double tol, mlir::Value streamIsZero,
                          mlir::Value rmsRatio = {});

  /// (sum_i p_i sigmoid(<D, w_i> + b_i))^beta with p = softmax(logits) (eq. 13).
  mlir::Value modulate(const MeasuredRow &stream, mlir::Value beta, mlir::Value w, mlir::Value b, mlir::Value logits);

  /// alpha m, and 0 in a row that is not live. No modulator is 1.
  mlir::Value amount(mlir::Value alpha, mlir::Value modulator, mlir::Value isLive);

  /// R + rms(R) a u (eq. 14), and R itself in a row that is not live.
  mlir::Value rotateResidual(mlir::Value stream, const MeasuredRow &measured, const OrthogonalRow &unit,
                             mlir::Value amount);

  /// (D + a u) / sqrt(1 + a^2) (eq. 16). A row that is not live is D renormalised, or D bit for bit where its RMS is
  /// within what storing it in `storage` can do to a direction.
  mlir::Value rotateDirection(mlir::Value stream, const MeasuredRow &measured, const OrthogonalRow &unit,
                              mlir::Value amount, mlir::Type storage);

  /// s + log1p(a^2) / 2 (eq. 17).
  mlir::Value rotateLogNorm(mlir::Value logNorm, mlir::Value amount);

private:
  /// <row, stream> / <stream, stream>, from the former.
  mlir::Value share(mlir::Value dot, const MeasuredRow &stream);

  /// Takes out what rounding of a first projection left along `stream`.
  mlir::Value refine(mlir::Value row, const MeasuredRow &stream);

  /// |a| or 1 / |a|, whichever is at most 1, and whether it is the latter.
  std::pair<mlir::Value, mlir::Value> fold(mlir::Value amount);
};

} // namespace nag

#endif // NAG_LIB_CONVERSION_NAGTOROW_ROWPROGRAM_H
