//===- Fuse.cpp - Row programs that walk the same rows become one -------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// The design, and why it is legal: docs/design/fusion.md.

#include "KeptBytes.h"

#include "nag/Dialect/Row/Transforms/Passes.h"

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

namespace nag::row {
#define GEN_PASS_DEF_ROWFUSE
#include "nag/Dialect/Row/Transforms/Passes.h.inc"
} // namespace nag::row

using namespace mlir;
using namespace nag::row;

//===--------------------------------------------------------------------------------------------------===//
// Values as stored
//===--------------------------------------------------------------------------------------------------===//

static bool isNarrower(Type lhs, Type rhs) { return lhs.getIntOrFloatBitWidth() < rhs.getIntOrFloatBitWidth(); }

static Value convertFloat(OpBuilder &b, Location loc, Value value, Type type) {
  if (isNarrower(type, value.getType()))
    return arith::TruncFOp::create(b, loc, type, value);
  if (isNarrower(value.getType(), type))
    return arith::ExtFOp::create(b, loc, type, value);
  return value;
}

/// A number or row as it is stored as `storage`: a row that is rounded as its bits, which are all that has to be kept
/// of it and can be stored in its place.
static Value round(OpBuilder &b, Location loc, Value value, Type storage) {
  auto vec = dyn_cast<VecType>(value.getType());
  if (!vec)
    return convertFloat(b, loc, value, storage);
  if (vec.getElementType().isInteger() || vec.getElementType() == storage)
    return value;
  Type bits = b.getIntegerType(storage.getIntOrFloatBitWidth());
  return MapOp::create(b, loc, bits, value, [&](OpBuilder &nested, Location nestedLoc, ValueRange e) -> Value {
    Value rounded = convertFloat(nested, nestedLoc, e.front(), storage);
    return arith::BitcastOp::create(nested, nestedLoc, bits, rounded);
  });
}

/// What `load` gives where `stored`, a result of `round`, was stored.
static Value reload(OpBuilder &b, LoadOp load, Value stored) {
  Location loc = load.getLoc();
  if (stored.getType() == load.getType())
    return stored;
  auto type = dyn_cast<VecType>(load.getType());
  if (!type)
    return convertFloat(b, loc, stored, load.getType());
  Type storage = cast<RowType>(load.getSource().getType()).getElementType(), element = type.getElementType();
  return MapOp::create(b, loc, element, stored, [&](OpBuilder &nested, Location nestedLoc, ValueRange e) -> Value {
    Value value = e.front();
    if (element.isInteger())
      return arith::BitcastOp::create(nested, nestedLoc, element, value);
    if (value.getType().isInteger())
      value = arith::BitcastOp::create(nested, nestedLoc, storage, value);
    return convertFloat(nested, nestedLoc, value, element);
  });
}

//===--------------------------------------------------------------------------------------------------===//
// One kernel of two
//===--------------------------------------------------------------------------------------------------===//

namespace {

/// One kernel that does what two do, beside which it stands until it replaces them.
class Fusion {
public:
  /// Puts the program of `second` behind that of `first`, at `position`.
  Fusion(RewriterBase &rewriter, KernelOp first, KernelOp second, Operation *position)
      : rewriter(rewriter), first(first), second(second) {
    rewriter.setInsertionPoint(position);
    createKernel();
    rewriter.setInsertionPoint(fused.getBody().front().getTerminator());
    copyFirst();
    copySecond();
  }

  KernelOp getKernel() { return fused; }

  void discard() { rewriter.eraseOp(fused); }

  void replaceBoth() {
    auto result = fused.getResults().begin();
    for (OpResult old : first->getResults())
      if (!isLocal(old))
        rewriter.replaceAllUsesExcept(old, *result++, second);
    rewriter.replaceOp(second, ValueRange(fused.getResults()).take_back(second.getNumResults()));
    rewriter.eraseOp(first);
  }

private:
  /// Whether nobody else needs `result`, which the first stores.
  bool isLocal(OpResult result) {
    return llvm::all_of(result.getUsers(), [&](Operation *user) { return user == second; });
  }

