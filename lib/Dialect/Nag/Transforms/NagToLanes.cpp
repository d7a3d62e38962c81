//===- NagToLanes.cpp - Streams in residual form go through lanes -------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The pass nag-to-lanes. What it counts, and why: docs/design/fusion.md.

#include "LanesOfSplit.h"

#include "nag/Dialect/Nag/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/Remarks.h"

#include "llvm/ADT/MapVector.h"

namespace nag {
#define GEN_PASS_DEF_NAGTOLANES
#include "nag/Dialect/Nag/Transforms/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;

namespace {

/// A stream and its log-norm.
struct Lanes {
  Value direction;
  Value logNorm;
};

/// What a value of a stream is used for.
enum class Use {
  Turn,      ///< The stream of an update or a rotation that goes through lanes with it.
  Direction, ///< Its length does not matter, so that a direction serves as well.
  Split,     ///< Taken apart into the lanes that the stream would have.
  Narrowed,  ///< Taken apart into a direction of another type.
  Escape,    ///< Anything else needs the residual.
};

/// Updates and rotations in residual form that turn one stream, or its branches where it forks, in one block.
struct Stream {
  Value root;
  SmallVector<Operation *> turns;
};

} // namespace

//===--------------------------------------------------------------------------------------------------===//
// Streams
//===--------------------------------------------------------------------------------------------------===//

/// The stream operand of an update or a rotation in residual form.
static OpOperand *getTurnedStream(Operation *op) {
  if (auto update = dyn_cast<UpdateOp>(op))
    return update.isLaneForm() ? nullptr : &update.getStreamMutable();
  if (auto rotate = dyn_cast<RotateOp>(op))
    return rotate.getLogNorm() ? nullptr : &rotate.getStreamMutable();
  return nullptr;
}

static SmallVector<Stream> findStreams(Block &block) {
  llvm::MapVector<Value, Stream> streams;
  llvm::DenseMap<Value, Value> roots;
  for (Operation &op : block) {
    OpOperand *turned = getTurnedStream(&op);
    if (!turned)
      continue;
    Value root = roots.try_emplace(turned->get(), turned->get()).first->second;
    roots[op.getResult(0)] = root;
    Stream &stream = streams[root];
    stream.root = root;
    stream.turns.push_back(&op);
  }
  return llvm::map_to_vector(streams, [](auto &entry) { return std::move(entry.second); });
}

/// The log-norm that goes with rows of `type`.
static RankedTensorType getLogNormType(Type type) {
  auto rows = cast<RankedTensorType>(type);
  return RankedTensorType::get(rows.getShape().drop_back(), getArithmeticType(rows.getElementType()));
}

static Use classify(OpOperand &use, Block *block) {
  Operation *op = use.getOwner();
  Type type = use.get().getType();
  if (auto split = dyn_cast<SplitOp>(op)) {
    if (!split.getLogNorm().use_empty() && split.getLogNorm().getType() != getLogNormType(type))
      return Use::Escape;
    return split.getDirection().getType() == type ? Use::Split : Use::Narrowed;
  }
  if (isa<ModulateOp>(op))
    return Use::Direction;
  if (auto orthogonalize = dyn_cast<OrthogonalizeOp>(op); orthogonalize && &use == &orthogonalize.getDirectionMutable())
    return Use::Direction;
  return op->getBlock() == block && &use == getTurnedStream(op) ? Use::Turn : Use::Escape;
}

/// The lanes that `root` was merged from, where they are those that a split of it would give.
static std::optional<Lanes> getLanesBefore(Value root) {
  auto merge = root.getDefiningOp<MergeOp>();
  if (!merge || merge.getDirection().getType() != root.getType() ||
      merge.getLogNorm().getType() != getLogNormType(root.getType()) ||
      !areLanesOfSplit(merge.getDirection(), merge.getLogNorm()))
    return std::nullopt;
  return Lanes{merge.getDirection(), merge.getLogNorm()};
}

//===--------------------------------------------------------------------------------------------------===//
// Rows moved
//===--------------------------------------------------------------------------------------------------===//

/// How many rows fewer are moved for a token if `value` is there as lanes and, where it must, as a residual.
static int64_t countRowsSaved(Value value, const Stream &stream) {
  bool isRoot = value == stream.root;
  Block *block = stream.turns.front()->getBlock();
  int64_t turns = 0;
  bool direction = false, split = false, narrowed = false, escapes = false;
  for (OpOperand &use : value.getUses()) {
    switch (classify(use, block)) {
    case Use::Turn:
      ++turns;
      break;
    case Use::Direction:
      direction = true;
      break;
    case Use::Split:
      split |= !cast<SplitOp>(use.getOwner()).getDirection().use_empty();
      break;
    case Use::Narrowed:
      narrowed = true;
      break;
    case Use::Escape:
      escapes = true;
      break;
    }
  }
  if (!isRoot) {
    bool isRead = turns > 0 || direction;
    return ((isRead || escapes) + split) - ((isRead || split) + escapes);
  }
  if (getLanesBefore(value))
    return ((turns > 0 || direction || escapes) + split) - escapes;
  // The residual is there. Its direction is written for one reader at least, or it is made in the kernel of the only
  // update; else it is read to be taken apart, and written.
  if (split || (turns == 1 && !narrowed))
    return 0;
  return narrowed ? -1 : -2;
}

static int64_t countRowsSaved(const Stream &stream) {
  int64_t saved = countRowsSaved(stream.root, stream);
  for (Operation *turn : stream.turns)
    saved += countRowsSaved(turn->getResult(0), stream);
  return saved;
}

//===--------------------------------------------------------------------------------------------------===//
// Rewriting
//===--------------------------------------------------------------------------------------------------===//

/// The lanes of the root, taken apart before the first who needs them; splits of it in this block become the same.
static Lanes splitRoot(RewriterBase &rewriter, const Stream &stream) {
  if (std::optional<Lanes> lanes = getLanesBefore(stream.root))
    return *lanes;
  Operation *first = stream.turns.front();
  SmallVector<SplitOp> splits;
  for (OpOperand &use : stream.root.getUses())
    if (use.getOwner()->getBlock() == first->getBlock() && classify(use, first->getBlock()) == Use::Split)
      splits.push_back(cast<SplitOp>(use.getOwner()));
  for (SplitOp split : splits)
    if (split->isBeforeInBlock(first))
      first = split;
  rewriter.setInsertionPoint(first);
  auto lanes = SplitOp::create(rewriter, first->getLoc(), stream.root.getType(), getLogNormType(stream.root.getType()),
                               stream.root, /*schedule=*/row::ScheduleAttr());
  for (SplitOp split : splits) {
    rewriter.replaceAllUsesWith(split.getDirection(), lanes.getDirection());
    if (!split.getLogNorm().use_empty())
      rewriter.replaceAllUsesWith(split.getLogNorm(), lanes.getLogNorm());
    rewriter.eraseOp(split);
  }
  return {lanes.getDirection(), lanes.getLogNorm()};
}

/// `turn` on lanes in its place; everything but its first result has been replaced.
static Lanes turnLanes(RewriterBase &rewriter, Operation *turn, const Lanes &lanes) {
  rewriter.setInsertionPoint(turn);
  Type row = turn->getResult(0).getType(), number = lanes.logNorm.getType();
  Operation *turned;
  if (auto update = dyn_cast<UpdateOp>(turn)) {
    SmallVector<Type> numbers{number};
    llvm::append_range(numbers, TypeRange(update.getTokenScalars()));
    auto lane =
        UpdateOp::create(rewriter, turn->getLoc(), row, numbers, lanes.direction, lanes.logNorm, update.getBranch(),
                         update.getAlpha(), update.getGivenModulator(), update.getBeta(), update.getW(), update.getB(),
                         update.getLogits(), update.getTolAttr(), update.getScheduleAttr());
    if (update.computesModulator())
      rewriter.replaceAllUsesWith(update.getModulator(), lane.getModulator());
    turned = lane;
  } else {
    auto rotate = cast<RotateOp>(turn);
    turned = RotateOp::create(rewriter, turn->getLoc(), row, number, lanes.direction, lanes.logNorm, rotate.getUnit(),
                              rotate.getAlpha(), rotate.getModulator(), rotate.getScheduleAttr());
  }
  turned->setDiscardableAttrs(turn->getDiscardableAttrDictionary());
  return {turned->getResult(0), turned->getResult(1)};
}

/// Gives the users of `value`, the result of a turn, the lanes that it is now, and those that need it a residual.
static void replaceUses(RewriterBase &rewriter, Value value, const Lanes &lanes, Block *block) {
  MergeOp merge;
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *owner = use.getOwner();
    switch (classify(use, block)) {
    case Use::Turn:
      break; // It goes as well.
    case Use::Direction:
      rewriter.modifyOpInPlace(owner, [&] { use.set(lanes.direction); });
      break;
    case Use::Split:
    case Use::Narrowed: {
      auto split = cast<SplitOp>(owner);
      if (!split.getLogNorm().use_empty())
        rewriter.replaceAllUsesWith(split.getLogNorm(), lanes.logNorm);
      if (split.getDirection().getType() != value.getType()) {
        rewriter.modifyOpInPlace(owner, [&] { use.set(lanes.direction); });
        break;
      }
      rewriter.replaceAllUsesWith(split.getDirection(), lanes.direction);
      rewriter.eraseOp(split);
      break;
    }
    case Use::Escape:
      if (!merge) {
        rewriter.setInsertionPointAfterValue(lanes.direction);
        merge = MergeOp::create(rewriter, value.getLoc(), value.getType(), lanes.direction, lanes.logNorm,
                                /*schedule=*/row::ScheduleAttr());
      }
      rewriter.modifyOpInPlace(owner, [&] { use.set(merge); });
      break;
    }
  }
}

