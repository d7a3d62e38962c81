//===- RowToCPU.cpp - Row programs as parallel loops of vector code -----------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Row/IR/RowDialect.h"
#include "nag/Dialect/Row/Transforms/Emission.h"
#include "nag/Dialect/Row/Transforms/KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace nag {
#define GEN_PASS_DEF_ROWTOCPU
#include "nag/Conversion/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;
using namespace nag::row;

namespace {

// The CPU's order of sums (docs/design/pipeline.md). Changing one of these changes results.
constexpr int64_t kLanes = 64;
constexpr int64_t kStepsPerBlock = 64;

/// Row vectors are kept from one walk to the next only where all of them together stay well within a core's cache, and
/// only where computing them again takes this many operations: a scaled bf16 row takes three, and reading it again from
/// where it was stored was slower (a row of 4,096 then fills the first-level cache).
constexpr int64_t kScratchBytes = 128 * 1024;
constexpr int64_t kKeepFrom = 4;

/// The round in which the next token's rows are prefetched: the first round waits for memory, the others would not use
/// it.
constexpr size_t kPrefetchRound = 1;
constexpr int64_t kCacheLineBytes = 64;

/// Destinations of more bytes than this go past the caches: they would push out what is read next, and a row that is
/// written by ordinary stores is read from memory first. Smaller ones may still be there when the next kernel reads
/// them.
constexpr int64_t kStreamFromBytes = 16 * 1024 * 1024;

/// Rows of a table whose dot products are accumulated in one walk, so that their accumulators stay in registers.
constexpr int64_t kContractionGroup = 4;

/// Emits one kernel.
class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, OpBuilder &builder)
      : kernel(kernel), b(kernel.getLoc(), builder), plan(kernel), width(kernel.getWidth()) {
    chooseScratch();
  }

  void emit() {
    Value tokens = kernel.getTokenOperand();
    emitScalars(plan.uniform);

    SmallVector<Value> sizes;
    for (int64_t i = 0; i < kernel.getTokenRank(); ++i)
      sizes.push_back(memref::DimOp::create(b, tokens, i));
    if (sizes.empty())
      return emitToken();

    SmallVector<Value> zeros(sizes.size(), arith::ConstantIndexOp::create(b, 0));
    SmallVector<Value> ones(sizes.size(), arith::ConstantIndexOp::create(b, 1));
    auto loop = scf::ParallelOp::create(b, zeros, sizes, ones);
    llvm::append_range(token, loop.getInductionVars());
    b.setInsertionPointToStart(loop.getBody());
    Value last = arith::SubIOp::create(b, sizes.back(), ones.back());
    nextToken = arith::MinUIOp::create(b, arith::AddIOp::create(b, token.back(), ones.back()), last);
    emitToken();
  }