  /// Operands, and which of the old block arguments has which new one; what both see alike is there once.
  void createKernel() {
    SmallVector<Value> inputs, outputs;
    SmallVector<Type> inputTypes, outputTypes;
    SmallVector<std::pair<BlockArgument, unsigned>> oldInputs, oldOutputs;
    llvm::DenseMap<std::pair<Value, Type>, unsigned> places;
    for (KernelOp kernel : {first, second}) {
      auto arguments = kernel.getBody().getArguments();
      for (auto [input, argument] : llvm::zip(kernel.getInputs(), arguments)) {
        if (input.getDefiningOp() == first)
          continue;
        auto [it, isNew] = places.try_emplace({input, argument.getType()}, inputs.size());
        if (isNew) {
          inputs.push_back(input);
          inputTypes.push_back(argument.getType());
        }
        oldInputs.push_back({argument, it->second});
      }
      auto destinations = arguments.drop_front(kernel.getInputs().size());
      for (auto [output, argument, result] : llvm::zip_equal(kernel.getOutputs(), destinations, kernel.getResults())) {
        if (kernel == first && isLocal(cast<OpResult>(result)))
          continue;
        oldOutputs.push_back({argument, outputs.size()});
        outputs.push_back(output);
        outputTypes.push_back(argument.getType());
      }
    }
    SmallVector<Type> types(inputTypes);
    llvm::append_range(types, outputTypes);
    fused = KernelOp::create(rewriter, rewriter.getFusedLoc({first.getLoc(), second.getLoc()}),
                             (first.getKernelName() + "_" + second.getKernelName()).str(), inputs, outputs, types);
    fused.setScheduleAttr(first.getScheduleAttr() ? first.getScheduleAttr() : second.getScheduleAttr());
    for (auto &[argument, place] : oldInputs)
      values.map(argument, fused.getBody().getArgument(place));
    for (auto &[argument, place] : oldOutputs)
      values.map(argument, fused.getBody().getArgument(inputs.size() + place));
  }

  void copyFirst() {
    for (Operation &op : first.getBody().front().without_terminator()) {
      if (auto store = dyn_cast<StoreOp>(op)) {
        auto destination = cast<BlockArgument>(store.getDestination());
        OpResult result = first->getResult(destination.getArgNumber() - first.getInputs().size());
        Value value = values.lookup(store.getValue());
        if (llvm::is_contained(second.getInputs(), result))
          stored[result] = round(rewriter, op.getLoc(), value, cast<RowType>(destination.getType()).getElementType());
        if (!values.contains(destination))
          continue;
        // The rounded row is stored, so that it alone has to be kept; a number is stored as it was.
        if (Value rounded = stored.lookup(result); rounded && isa<VecType>(rounded.getType())) {
          StoreOp::create(rewriter, op.getLoc(), rounded, values.lookup(destination));
          continue;
        }
      }
      rewriter.clone(op, values);
    }
  }

  void copySecond() {
    for (Operation &op : second.getBody().front().without_terminator()) {
      if (auto load = dyn_cast<LoadOp>(op))
        if (Value value = stored.lookup(second.getOperandOf(cast<BlockArgument>(load.getSource())))) {
          values.map(load.getResult(), reload(rewriter, load, value));
          continue;
        }
      rewriter.clone(op, values);
    }
  }

  RewriterBase &rewriter;
  KernelOp first, second, fused;
  IRMapping values;
  /// What the first stores and the second reads, as stored.
  llvm::DenseMap<Value, Value> stored;
};

} // namespace

//===--------------------------------------------------------------------------------------------------===//
// What may be fused
//===--------------------------------------------------------------------------------------------------===//

static bool isRowOfElements(BlockArgument argument) {
  auto row = dyn_cast<RowType>(argument.getType());
  return row && !row.getShape().empty();
}

/// Why the programs do not go together, whatever is around them; empty where they do.
static StringRef getMismatch(KernelOp first, KernelOp second) {
  if (first.getTokenRank() != second.getTokenRank())
    return "their tokens have different dimensions";
  int64_t width = first.getWidth(), other = second.getWidth();
  if (width != other && width != 0 && other != 0)
    return "their rows have different widths";
  if (first.getScheduleAttr() && second.getScheduleAttr() && first.getScheduleAttr() != second.getScheduleAttr())
    return "their schedules differ";
  for (auto [input, argument] : llvm::zip(second.getInputs(), second.getBody().getArguments()))
    if (input.getDefiningOp() == first && !isa<RowType>(argument.getType()))
      return "the second needs a result of the first for all tokens";
  if (llvm::any_of(second.getOutputs(), [&](Value output) { return output.getDefiningOp() == first; }))
    return "the second writes to a result of the first";
  return "";
}

static int64_t countRows(KernelOp kernel) {
  llvm::SmallDenseSet<Value> rows;
  for (auto [input, argument] : llvm::zip(kernel.getInputs(), kernel.getBody().getArguments()))
    if (isRowOfElements(argument))
      rows.insert(input);
  return static_cast<int64_t>(rows.size());
}

static bool hasDoubles(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getArguments(), [](BlockArgument argument) {
    auto row = dyn_cast<RowType>(argument.getType());
    return row && row.getElementType().isF64();
  });
}

