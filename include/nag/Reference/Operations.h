//===- Operations.h - Exact evaluation of one operation -------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Evaluates one operation on exact operands: what the reference knows of `nag` operations and of the element-wise ones
// between them.

#ifndef NAG_REFERENCE_OPERATIONS_H
#define NAG_REFERENCE_OPERATIONS_H

#include "nag/Reference/Tensor.h"

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class Operation;
class Value;
} // namespace mlir

namespace nag {

/// The tensor that an operand stands for.
using OperandLookup = llvm::function_ref<const ReferenceTensor &(mlir::Value)>;

/// Appends a tensor for each result. What cannot be evaluated is an error at the operation.
mlir::LogicalResult evaluateOperation(mlir::Operation *op, OperandLookup operands,
                                      llvm::SmallVectorImpl<ReferenceTensor> &results);

/// The part of it that evaluates `nag` operations.
mlir::LogicalResult evaluateNagOperation(mlir::Operation *op, OperandLookup operands,
                                         llvm::SmallVectorImpl<ReferenceTensor> &results);

/// The part of it that evaluates element-wise operations on tensors, and whether `op` is one.
mlir::LogicalResult evaluateElementwise(mlir::Operation *op, OperandLookup operands,
                                        llvm::SmallVectorImpl<ReferenceTensor> &results);
bool isReferenceElementwise(mlir::Operation *op);

/// Fails where a tensor of this shape cannot be a value of `type`.
bool isCompatibleShape(mlir::Type type, llvm::ArrayRef<int64_t> shape);

} // namespace nag

#endif // NAG_REFERENCE_OPERATIONS_H
