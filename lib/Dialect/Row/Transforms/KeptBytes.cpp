//===- KeptBytes.cpp - What a row program holds between its rounds ------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KeptBytes.h"

#include "nag/Dialect/Row/Transforms/KernelPlan.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace nag::row;

namespace {

/// From the round that first needs a row vector to the last one that takes it as it is.
struct Span {
  size_t first;
  size_t last;
};

/// What is held across one cut between rounds. A row that is loaded in several types is held once.
class Held {
public:
  explicit Held(KernelOp kernel) : kernel(kernel) {}

  void add(Operation *op) { held.insert({keyOf(op), bytesOf(op)}); }

  /// Holds the operands of `op` in its place where that takes no more.
  void replaceByOperands(Operation *op) {
    if (isa<LoadOp>(op) || !held.contains(op))
      return;
    llvm::SmallMapVector<const void *, int64_t, 4> missing;
    int64_t bytes = 0;
    for (Value input : op->getOperands())
      if (const void *key = keyOf(input.getDefiningOp());
          !held.contains(key) && missing.insert({key, bytesOf(input.getDefiningOp())}).second)
        bytes += bytesOf(input.getDefiningOp());
    if (bytes > bytesOf(op))
      return;
    held.erase(op);
    held.insert(missing.begin(), missing.end());
  }

  int64_t getBytes() const {
    int64_t bytes = 0;
    for (auto &[key, size] : held)
      bytes += size;
    return bytes;
  }

private:
  const void *keyOf(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return kernel.getOperandOf(cast<BlockArgument>(load.getSource())).getAsOpaquePointer();
    return op;
  }

  /// Rows are held as they are computed with, bits as what they are bits of.
  static int64_t bytesOf(Operation *op) {
    Type element = cast<VecType>(op->getResult(0).getType()).getElementType();
    if (auto load = dyn_cast<LoadOp>(op); load && element.isInteger())
      element = cast<RowType>(load.getSource().getType()).getElementType();
    return getSumType(element).getIntOrFloatBitWidth() / 8;
  }

  KernelOp kernel;
  llvm::DenseMap<const void *, int64_t> held;
};

} // namespace

/// Vectors in the order of the program.
static SmallVector<std::pair<Operation *, Span>> computeSpans(KernelPlan &plan) {
  llvm::DenseMap<Operation *, Span> spans;
  for (auto [index, round] : llvm::enumerate(plan.rounds)) {
    auto isKnown = [&](Operation *op) { return spans.contains(op); };
    SmallVector<Operation *> slice = KernelPlan::getVectorSlice(round.getRoots(), isKnown);
    for (Operation *op : slice)
      spans.try_emplace(op, Span{index, index}).first->second.last = index;
  }
  SmallVector<std::pair<Operation *, Span>> ordered(spans.begin(), spans.end());
  llvm::sort(ordered, [](auto &lhs, auto &rhs) { return lhs.first->isBeforeInBlock(rhs.first); });
  return ordered;
}

int64_t nag::row::getKeptBytes(KernelOp kernel) {
  KernelPlan plan(kernel);
  SmallVector<std::pair<Operation *, Span>> spans = computeSpans(plan);
  int64_t most = 0;
  for (size_t cut = 0; cut + 1 < plan.rounds.size(); ++cut) {
    Held held(kernel);
    for (auto &[op, span] : spans)
      if (span.first <= cut && cut < span.last)
        held.add(op);
    for (auto &[op, span] : llvm::reverse(spans))
      held.replaceByOperands(op);
    most = std::max(most, held.getBytes());
  }
  return most;
}
