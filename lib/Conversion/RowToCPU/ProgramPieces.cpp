//===- ProgramPieces.cpp - A row program in the order in which it is emitted ----------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "ProgramPieces.h"
#include "RowWalk.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace nag::row;

bool nag::row::sharesTable(ContractOp contraction) {
  return getSummandType(getAccumulations(contraction).front()).isBF16();
}

SmallVector<Piece> nag::row::getPieces(KernelPlan &plan) {
  SmallVector<Piece> result;
  auto addScalars = [&](ArrayRef<Operation *> ops) {
    if (!ops.empty())
      result.push_back({Piece::Scalars, 0, llvm::to_vector(ops)});
  };
  addScalars(plan.scalars);
  for (auto [number, round] : llvm::enumerate(plan.rounds)) {
    if (llvm::any_of(round.contractions, sharesTable))
      result.push_back({Piece::Contractions, number});
    result.push_back({Piece::Round, number});
    // What a version is chosen by comes before the choice, all else after it, where the version may simplify it.
    SmallVector<Operation *> expects, before, after;
    llvm::copy_if(round.scalars, std::back_inserter(expects), llvm::IsaPred<ExpectOp>);
    llvm::DenseSet<Operation *> needed(expects.begin(), expects.end());
    for (Operation *op : llvm::reverse(round.scalars))
      if (needed.contains(op))
        for (Value operand : op->getOperands())
          if (Operation *definition = operand.getDefiningOp())
            needed.insert(definition);
    for (Operation *op : round.scalars)
      (needed.contains(op) ? before : after).push_back(op);
    addScalars(before);
    if (!expects.empty())
      result.push_back({Piece::Versions, number, expects});
    addScalars(after);
  }
  if (!plan.numberStores.empty())
    result.push_back({Piece::NumberStores});
  return result;
}