private:
  /// The elements [index, index + 64) of the row; of the last of them only the first `count`, where `mask` is there.
  struct Step {
    Value index;
    Value mask;
  };
  using StepFn = function_ref<SmallVector<Value>(const Step &, ValueRange)>;

  void emitToken() {
    // Lanes past the end of a row have a place too, so that steps are whole.
    int64_t padded = llvm::alignTo(width, kLanes);
    for (Type type : scratchTypes)
      scratch.push_back(memref::AllocaOp::create(b, MemRefType::get(padded, type), b.getI64IntegerAttr(kLanes)));
    emitScalars(plan.scalars);
    for (auto [index, round] : llvm::enumerate(plan.rounds)) {
      currentRound = index;
      emitRound(round);
    }
    for (StoreOp store : plan.numberStores)
      emitNumberStore(b, store, scalars.lookup(store.getValue()), operandOf(store.getDestination()), token);
  }

  Value operandOf(Value argument) { return kernel.getOperandOf(cast<BlockArgument>(argument)); }

  void emitScalars(ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        ValueRange indices = isa<TableType>(load.getSource().getType()) ? ValueRange() : ValueRange(token);
        scalars.map(load.getResult(), emitScalarLoad(b, load, operandOf(load.getSource()), indices));
      } else {
        b.clone(*op, scalars);
      }
    }
  }

  //===----------------------------------------------------------------------------------------------===//
  // Scratch
  //===----------------------------------------------------------------------------------------------===//

  /// A row vector that is kept from the round that computes it to later ones.
  struct Kept {
    size_t firstRound, lastRound;
    size_t buffer;
  };

  /// Operations for one element of `value`, from what is loaded or kept.
  int64_t getCost(Value value) {
    Operation *op = value.getDefiningOp();
    if (kept.contains(op))
      return 0;
    if (auto load = dyn_cast<LoadOp>(op)) {
      Type stored = cast<RowType>(load.getSource().getType()).getElementType();
      return stored == cast<VecType>(load.getType()).getElementType() ? 0 : 2;
    }
    auto map = cast<MapOp>(op);
    int64_t cost = llvm::count_if(map.getBody().front().without_terminator(),
                                  [](Operation &nested) { return !nested.hasTrait<OpTrait::ConstantLike>(); });
    for (Value input : map.getInputs())
      cost += getCost(input);
    return cost;
  }

  /// Decides which row vectors are kept, and in which buffers: a vector may take the place of one that is used for the
  /// last time in the round that computes it, element after element.
  void chooseScratch() {
    llvm::MapVector<Operation *, std::pair<size_t, size_t>> spans;
    for (auto [index, round] : llvm::enumerate(plan.rounds))
      for (Operation *op : round.vectors)
        spans.try_emplace(op, index, index).first->second.second = index;
    for (auto &[op, span] : spans) {
      auto map = dyn_cast<MapOp>(op);
      if (!map || span.first == span.second || getCost(map.getResult()) < kKeepFrom)
        continue;
      Type type = map.getType().getElementType();
      size_t buffer = 0;
      for (; buffer < scratchTypes.size(); ++buffer)
        if (scratchTypes[buffer] == type && lastUse[buffer] <= span.first)
          break;
      int64_t bytes = llvm::alignTo(width, kLanes) * type.getIntOrFloatBitWidth() / 8;
      if (buffer == scratchTypes.size()) {
        if (static_cast<int64_t>(scratchTypes.size() + 1) * bytes > kScratchBytes)
          continue;
        scratchTypes.push_back(type);
        lastUse.push_back(0);
      }
      lastUse[buffer] = span.second;
      kept.insert({op, {span.first, span.second, buffer}});
    }
  }

  //===----------------------------------------------------------------------------------------------===//
  // Rounds
  //===----------------------------------------------------------------------------------------------===//

  void emitRound(Round &round) {
    for (ContractOp contraction : round.contractions)
      emitContraction(contraction);

    SmallVector<Value> roots;
    SmallVector<ReduceKind> kinds;
    SmallVector<Type> types;
    for (ReduceOp reduce : round.reductions) {
      roots.push_back(reduce.getInput());
      if (reduce.getFactor())
        roots.push_back(reduce.getFactor());
      kinds.push_back(reduce.getKind());
      types.push_back(lanesOf(reduce.getType()));
    }
    for (StoreOp store : round.stores)
      roots.push_back(store.getValue());
    if (!roots.empty()) {
      auto walk = [&](const Step &step, ValueRange accumulators) {
        if (currentRound == kPrefetchRound && !step.mask)
          emitPrefetch(step);
        IRMapping values = emitVectors(roots, step);
        SmallVector<Value> next;
        for (auto [reduce, accumulator] : llvm::zip_equal(round.reductions, accumulators)) {
          Value value = emitMasked(values.lookup(reduce.getInput()), step);
          if (Value factor = reduce.getFactor())
            next.push_back(math::FmaOp::create(b, value, emitMasked(values.lookup(factor), step), accumulator));
          else
            next.push_back(emitCombine(b, reduce.getKind(), accumulator, value));
        }
        for (StoreOp store : round.stores)
          emitRowStore(store, values.lookup(store.getValue()), step);
        return next;
      };
      SmallVector<Value> lanes;
      if (types.empty() && width >= kLanes)
        emitStoringWalk(round.stores, [&]() { emitWalk(types, kinds, walk); });
      else
        lanes = emitWalk(types, kinds, walk);
      for (auto [reduce, lane] : llvm::zip_equal(round.reductions, lanes))
        scalars.map(reduce.getResult(), emitFold(b, reduce.getKind(), lane));
    }
    emitScalars(round.scalars);
  }

  void emitContraction(ContractOp contraction) {
    VectorType type = contraction.getType();
    Value table = operandOf(contraction.getTable());
    SmallVector<Value> products;
    for (int64_t first = 0; first < type.getDimSize(0); first += kContractionGroup) {
      int64_t count = std::min(kContractionGroup, type.getDimSize(0) - first);
      SmallVector<Type> types(count, lanesOf(type.getElementType()));
      SmallVector<ReduceKind> kinds(count, ReduceKind::Add);
      SmallVector<Value> lanes = emitWalk(types, kinds, [&](const Step &step, ValueRange accumulators) {
        Value x = emitMasked(emitVectors(contraction.getInput(), step).lookup(contraction.getInput()), step);
        SmallVector<Value> next;
        for (auto [i, accumulator] : llvm::enumerate(accumulators)) {
          Value row = arith::ConstantIndexOp::create(b, first + i);
          Value w = emitVectorLoad(table, {row, step.index}, step.mask, type.getElementType());
          next.push_back(math::FmaOp::create(b, x, w, accumulator));
        }
        return next;
      });
      for (Value lane : lanes)
        products.push_back(emitFold(b, ReduceKind::Add, lane));
    }
    scalars.map(contraction.getResult(), vector::FromElementsOp::create(b, type, products).getResult());
  }

  /// Two versions of a walk that stores: past the caches, where the rows are large altogether and begin at a cache line
  /// each, and through them.
  void emitStoringWalk(ArrayRef<StoreOp> stores, function_ref<void()> walk) {
    Value bytes = arith::ConstantIndexOp::create(b, 0), misalignment = arith::ConstantIndexOp::create(b, 0);
    for (StoreOp store : stores) {
      Value memref = operandOf(store.getDestination());
      auto type = cast<MemRefType>(memref.getType());
      Value elementBytes = arith::ConstantIndexOp::create(b, type.getElementTypeBitWidth() / 8);
      auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
      Value size = elementBytes, position = metadata.getOffset();
      for (int64_t i = 0; i < type.getRank(); ++i) {
        size = arith::MulIOp::create(b, size, memref::DimOp::create(b, memref, i));
        if (i < static_cast<int64_t>(token.size()))
          position = arith::AddIOp::create(b, position, arith::MulIOp::create(b, token[i], metadata.getStrides()[i]));
      }
      Value address = arith::AddIOp::create(b, memref::ExtractAlignedPointerAsIndexOp::create(b, memref),
                                            arith::MulIOp::create(b, position, elementBytes));
      bytes = arith::AddIOp::create(b, bytes, size);
      misalignment = arith::OrIOp::create(b, misalignment, address);
    }
    misalignment = arith::AndIOp::create(b, misalignment, arith::ConstantIndexOp::create(b, kCacheLineBytes - 1));
    Value isLarge =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, bytes, arith::ConstantIndexOp::create(b, kStreamFromBytes));
    Value isAligned =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, misalignment, arith::ConstantIndexOp::create(b, 0));
    auto branch = scf::IfOp::create(b, arith::AndIOp::create(b, isLarge, isAligned), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    storesPastCaches = true;
    walk();
    b.setInsertionPointToStart(branch.elseBlock());
    storesPastCaches = false;
    walk();
  }

  //===----------------------------------------------------------------------------------------------===//
  // Walks over the row
  //===----------------------------------------------------------------------------------------------===//

  /// Walks over the row with one accumulator of 64 lanes for each of `types`: blocks of 64 steps of 64 elements, so
  /// that no lane adds more than 64 terms one after the other.
  SmallVector<Value> emitWalk(ArrayRef<Type> types, ArrayRef<ReduceKind> kinds, StepFn step) {
    SmallVector<Value> zeros;
    for (Type type : types)
      zeros.push_back(emitZero(b, type));
    int64_t blockWidth = kLanes * kStepsPerBlock;
    int64_t blocks = (width - 1) / blockWidth;
    SmallVector<Value> total;
    if (blocks > 0)
      total = emitFor(0, blocks * blockWidth, blockWidth, zeros, [&](Value index, ValueRange outer) {
        SmallVector<Value> inner = emitSteps(index, blockWidth, zeros, step);
        return combine(kinds, outer, inner);
      });
    Value rest = arith::ConstantIndexOp::create(b, blocks * blockWidth);
    SmallVector<Value> last = emitSteps(rest, width - blocks * blockWidth, zeros, step);
    return blocks > 0 ? combine(kinds, total, last) : last;
  }

  /// `count` elements from `first`, in steps of 64, the last of them masked where it is not whole.
  SmallVector<Value> emitSteps(Value first, int64_t count, ValueRange init, StepFn step) {
    SmallVector<Value> values(init);
    int64_t whole = count / kLanes * kLanes, tail = count % kLanes;
    if (whole > 0)
      values = emitFor(0, whole, kLanes, values, [&](Value offset, ValueRange accumulators) {
        return step({arith::AddIOp::create(b, first, offset), Value()}, accumulators);
      });
    if (tail > 0) {
      Value index = arith::AddIOp::create(b, first, arith::ConstantIndexOp::create(b, whole));
      Value bound = arith::ConstantIndexOp::create(b, tail);
      Value mask = vector::CreateMaskOp::create(b, VectorType::get(kLanes, b.getI1Type()), bound);
      values = step({index, mask}, values);
    }
    return values;
  }

  SmallVector<Value> emitFor(int64_t lower, int64_t upper, int64_t stride, ValueRange init,
                             function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop =
        scf::ForOp::create(b, arith::ConstantIndexOp::create(b, lower), arith::ConstantIndexOp::create(b, upper),
                           arith::ConstantIndexOp::create(b, stride), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
    // A loop without values to carry has its terminator already.
    if (!next.empty()) {
      b.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(b, next);
    }
    return loop.getResults();
  }

  SmallVector<Value> combine(ArrayRef<ReduceKind> kinds, ValueRange lhs, ValueRange rhs) {
    SmallVector<Value> result;
    for (auto [kind, l, r] : llvm::zip_equal(kinds, lhs, rhs))
      result.push_back(emitCombine(b, kind, l, r));
    return result;
  }

  //===----------------------------------------------------------------------------------------------===//
  // One step
  //===----------------------------------------------------------------------------------------------===//

  static VectorType lanesOf(Type elementType) { return VectorType::get(kLanes, elementType); }

  /// The elements of `roots` in this step, and of what they are computed from.
  IRMapping emitVectors(ArrayRef<Value> roots, const Step &step) {
    IRMapping values;
    for (Operation *op : KernelPlan::getVectorSlice(roots, [&](Operation *op) { return isKeptBefore(op); })) {
      Value result = op->getResult(0);
      if (isKeptBefore(op)) {
        values.map(result, vector::LoadOp::create(b, lanesOf(elementTypeOf(result)), bufferOf(op), step.index));
        continue;
      }
      if (auto load = dyn_cast<LoadOp>(op)) {
        SmallVector<Value> indices = rowIndices(step);
        values.map(result, emitVectorLoad(operandOf(load.getSource()), indices, step.mask, elementTypeOf(result)));
        continue;
      }
      auto map = cast<MapOp>(op);
      SmallVector<Value> inputs;
      for (Value input : map.getInputs())
        inputs.push_back(values.lookup(input));
      Value value = emitMap(b, map, inputs, scalars);
      values.map(result, value);
      if (kept.contains(op))
        vector::StoreOp::create(b, value, bufferOf(op), step.index);
    }
    return values;
  }

  static Type elementTypeOf(Value vec) { return cast<VecType>(vec.getType()).getElementType(); }
  bool isKeptBefore(Operation *op) {
    auto it = kept.find(op);
    return it != kept.end() && it->second.firstRound < currentRound;
  }
  Value bufferOf(Operation *op) { return scratch[kept.find(op)->second.buffer]; }

  /// Asks for the elements of this step of the next token's rows.
  void emitPrefetch(const Step &step) {
    if (!nextToken)
      return;
    SmallVector<Value> indices(token);
    indices.back() = nextToken;
    indices.push_back(Value());
    for (BlockArgument argument : kernel.getBody().getArguments().take_front(kernel.getInputs().size())) {
      auto row = dyn_cast<RowType>(argument.getType());
      if (!row || row.getShape().empty())
        continue;
      int64_t lineElements = kCacheLineBytes * 8 / row.getElementType().getIntOrFloatBitWidth();
      for (int64_t i = 0; i < kLanes; i += lineElements) {
        indices.back() = arith::AddIOp::create(b, step.index, arith::ConstantIndexOp::create(b, i));
        memref::PrefetchOp::create(b, operandOf(argument), indices, /*isWrite=*/false, /*localityHint=*/1,
                                   /*isDataCache=*/true);
      }
    }
  }

  SmallVector<Value> rowIndices(const Step &step) {
    SmallVector<Value> indices(token);
    indices.push_back(step.index);
    return indices;
  }

  Value emitVectorLoad(Value memref, ValueRange indices, Value mask, Type elementType) {
    VectorType stored = lanesOf(cast<MemRefType>(memref.getType()).getElementType());
    Value value = mask ? vector::MaskedLoadOp::create(b, stored, memref, indices, mask, emitZero(b, stored)).getResult()
                       : vector::LoadOp::create(b, stored, memref, indices).getResult();
    return convertElements(b, value, elementType);
  }

  void emitRowStore(StoreOp store, Value value, const Step &step) {
    Value memref = operandOf(store.getDestination());
    value = convertElements(b, value, cast<MemRefType>(memref.getType()).getElementType());
    if (step.mask)
      vector::MaskedStoreOp::create(b, memref, rowIndices(step), step.mask, value);
    else if (storesPastCaches)
      vector::StoreOp::create(b, value, memref, rowIndices(step), /*nontemporal=*/true,
                              llvm::MaybeAlign(kCacheLineBytes));
    else
      vector::StoreOp::create(b, value, memref, rowIndices(step));
  }

  /// Lanes past the row must not join a sum, whatever the map made of them.
  Value emitMasked(Value value, const Step &step) {
    if (!step.mask)
      return value;
    return arith::SelectOp::create(b, step.mask, value, emitZero(b, value.getType()));
  }

  KernelOp kernel;
  ImplicitLocOpBuilder b;
  KernelPlan plan;
  int64_t width;
  SmallVector<Value> token;
  Value nextToken; ///< Last index of the token after this one, or of the last token.
  IRMapping scalars;

  llvm::DenseMap<Operation *, Kept> kept;
  SmallVector<Type> scratchTypes;
  SmallVector<size_t> lastUse;
  SmallVector<Value> scratch;
  size_t currentRound = 0;
  bool storesPastCaches = false;
};

struct RowToCPU : nag::impl::RowToCPUBase<RowToCPU> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (!kernel.isBufferized()) {
        kernel.emitOpError("works on tensors still: run one-shot-bufferize before row-to-cpu");
        return signalPassFailure();
      }
      OpBuilder builder(kernel);
      KernelEmitter(kernel, builder).emit();
      kernel.erase();
    }
  }
};

} // namespace
