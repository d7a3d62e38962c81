//===- Exchange.h - Sums over all threads of a row ------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOGPU_EXCHANGE_H
#define NAG_LIB_CONVERSION_ROWTOGPU_EXCHANGE_H

#include "nag/Dialect/Row/Transforms/KernelPlan.h"
#include "nag/Dialect/Row/Transforms/SharedMemory.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace nag::row {

/// Folds what the threads of a row have of several sums: strides of a warp and more through shared memory, those below
/// through shuffles. Either every warp reads what all warps wrote, and one barrier is enough; or, of several sums, each
/// warp takes some, folds them for all, and a second barrier follows, behind which all read the totals. The order is
/// the same.
class Exchange {
public:
  /// Where a thread is: its number within its row and within its warp, and its row's within the block.
  struct Place {
    mlir::Value thread, lane, blockRow;
  };

  /// `buffer` is the block's buffer of `layout`, null where a warp has a row to itself; `emitBarrier` lets the threads
  /// of a row wait for each other.
  Exchange(mlir::ImplicitLocOpBuilder &builder, ScheduleAttr schedule, const SharedMemory &layout, Place place,
           mlir::Value buffer, std::function<void()> emitBarrier)
      : b(builder), threads(schedule.getThreads()), rows(schedule.getRows()), layout(layout), place(place),
        buffer(buffer), emitBarrier(std::move(emitBarrier)) {}

  /// The totals, known to every thread.
  llvm::SmallVector<mlir::Value> emit(llvm::ArrayRef<Accumulation> accumulations, llvm::ArrayRef<mlir::Value> partials);

  /// The totals of up to `layout.exchangeGroup` sums in f32 where a thread needs some of them only: those are for
  /// `use` to take, with a function that gives the total at a position.
  void emitSums(llvm::ArrayRef<mlir::Value> partials,
                llvm::function_ref<void(llvm::function_ref<mlir::Value(mlir::Value position)>)> use);

  /// Whether these are sums that `emitSums` can take, and fewer instructions where a warp folds each for all.
  bool prefersSums(llvm::ArrayRef<Accumulation> accumulations) const;

  /// To be called where everything begins again: who does so must not write what others still read.
  void emitBeginAgain();

private:
  mlir::Value index(int64_t value);
  /// `offset` + `position` in the row's part of the buffer.
  mlir::Value at(int64_t offset, mlir::Value position);
  mlir::Value toWord(mlir::Value value);
  mlir::Value fromWord(mlir::Value word, mlir::Type type);
  void emitStores(llvm::ArrayRef<mlir::Value> partials);
  /// What all warps wrote of sum number `sum`, an index, folded over warps and then over lanes.
  mlir::Value emitFoldOfWarps(ReduceKind kind, mlir::Type type, mlir::Value sum);
  mlir::Value emitFoldOfLanes(ReduceKind kind, mlir::Value value);
  void emitTotals(llvm::ArrayRef<mlir::Value> partials);
  void emitLoadsOfTotals(size_t count, llvm::SmallVectorImpl<mlir::Value> &totals);

  mlir::ImplicitLocOpBuilder &b;
  int64_t threads, rows;
  const SharedMemory &layout;
  Place place;
  mlir::Value buffer;
  std::function<void()> emitBarrier;
  /// Two buffers for words of threads take turns: who writes one again has passed the barrier of the other, behind
  /// which nobody reads the first.
  int64_t turn = 0;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOGPU_EXCHANGE_H
