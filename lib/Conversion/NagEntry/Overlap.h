//===- Overlap.h - Code that tells whether buffers share bytes ------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Emits the comparison of two strided buffers by which an entry refuses destinations that overlap.

#ifndef NAG_LIB_CONVERSION_NAGENTRY_OVERLAP_H
#define NAG_LIB_CONVERSION_NAGENTRY_OVERLAP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace nag {

/// The bytes of a buffer as rows: `count` blocks of `width` bytes, the first at the address `first`, their starts
/// `stride` bytes apart. Blocks do not overlap, and do not touch. No rows where the buffer is empty.
struct ByteRows {
  mlir::Value first, count, stride, width;
};

/// Emits comparisons; what they have in common are two functions of the module, made when they are first needed.
class OverlapEmitter {
public:
  explicit OverlapEmitter(mlir::SymbolTable &symbols) : symbols(symbols) {}

  /// Dimensions are joined from the last to the first, as long as they make rows of one stride. One that does not is
  /// taken for its first index alone: fewer bytes than the buffer has, never other ones.
  ByteRows emitRows(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);

  /// One block of `width` bytes, which may be 0.
  ByteRows emitBlock(mlir::ImplicitLocOpBuilder &b, mlir::Value first, mlir::Value width);

  /// Whether the two share a byte. Takes a few operations, and a loop over the rows of one of them only where both have
  /// gaps, different strides, and addresses between each other's.
  mlir::Value emitOverlap(mlir::ImplicitLocOpBuilder &b, const ByteRows &lhs, const ByteRows &rhs);

  /// Whether the two have the same elements in the same places: first address, sizes, and strides of dimensions that
  /// have more than one index. They have the same element type and rank.
  static mlir::Value emitIsSame(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);

private:
  mlir::func::FuncOp getAddDimension(mlir::ImplicitLocOpBuilder &b);
  mlir::func::FuncOp getOverlap(mlir::ImplicitLocOpBuilder &b);
  mlir::func::FuncOp createFunction(mlir::ImplicitLocOpBuilder &b, mlir::StringRef name, unsigned numArguments,
                                    mlir::TypeRange results);

  mlir::SymbolTable &symbols;
  mlir::func::FuncOp addDimension, overlap;
};

} // namespace nag

#endif // NAG_LIB_CONVERSION_NAGENTRY_OVERLAP_H
