//===- TableCopy.h - A table in the shared memory of a block --------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOGPU_TABLECOPY_H
#define NAG_LIB_CONVERSION_ROWTOGPU_TABLECOPY_H

#include "ChunkAccess.h"

namespace nag::row {

/// A table as a block keeps it in shared memory, in the layout of SharedTable.
class TableCopy {
public:
  /// `shared` is the buffer.
  TableCopy(mlir::ImplicitLocOpBuilder &builder, TableType type, mlir::Value shared)
      : b(builder), layout(type), shared(shared) {}

  /// Begins to copy the table from `source`, by the threads of the block, of which there are `threads` and this is
  /// number `thread`. Elements between the end of a row and the end of its last chunk are zeros.
  void emitStart(mlir::Value source, mlir::Value thread, int64_t threads, ChunkAccess &access);

  /// Waits for what all copies of this thread have begun. Other threads' parts are there behind a barrier.
  static void emitWait(mlir::ImplicitLocOpBuilder &builder);

  /// Reads a chunk of row `tableRow`; past the end of the row the last chunk once more.
  mlir::Value emitLoad(mlir::Value tableRow, const Chunk &chunk);

private:
  mlir::Value index(int64_t value);

  mlir::ImplicitLocOpBuilder &b;
  SharedTable layout;
  mlir::Value shared;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOGPU_TABLECOPY_H
