//===- SpreadVectors.h - Short vectors spread over the lanes of a warp ----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOGPU_SPREADVECTORS_H
#define NAG_LIB_CONVERSION_ROWTOGPU_SPREADVECTORS_H

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag::row {

/// Emits code on the short vectors of a row program, such as one element for each gate of a modulator. Every thread
/// having all elements would evaluate each function as often as there are gates and hold them all in registers. Here
/// lane l of a warp has elements l, l + P, ... of a vector, as a vector of these, with P the smallest power of two that
/// is not below the number of elements, and 32 at the most; lanes P apart have the same.
class SpreadVectors {
public:
  /// `lane` is the number of the thread within its warp, an index.
  SpreadVectors(mlir::ImplicitLocOpBuilder &builder, mlir::Value lane) : b(builder), lane(lane) {}

  /// Whether `op` has a vector, and is to be emitted here.
  static bool handles(mlir::Operation *op);

  /// Whether all operations on vectors of `kernel` can be spread; says which cannot.
  static llvm::LogicalResult verify(KernelOp kernel);

  /// Emits `op`, whose operands `values` has, and maps its result.
  void emit(mlir::Operation *op, mlir::IRMapping &values);

  /// Emits the load of a table, `memref`.
  void emitLoad(LoadOp load, mlir::Value memref, mlir::IRMapping &values);

  /// A vector of type `type` in the making: `vector`, null at first, with `element`, which every lane has, at
  /// `position`. Elements come in ascending order.
  mlir::Value insert(mlir::Value vector, mlir::VectorType type, mlir::Value element, int64_t position);

  /// A vector of type `type` whose element at a position, which may be past its end, `element` gives.
  mlir::Value generate(mlir::VectorType type, llvm::function_ref<mlir::Value(mlir::Value position)> element);

private:
  /// Lanes with different elements.
  static int64_t getPeriod(int64_t size);
  /// A vector of `type` as one lane has it.
  static mlir::VectorType getPart(mlir::VectorType type);

  mlir::Value constant(int64_t value);
  mlir::Value positionInPeriod(int64_t period);
  void emitConstant(mlir::Operation *op, mlir::IRMapping &values);
  void emitReduction(mlir::Operation *op, mlir::IRMapping &values);
  void emitExtract(mlir::Operation *op, mlir::IRMapping &values);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value lane;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOGPU_SPREADVECTORS_H
