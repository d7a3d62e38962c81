//===- ProgramPieces.h - A row program in the order in which it is emitted ------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOCPU_PROGRAMPIECES_H
#define NAG_LIB_CONVERSION_ROWTOCPU_PROGRAMPIECES_H

#include "nag/Dialect/Row/Transforms/KernelPlan.h"

namespace nag::row {

/// A piece of the program, for all tokens of a group.
struct Piece {
  enum Kind {
    Scalars,      ///< Computes `ops`.
    Versions,     ///< Goes on in two versions: where `ops`, which expect a number, all have it, and where not.
    Contractions, ///< Contracts with the tables that tokens share.
    Round,        ///< Walks over the row.
    NumberStores
  };
  Kind kind;
  size_t round = 0;
  llvm::SmallVector<mlir::Operation *> ops = {};
};

/// Whether tokens share the walk over the table: where its products are so cheap that loading it would take longer.
bool sharesTable(ContractOp contraction);

/// The whole program. What tokens share comes first in its round, so that all walks after it find the row in the
/// nearest cache.
llvm::SmallVector<Piece> getPieces(KernelPlan &plan);

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOCPU_PROGRAMPIECES_H
