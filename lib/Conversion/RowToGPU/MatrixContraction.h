//===- MatrixContraction.h - Contractions on tensor cores -----------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOGPU_MATRIXCONTRACTION_H
#define NAG_LIB_CONVERSION_ROWTOGPU_MATRIXCONTRACTION_H

#include "nag/Dialect/Row/Transforms/SharedMemory.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag::row {

/// The contraction of all rows of a block with a table of the same 16-bit type, by products of m16n8k16: components are
/// the rows of the first matrix, the block's rows the columns of the second. The order of sums, which depends on the
/// width alone (MatrixShape): a row is cut into segments, a segment into steps of 32 elements, which are dealt out to
/// virtual warps. A virtual warp adds up the products of its steps, and those sums segment by segment;
/// then virtual warps are folded.
///
/// The rows of the block go through shared memory, a segment at a time, because other threads have their elements than
/// multiply them.
class MatrixContraction {
public:
  /// Reads 8 elements of a row of the table from element `first` on, zeros past its end.
  using TableLoad = llvm::function_ref<mlir::Value(mlir::Value tableRow, mlir::Value first)>;

  /// `thread` is the number of the thread within its row, `row` that of the row within the block, `lane` that of the
  /// thread within its warp; `rows` and `sums` are the shared memory.
  MatrixContraction(mlir::ImplicitLocOpBuilder &builder, ContractOp contraction, ScheduleAttr schedule,
                    mlir::Value thread, mlir::Value row, mlir::Value lane, mlir::Value rows, mlir::Value sums);

  /// Sets the sums to zero, to which segments are added; needless for a row of one.
  void emitInitialSums();

  /// Writes 8 elements of this thread's row at `position` in the segment, if they lie in a step of the row; they are
  /// zero past the end.
  void emitRowStore(mlir::Value elements, mlir::Value position, bool mayPassTheEnd);

  /// Multiplies the segment that begins at element `first`, null for a row of one segment, between two barriers.
  void emitSegment(mlir::Value first, TableLoad load);

  /// The sum of all virtual warps for a component, which may be past the last one, of this thread's row.
  mlir::Value emitSum(mlir::Value component);

private:
  /// A product of 16 components with up to 8 rows, over the steps of one virtual warp.
  struct Unit {
    mlir::Value virtualWarp, tile;
  };
  /// Runs `body` for the units of this warp.
  void forEachUnit(llvm::function_ref<void(Unit)> body);
  /// Stores what this lane has of the sums of a unit, or adds it to them: they are no other lane's.
  void emitSumStores(const Unit &unit, llvm::ArrayRef<mlir::Value> values, bool adds);
  llvm::SmallVector<mlir::Value> emitUnit(const Unit &unit, mlir::Value first, TableLoad load);
  /// Two products, over 16 of the 32 elements of a step each, added to `sums`.
  llvm::SmallVector<mlir::Value> emitStep(mlir::Value step, mlir::ValueRange tableRows, mlir::Value first,
                                          mlir::ValueRange sums, TableLoad load);
  llvm::SmallVector<mlir::Value> emitProduct(mlir::ValueRange a, mlir::ValueRange b);
  llvm::SmallVector<mlir::Value> getHalves(mlir::Value elements);
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value value, int64_t offset);
  mlir::Value scale(mlir::Value value, int64_t factor);
  mlir::Value getSumPosition(mlir::Value virtualWarp, mlir::Value blockRow, mlir::Value component);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type type;
  int64_t width, components, tiles, rowsPerBlock, warps, virtualWarps, rowStride, stepsPerSegment;
  mlir::Value thread, row, lane, warp, group, quad, rows, sums;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOGPU_MATRIXCONTRACTION_H
