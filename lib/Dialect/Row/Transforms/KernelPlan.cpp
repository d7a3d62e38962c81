//===- KernelPlan.cpp - A row program cut into rounds -------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/Transforms/KernelPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace nag::row;

SmallVector<Value> nag::row::getUsedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (auto map = dyn_cast<MapOp>(op))
    map.getBody().walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (operand.getParentRegion() != &map.getBody())
          values.push_back(operand);
    });
  return values;
}

static bool isVector(Value value) { return isa<VecType>(value.getType()); }

SmallVector<Value> Round::getRoots() {
  SmallVector<Value> roots;
  for (ReduceOp reduce : reductions)
    llvm::append_range(roots, reduce->getOperands());
  for (ContractOp contraction : contractions)
    roots.push_back(contraction.getInput());
  for (StoreOp store : stores)
    roots.push_back(store.getValue());
  return roots;
}

Accumulation nag::row::getAccumulation(ReduceOp reduce) {
  return {reduce.getKind(), reduce.getInput(), reduce.getFactor(), /*table=*/{}};
}

SmallVector<Accumulation> nag::row::getAccumulations(ContractOp contraction) {
  SmallVector<Accumulation> result;
  for (int64_t i = 0; i < contraction.getType().getDimSize(0); ++i)
    result.push_back({ReduceKind::Add, contraction.getInput(), /*factor=*/{}, contraction.getTable(), i});
  return result;
}

SmallVector<Operation *> KernelPlan::getVectorSlice(ArrayRef<Value> roots, function_ref<bool(Operation *)> isKnown) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> worklist(roots);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isVector(value) || !seen.insert(value.getDefiningOp()).second)
      continue;
    if (!isKnown || !isKnown(value.getDefiningOp()))
      llvm::append_range(worklist, value.getDefiningOp()->getOperands());
  }
  SmallVector<Operation *> slice(seen.begin(), seen.end());
  llvm::sort(slice, [](Operation *lhs, Operation *rhs) { return lhs->isBeforeInBlock(rhs); });
  return slice;
}

KernelPlan::KernelPlan(KernelOp kernel) {
  // The level of a value is the number of rounds that must be over before it is known; -1 for what all tokens share.
  llvm::DenseMap<Value, int64_t> levels;
  auto levelOf = [&](Value value) -> int64_t {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isa<TableType>(argument.getType()) ? -1 : 0;
    return levels.lookup(value);
  };

  auto roundAt = [&](int64_t level) -> Round & {
    if (static_cast<int64_t>(rounds.size()) <= level)
      rounds.resize(level + 1);
    return rounds[level];
  };

  SmallVector<StoreOp> rowStores;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    int64_t level = -1;
    for (Value value : getUsedValues(&op))
      level = std::max(level, levelOf(value));

    if (auto store = dyn_cast<StoreOp>(op)) {
      if (isVector(store.getValue()))
        rowStores.push_back(store);
      else
        numberStores.push_back(store);
      continue;
    }
    if (isa<ReduceOp, ContractOp>(op)) {
      Round &round = roundAt(level);
      if (auto reduce = dyn_cast<ReduceOp>(op))
        round.reductions.push_back(reduce);
      else
        round.contractions.push_back(cast<ContractOp>(op));
      ++level;
    }
    for (Value result : op.getResults())
      levels[result] = level;
    if (isa<ReduceOp, ContractOp>(op) || llvm::any_of(op.getResults(), isVector))
      continue;
    if (level < 0)
      uniform.push_back(&op);
    else if (level == 0)
      scalars.push_back(&op);
    else
      roundAt(level - 1).scalars.push_back(&op);
  }

  if (!rowStores.empty()) {
    int64_t last = static_cast<int64_t>(rounds.size()) - 1;
    for (StoreOp store : rowStores)
      last = std::max(last, levelOf(store.getValue()));
    roundAt(last).stores = rowStores;
  }
  for (Round &round : rounds)
    round.vectors = getVectorSlice(round.getRoots());
}
