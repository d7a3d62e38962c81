//===- KernelPlan.h - A row program cut into rounds ---------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_TRANSFORMS_KERNELPLAN_H
#define NAG_DIALECT_ROW_TRANSFORMS_KERNELPLAN_H

#include "nag/Dialect/Row/IR/RowDialect.h"

namespace nag::row {

/// One sum, or maximum, over a row: of its elements, or of their products with another row or a row of a table.
struct Accumulation {
  ReduceKind kind;
  mlir::Value input;
  mlir::Value factor; ///< The other row vector, or null.
  mlir::Value table;  ///< The table, or null.
  int64_t tableRow = 0;

  /// The type that is added up in.
  mlir::Type type() const { return getSumType(mlir::cast<VecType>(input.getType()).getElementType()); }
};

/// One walk over the row. Reductions that do not wait for each other share a round.
struct Round {
  /// Row vectors that are needed in this round, operands before users.
  llvm::SmallVector<mlir::Operation *> vectors;
  llvm::SmallVector<ReduceOp> reductions;
  llvm::SmallVector<ContractOp> contractions;
  /// Rows are stored in the last round only, so that an output may be the buffer of an input.
  llvm::SmallVector<StoreOp> stores;
  /// Row scalars that are known once the reductions of this round are, operands before users.
  llvm::SmallVector<mlir::Operation *> scalars;

  /// Row vectors that are accumulated, contracted and stored.
  llvm::SmallVector<mlir::Value> getRoots();
};

/// Operands of `op`, and what its region takes from outside.
llvm::SmallVector<mlir::Value> getUsedValues(mlir::Operation *op);

/// What `reduce` accumulates, and each component of `contraction`.
Accumulation getAccumulation(ReduceOp reduce);
llvm::SmallVector<Accumulation> getAccumulations(ContractOp contraction);

/// What is computed when, for every target alike: first what is the same for all tokens, then what needs no walk over
/// the row, then round after round, then the numbers of the token are stored.
struct KernelPlan {
  explicit KernelPlan(KernelOp kernel);

  llvm::SmallVector<mlir::Operation *> uniform;
  llvm::SmallVector<mlir::Operation *> scalars;
  llvm::SmallVector<Round, 0> rounds;
  llvm::SmallVector<StoreOp> numberStores;

  /// The row vectors that `roots` are computed from and `roots` themselves, operands before users. What an operation is
  /// computed from is left out where `isKnown` says that its value is at hand.
  static llvm::SmallVector<mlir::Operation *> getVectorSlice(llvm::ArrayRef<mlir::Value> roots,
                                                             llvm::function_ref<bool(mlir::Operation *)> isKnown = {});
};

} // namespace nag::row

#endif // NAG_DIALECT_ROW_TRANSFORMS_KERNELPLAN_H
