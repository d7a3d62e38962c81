//===- Evaluator.h - Exact evaluation of functions of nag operations ------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The judge of every target: evaluates a function of `nag` operations directly from the equations, in double precision
// and more, sharing nothing with the lowerings.

#ifndef NAG_REFERENCE_EVALUATOR_H
#define NAG_REFERENCE_EVALUATOR_H

#include "nag/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nag {

/// Evaluates `function` for these arguments: the results, with how far a target may be from them. What the reference
/// does not know, or shapes that do not fit, is one error at the operation.
mlir::FailureOr<llvm::SmallVector<ReferenceTensor>> evaluateReference(mlir::func::FuncOp function,
                                                                      llvm::ArrayRef<ReferenceTensor> arguments);

/// The shapes of the results for arguments of these shapes, where they follow from operations that the reference knows.
mlir::FailureOr<llvm::SmallVector<llvm::SmallVector<int64_t>>>
inferResultShapes(mlir::func::FuncOp function, llvm::ArrayRef<llvm::SmallVector<int64_t>> arguments);

} // namespace nag

#endif // NAG_REFERENCE_EVALUATOR_H
