//===- SharedMemory.h - What a block keeps in shared memory -----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// The sizes and layouts of a GPU block's shared memory: the cost model must know them before there is code, the emitter
// when it writes code.

#ifndef NAG_DIALECT_ROW_TRANSFORMS_SHAREDMEMORY_H
#define NAG_DIALECT_ROW_TRANSFORMS_SHAREDMEMORY_H

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/IR/BuiltinTypes.h"

namespace nag::row {

/// Elements of a row that are neighbours in one thread: the unit in which a row is dealt out.
inline constexpr int64_t kChunk = 8;

/// Bytes of the widest access to memory.
inline constexpr int64_t kWidestAccessBytes = 16;

/// The shape of contractions on tensor cores. A row is cut into segments, a segment into steps, which are dealt out to
/// virtual warps. This is the order of sums: changing it changes results.
struct MatrixShape {
  /// Elements of a segment: what the threads of a streamed row walk over in one step.
  static constexpr int64_t kSegment = 8192;
  static constexpr int64_t kStep = 32;

  int64_t width;

  int64_t getVirtualWarps() const;
  /// Elements from one row of the block in shared memory to the next.
  int64_t getRowStride() const;
  /// Words from one row's sums in shared memory to the next.
  static int64_t getSumStride(int64_t components);
};

/// A table of a contraction in shared memory. Its rows are chunks of 8 elements. Of elements that are wider than 16
/// bits a chunk takes several accesses: it lies in as many parts, such that what threads read at once is without gaps.
struct SharedTable {
  explicit SharedTable(TableType type);

  mlir::Type elementType;
  int64_t rows, width;

  int64_t getChunks() const;
  /// Elements of one access, and accesses of a chunk.
  int64_t getPieceElements() const;
  int64_t getParts() const { return kChunk / getPieceElements(); }
  /// Elements from one row to the next, an odd number of 64-byte pieces: whoever reads one place of neighbouring rows
  /// reads different banks.
  int64_t getRowStride() const;
  /// Elements from one part of a row to the next.
  int64_t getPartStride() const { return getChunks() * getPieceElements(); }
};

/// A buffer of one dimension.
struct SharedBuffer {
  int64_t elements;
  mlir::Type elementType;

  /// As a memref in workgroup memory; needs the gpu dialect.
  mlir::MemRefType getType() const;
};

/// The buffers of a block, in the order in which they lie.
struct SharedMemory {
  /// Values of one exchange at most.
  static constexpr int64_t kMostTotals = 8;

  SharedMemory(KernelOp kernel, ScheduleAttr schedule);

  /// Values that the threads of a row exchange behind one barrier.
  int64_t exchangeGroup;
  /// Words of a row that its threads exchange, in two buffers, and the totals behind them; none where a warp has the
  /// row to itself.
  int64_t exchangeWords;
  /// Words from the start of a row's part of the exchange to its totals.
  int64_t getTotalsOffset() const { return exchangeWords - kMostTotals; }
  /// Whether rows are contracted on tensor cores, through two buffers: elements of rows, then sums.
  bool hasMatrix;
  /// The kernel's arguments that are kept in shared memory.
  llvm::SmallVector<mlir::BlockArgument> tables;

  /// One buffer for the exchange, if any, two for matrices, if any, one for each table.
  llvm::SmallVector<SharedBuffer> buffers;

  /// Where each buffer begins, and after them the bytes of all.
  llvm::SmallVector<int64_t> getOffsets() const;
  int64_t getBytes() const { return getOffsets().back(); }
};

} // namespace nag::row

#endif // NAG_DIALECT_ROW_TRANSFORMS_SHAREDMEMORY_H