/// Where in their block one kernel can take the place of both, after moving what `second` needs: at the first, if that
/// depends on nothing between them, or at the second, if nothing between them needs the first. Null where neither.
static Operation *findPosition(RewriterBase &rewriter, KernelOp first, KernelOp second) {
  bool isNeeded = llvm::any_of(first->getUsers(), [&](Operation *user) {
    Operation *inBlock = first->getBlock()->findAncestorOpInBlock(*user);
    return inBlock != second && (!inBlock || inBlock->isBeforeInBlock(second));
  });
  if (!isNeeded)
    return second;
  SmallVector<Value> needed;
  for (Value operand : second->getOperands())
    if (operand.getDefiningOp() && operand.getDefiningOp() != first &&
        operand.getDefiningOp()->getBlock() == first->getBlock())
      needed.push_back(operand);
  return succeeded(moveValueDefinitions(rewriter, needed, first)) ? first.getOperation() : nullptr;
}

/// Kernels on tensors before `kernel` in its block that share rows with it: those whose results it reads, the latest
/// first, then others that read what it reads.
static SmallVector<KernelOp> getCandidates(KernelOp kernel) {
  // A value that everybody reads must not make the pass quadratic.
  constexpr unsigned maxReaders = 16;
  auto isBefore = [&](KernelOp other) {
    return other && !other.isBufferized() && other->getBlock() == kernel->getBlock() && other->isBeforeInBlock(kernel);
  };
  llvm::SmallSetVector<KernelOp, 4> producers, readers;
  for (auto [input, argument] : llvm::zip(kernel.getInputs(), kernel.getBody().getArguments())) {
    if (auto producer = input.getDefiningOp<KernelOp>(); isBefore(producer))
      producers.insert(producer);
    if (!isRowOfElements(argument))
      continue;
    unsigned count = 0;
    for (Operation *user : input.getUsers()) {
      if (++count > maxReaders)
        break;
      if (auto reader = dyn_cast<KernelOp>(user); isBefore(reader))
        readers.insert(reader);
    }
  }
  SmallVector<KernelOp> result = producers.takeVector();
  for (KernelOp reader : readers)
    if (!llvm::is_contained(result, reader))
      result.push_back(reader);
  llvm::sort(result, [&](KernelOp lhs, KernelOp rhs) { return rhs->isBeforeInBlock(lhs); });
  return result;
}

namespace {

struct RowFuse : nag::row::impl::RowFuseBase<RowFuse> {
  using RowFuseBase::RowFuseBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) {
      if (!kernel.isBufferized())
        kernels.push_back(kernel);
    });
    // In order, so that what a kernel reads has been fused as far as it goes. A kernel that is fused is not met again.
    for (KernelOp kernel : kernels)
      while (KernelOp fused = fuseWithOneBefore(kernel))
        kernel = fused;
  }

private:
  KernelOp fuseWithOneBefore(KernelOp kernel) {
    IRRewriter rewriter(&getContext());
    for (KernelOp before : getCandidates(kernel)) {
      StringRef reason = getMismatch(before, kernel);
      std::string names[] = {kernel.getKernelName().str(), before.getKernelName().str()};
      Location loc = kernel.getLoc();
      auto opts = remark::RemarkOpts::name("RowFuse").category("row-fuse");
      Operation *position = reason.empty() ? findPosition(rewriter, before, kernel) : nullptr;
      if (reason.empty() && !position)
        reason = "what lies between them needs the first, and the second needs it";
      std::string excess;
      if (reason.empty()) {
        Fusion fusion(rewriter, before, kernel, position);
        excess = getExcess(before, kernel, fusion.getKernel());
        if (excess.empty()) {
          remark::passed(loc, opts) << remark::add("'{0}' is fused with '{1}' before it", names[0], names[1]);
          fusion.replaceBoth();
          return fusion.getKernel();
        }
        fusion.discard();
        reason = excess;
      }
      remark::missed(loc, opts) << remark::add("'{0}' is not fused with '{1}' before it: {2}", names[0], names[1],
                                               reason.str());
    }
    return {};
  }

  /// Why `fused` would be too much for one program; empty where it is not.
  std::string getExcess(KernelOp first, KernelOp second, KernelOp fused) const {
    // Programs are copied as they grow, and every target writes out all of one.
    constexpr size_t maxOperations = 2048;
    if (fused.getBody().front().getOperations().size() > maxOperations)
      return "one program would have more than " + std::to_string(maxOperations) + " operations";
    if (maxRows > 0)
      return countRows(fused) > maxRows ? "one program would read too many rows" : "";
    int64_t budget = maxKeptBytes * (hasDoubles(fused) ? 2 : 1), kept = getKeptBytes(fused);
    if (kept <= std::max({budget, getKeptBytes(first), getKeptBytes(second)}))
      return "";
    return "one program would hold " + std::to_string(kept) + " bytes for an element between its rounds, " +
           std::to_string(budget) + " at the most";
  }
};

} // namespace
