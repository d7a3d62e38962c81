//===- Scratch.cpp - Row vectors that are kept between walks ------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "Scratch.h"

using namespace mlir;
using namespace nag::row;

/// Vectors are kept only where all of them together stay well within a core's cache, and only where computing them
/// again takes this many operations: a scaled bf16 row takes three, and reading it again from where it was stored was
/// slower (a row of 4,096 then fills the first-level cache).
static constexpr int64_t kScratchBytes = 128 * 1024;
static constexpr int64_t kKeepFrom = 4;

/// Operations for one element of `value`, from what is loaded.
static int64_t getCost(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast<LoadOp>(op)) {
    Type stored = cast<RowType>(load.getSource().getType()).getElementType();
    return stored == cast<VecType>(load.getType()).getElementType() ? 0 : 2;
  }
  if (auto narrow = dyn_cast<NarrowOp>(op))
    return std::min(getCost(narrow.getInput()) + 1, kKeepFrom);
  auto map = cast<MapOp>(op);
  int64_t cost = llvm::count_if(map.getBody().front().without_terminator(),
                                [](Operation &nested) { return !nested.hasTrait<OpTrait::ConstantLike>(); });
  for (Value input : map.getInputs())
    cost += getCost(input);
  return std::min(cost, kKeepFrom);
}

static Type getElementType(Operation *op) { return cast<VecType>(op->getResult(0).getType()).getElementType(); }

Scratch::Scratch(KernelPlan &plan, int64_t width, CopiesFn getCopies) : getCopies(std::move(getCopies)) {
  choose(plan);
  while (!assignBuffers(width)) {
    kept.pop_back();
    auto spans = computeSpans(plan);
    for (auto &[op, span] : kept)
      span = spans.lookup(op);
  }
}

std::optional<size_t> Scratch::getBuffer(Operation *op) const {
  auto it = kept.find(op);
  return it == kept.end() ? std::nullopt : std::optional(it->second.buffer);
}

bool Scratch::isKeptBefore(Operation *op, size_t round) const {
  auto it = kept.find(op);
  return it != kept.end() && it->second.first < round;
}

llvm::MapVector<Operation *, Scratch::Span> Scratch::computeSpans(KernelPlan &plan) const {
  llvm::MapVector<Operation *, Span> spans;
  for (auto [index, round] : llvm::enumerate(plan.rounds)) {
    auto isKnown = [&](Operation *op) { return kept.contains(op) && spans.contains(op); };
    for (Operation *op : KernelPlan::getVectorSlice(round.getRoots(), isKnown))
      spans.try_emplace(op, Span{index, index}).first->second.last = index;
  }
  return spans;
}

void Scratch::choose(KernelPlan &plan) {
  SmallVector<Operation *> vectors;
  for (auto &[op, span] : computeSpans(plan))
    if (isa<MapOp>(op) && span.first != span.last)
      vectors.push_back(op);
  // From the results to what they are computed from: what is kept needs its operands no more.
  llvm::sort(vectors, [](Operation *lhs, Operation *rhs) { return rhs->isBeforeInBlock(lhs); });
  for (Operation *op : vectors) {
    Span span = computeSpans(plan).lookup(op);
    if (span.first != span.last && getCost(op->getResult(0)) >= kKeepFrom)
      kept.insert({op, span});
  }
  auto spans = computeSpans(plan);
  llvm::MapVector<Operation *, Span> ordered;
  for (auto &[op, span] : llvm::reverse(kept))
    ordered.insert({op, spans.lookup(op)});
  kept = std::move(ordered);
}

bool Scratch::assignBuffers(int64_t width) {
  buffers.clear();
  SmallVector<size_t> lastUse;
  int64_t bytes = 0;
  for (auto &entry : kept) {
    Span &span = entry.second;
    // A vector may not take the place of one that is read in the round that computes it, or in the one before, which
    // may be walked through together with it: in a fused program that may be read behind it, and a round may have
    // several walks.
    Type type = getElementType(entry.first);
    int64_t copies = getCopies(span.first, span.last);
    auto serves = [&](size_t buffer) {
      return buffers[buffer].type == type && buffers[buffer].copies == copies && lastUse[buffer] + 1 < span.first;
    };
    size_t buffer = 0;
    while (buffer < buffers.size() && !serves(buffer))
      ++buffer;
    if (buffer == buffers.size()) {
      buffers.push_back({type, copies});
      lastUse.push_back(0);
      bytes += copies * width * type.getIntOrFloatBitWidth() / 8;
    }
    lastUse[buffer] = span.last;
    span.buffer = buffer;
  }
  return bytes <= kScratchBytes;
}
