//===- MatrixContraction.h - Contractions on tensor cores -----------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOGPU_MATRIXCONTRACTION_H
#define NAG_LIB_CONVERSION_ROWTOGPU_MATRIXCONTRACTION_H

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag::row {

/// The contraction of all rows of a block with a table of the same 16-bit type, by products of m16n8k16: components are
/// the rows of the first matrix, the block's rows the columns of the second. The order of sums, which depends on the
/// width alone (docs/design/schedules.md): a row is cut into segments, a segment into steps of 32 elements, which are
/// dealt out to virtual warps. A virtual warp adds up the products of its steps, and those sums segment by segment;
/// then virtual warps are folded.
///
/// The rows of the block go through shared memory, a segment at a time, because other threads have their elements than
/// multiply them.
class MatrixContraction {
public:
  /// Elements of a segment: what the threads of a streamed row walk over in one step.
  static constexpr int64_t kSegment = 8192;

  /// Shared memory: the segment of the block's rows, [rows][stride], and the sums of virtual warps, in bytes.
  static int64_t getRowStride(int64_t width);
  static int64_t getRowElements(int64_t width, ScheduleAttr schedule);
  static int64_t getSumWords(int64_t components, int64_t width, ScheduleAttr schedule);

  /// Reads 8 elements of a row of the table from element `first` on, zeros past its end.
  using TableLoad = llvm::function_ref<mlir::Value(mlir::Value tableRow, mlir::Value first)>;

  /// `thread` is the number of the thread within its row, `row` that of the row within the block, `lane` that of the
  /// thread within its warp; `rows` and `sums` are the shared memory.
  MatrixContraction(mlir::ImplicitLocOpBuilder &builder, ContractOp contraction, ScheduleAttr schedule,
                    mlir::Value thread, mlir::Value row, mlir::Value lane, mlir::Value rows, mlir::Value sums);

  /// Values that threads have between segments, zeros at first.
  llvm::SmallVector<mlir::Value> getInitialSums();

  /// Writes 8 elements of this thread's row at `position` in the segment, if they lie in a step of the row; they are
  /// zero past the end.
  void emitRowStore(mlir::Value elements, mlir::Value position, bool mayPassTheEnd);

  /// Multiplies the segment that begins at element `first`, null for a row of one segment, between two barriers, and
  /// adds to `sums`.
  void emitSegment(mlir::Value first, llvm::MutableArrayRef<mlir::Value> sums, TableLoad load);

  /// Folds the virtual warps. `component` is the number of a component of this thread's row; the caller asks for as
  /// many as it needs after `emitExchange`.
  void emitExchange(llvm::ArrayRef<mlir::Value> sums);
  mlir::Value emitSum(mlir::Value component);

private:
  /// A product of 16 components with up to 8 rows, over the steps of one virtual warp.
  struct Unit {
    mlir::Value number, virtualWarp, tile;
  };
  int64_t getNumUnits() const;
  Unit getUnit(int64_t i);
  /// Runs `body` where there is unit `i` of a warp; elsewhere the results are `otherwise`.
  llvm::SmallVector<mlir::Value> emitWhereUnit(int64_t i, mlir::ValueRange otherwise,
                                               llvm::function_ref<llvm::SmallVector<mlir::Value>(Unit)> body);
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
  int64_t width, components, tiles, rowsPerBlock, warps, virtualWarps, stepsPerSegment;
  mlir::Value thread, row, lane, warp, group, quad, rows, sums;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOGPU_MATRIXCONTRACTION_H
