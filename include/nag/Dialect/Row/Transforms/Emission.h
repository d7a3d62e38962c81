//===- Emission.h - What every target does alike when it emits a row program --------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_TRANSFORMS_EMISSION_H
#define NAG_DIALECT_ROW_TRANSFORMS_EMISSION_H

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag::row {

/// `value`, floats, in the element type `elementType`: widened exactly, rounded to nearest even, or its bits where that
/// is an integer. Scalars and vectors.
mlir::Value convertElements(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Type elementType);

/// The region of `map` on `inputs`, which are vectors of equally many elements; row scalars are looked up in `scalars`.
mlir::Value emitMap(mlir::ImplicitLocOpBuilder &b, MapOp map, mlir::ValueRange inputs, const mlir::IRMapping &scalars);

/// lhs and rhs combined as `kind` says, element by element.
mlir::Value emitCombine(mlir::ImplicitLocOpBuilder &b, ReduceKind kind, mlir::Value lhs, mlir::Value rhs);

/// Zeros of `type`, which are neutral for every kind of reduction.
mlir::Value emitZero(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

/// Folds a vector of 2^n elements to one, halves onto halves.
mlir::Value emitFold(mlir::ImplicitLocOpBuilder &b, ReduceKind kind, mlir::Value vector);

/// Reads a table or a token's number: `indices` are those of the token, or none for a table.
mlir::Value emitScalarLoad(mlir::ImplicitLocOpBuilder &b, LoadOp load, mlir::Value memref, mlir::ValueRange indices);

/// Stores a token's number.
void emitNumberStore(mlir::ImplicitLocOpBuilder &b, StoreOp store, mlir::Value value, mlir::Value memref,
                     mlir::ValueRange indices);

} // namespace nag::row

#endif // NAG_DIALECT_ROW_TRANSFORMS_EMISSION_H