static void convert(RewriterBase &rewriter, const Stream &stream) {
  Block *block = stream.turns.front()->getBlock();
  llvm::DenseMap<Value, Lanes> lanes;
  lanes[stream.root] = splitRoot(rewriter, stream);
  for (Operation *turn : stream.turns)
    lanes[turn->getResult(0)] = turnLanes(rewriter, turn, lanes.lookup(getTurnedStream(turn)->get()));
  for (Operation *turn : stream.turns)
    replaceUses(rewriter, turn->getResult(0), lanes.lookup(turn->getResult(0)), block);
  for (Operation *turn : llvm::reverse(stream.turns))
    rewriter.eraseOp(turn);
}

namespace {

struct NagToLanes : nag::impl::NagToLanesBase<NagToLanes> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Block *block) {
      // Where a region is a graph, an update may be its own stream.
      if (mayBeGraphRegion(*block->getParent()))
        return;
      for (const Stream &stream : findStreams(*block))
        convertIfItPays(rewriter, stream);
    });
  }

private:
  static void convertIfItPays(RewriterBase &rewriter, const Stream &stream) {
    int64_t saved = countRowsSaved(stream);
    Location loc = stream.turns.front()->getLoc();
    auto opts = remark::RemarkOpts::name("NagToLanes").category("nag-to-lanes");
    std::string turns = std::to_string(stream.turns.size());
    if (saved <= 0) {
      std::string reason =
          saved == 0 ? "lanes move as many rows" : "rows moved for a token would get more by " + std::to_string(-saved);
      remark::missed(loc, opts) << remark::add("a stream of {0} update(s) stays in residual form: {1}", turns, reason);
      return;
    }
    remark::passed(loc, opts) << remark::add("a stream of {0} update(s) goes through lanes: rows moved for a token get "
                                             "fewer by {1}",
                                             turns, std::to_string(saved));
    convert(rewriter, stream);
  }
};

} // namespace
