//===- ChunkAccess.h - Chunks of rows in memory ---------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOGPU_CHUNKACCESS_H
#define NAG_LIB_CONVERSION_ROWTOGPU_CHUNKACCESS_H

#include "nag/Dialect/Row/Transforms/SharedMemory.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag::row {

/// The most elements that one access may take of rows of `width` elements without straying over their end.
int64_t getWidestAccess(int64_t width);

/// The alignment, in bytes, that accesses of `elements` elements of `type` ask for: 128 bits at the most.
int64_t getAccessAlignment(int64_t elements, mlir::Type type);

/// The chunk of a row that a thread has at hand.
struct Chunk {
  mlir::Value first;  ///< Index of its first element.
  bool mayPassTheEnd; ///< Whether it can lie past the end of the row, in part or wholly.
};

/// Reads and writes chunks of rows of `width` elements, with accesses of up to `access` elements.
class ChunkAccess {
public:
  ChunkAccess(mlir::ImplicitLocOpBuilder &builder, int64_t width, int64_t access)
      : b(builder), width(width), access(access) {}

  /// Elements that one access of `type` takes: as many as the row allows, and 128 bits at the most.
  int64_t getAccessElements(mlir::Type type) const;

  /// Past the end of the row the last elements are read once more, instead of a branch; they are masked where it
  /// matters. `leading` are the indices of the row in `memref`.
  mlir::Value load(mlir::Value memref, mlir::ValueRange leading, const Chunk &chunk);

  /// Nothing is written past the end of the row.
  void store(mlir::Value value, mlir::Value memref, mlir::ValueRange leading, const Chunk &chunk);

  /// `value` with zeros for elements past the row: they must not join a sum, whatever a map made of them.
  mlir::Value mask(mlir::Value value, const Chunk &chunk);

private:
  mlir::Value index(int64_t value);
  mlir::Value at(int64_t offset, mlir::Value position);

  mlir::ImplicitLocOpBuilder &b;
  int64_t width, access;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOGPU_CHUNKACCESS_H
