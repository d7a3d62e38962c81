//===- RowToCPU.cpp - Row programs as parallel loops of vector code -----------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "Scratch.h"

#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Row/IR/RowDialect.h"
#include "nag/Dialect/Row/Transforms/Emission.h"
#include "nag/Dialect/Row/Transforms/KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

/// The round in which the next token's rows are prefetched: the first round waits for memory, the others would not use
/// it.
constexpr size_t kPrefetchRound = 1;
constexpr int64_t kCacheLineBytes = 64;

/// Destinations of more bytes than this go past the caches: they would push out what is read next, and a row that is
/// written by ordinary stores is read from memory first. Smaller ones may still be there when the next kernel reads
/// them.
constexpr int64_t kStreamFromBytes = 16 * 1024 * 1024;

/// Products with rows of a table that are accumulated in one walk, so that their accumulators stay in registers, and
/// what else a walk accumulates at the most if it has products to accumulate.
constexpr size_t kProductsInWalk = 4;
constexpr size_t kOthersBesideProducts = 1;

/// Emits one kernel.
class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, OpBuilder &builder)
      : kernel(kernel), b(kernel.getLoc(), builder), plan(kernel), width(kernel.getWidth()),
        scratch(plan, llvm::alignTo(width, kLanes)) {}

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
    for (Type type : scratch.getBuffers())
      buffers.push_back(memref::AllocaOp::create(b, MemRefType::get(padded, type), b.getI64IntegerAttr(kLanes)));
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
      } else if (auto expect = dyn_cast<ExpectOp>(op)) {
        scalars.map(expect.getResult(), scalars.lookup(expect.getInput()));
      } else {
        b.clone(*op, scalars);
      }
    }
  }

  //===----------------------------------------------------------------------------------------------===//
  // Rounds
  //===----------------------------------------------------------------------------------------------===//

  void emitRound(Round &round) {
    SmallVector<Accumulation> others, products;
    for (ReduceOp reduce : round.reductions)
      others.push_back(getAccumulation(reduce));
    for (ContractOp contraction : round.contractions)
      llvm::append_range(products, getAccumulations(contraction));

    // The first walk has all but products, and some of them if there is room.
    SmallVector<Value> totals, productTotals;
    ArrayRef<Accumulation> rest = products;
    size_t room = others.size() <= kOthersBesideProducts ? std::min(kProductsInWalk, rest.size()) : 0;
    SmallVector<Accumulation> first(others);
    llvm::append_range(first, rest.take_front(room));
    rest = rest.drop_front(room);
    if (!first.empty() || !round.stores.empty())
      totals = emitAccumulations(first, round.stores);
    productTotals.append(totals.begin() + others.size(), totals.end());
    for (; !rest.empty(); rest = rest.drop_front(std::min(kProductsInWalk, rest.size())))
      llvm::append_range(productTotals, emitAccumulations(rest.take_front(kProductsInWalk), {}));

    for (auto [reduce, total] : llvm::zip(round.reductions, totals))
      scalars.map(reduce.getResult(), total);
    auto next = productTotals.begin();
    for (ContractOp contraction : round.contractions) {
      int64_t count = contraction.getType().getDimSize(0);
      scalars.map(
          contraction.getResult(),
          vector::FromElementsOp::create(b, contraction.getType(), SmallVector<Value>(next, next + count)).getResult());
      next += count;
    }
    emitScalars(round.scalars);
  }

  /// One walk: accumulates and stores.
  SmallVector<Value> emitAccumulations(ArrayRef<Accumulation> accumulations, ArrayRef<StoreOp> stores) {
    SmallVector<Value> roots;
    SmallVector<ReduceKind> kinds;
    SmallVector<Type> types;
    for (const Accumulation &accumulation : accumulations) {
      roots.push_back(accumulation.input);
      if (accumulation.factor)
        roots.push_back(accumulation.factor);
      kinds.push_back(accumulation.kind);
      types.push_back(lanesOf(accumulation.type()));
    }
    for (StoreOp store : stores)
      roots.push_back(store.getValue());

    auto step = [&](const Step &step, ValueRange accumulators) {
      if (currentRound == kPrefetchRound && !step.mask && !accumulations.front().table)
        emitPrefetch(step);
      IRMapping values = emitVectors(roots, step);
      SmallVector<Value> next;
      for (auto [accumulation, accumulator] : llvm::zip_equal(accumulations, accumulators))
        next.push_back(emitAccumulate(accumulation, accumulator, values, step));
      for (StoreOp store : stores)
        emitRowStore(store, values.lookup(store.getValue()), step);
      return next;
    };
    auto walk = [&]() { return emitWalk(types, kinds, step); };
    SmallVector<Value> lanes = stores.empty() || width < kLanes ? walk() : emitStoringWalk(stores, walk);
    SmallVector<Value> totals;
    for (auto [kind, lane] : llvm::zip_equal(kinds, lanes))
      totals.push_back(emitFold(b, kind, lane));
    return totals;
  }

  Value emitAccumulate(const Accumulation &accumulation, Value accumulator, const IRMapping &values, const Step &step) {
    auto summand = [&](Value vector) {
      return convertElements(b, emitMasked(values.lookup(vector), step), accumulation.type());
    };
    Value value = summand(accumulation.input), factor;
    if (accumulation.factor) {
      factor = summand(accumulation.factor);
    } else if (accumulation.table) {
      Value row = arith::ConstantIndexOp::create(b, accumulation.tableRow);
      factor = emitVectorLoad(operandOf(accumulation.table), {row, step.index}, step.mask, accumulation.type());
    } else {
      return emitCombine(b, accumulation.kind, accumulator, value);
    }
    return math::FmaOp::create(b, value, factor, accumulator);
  }

  /// Two versions of a walk that stores: past the caches, where the rows are large altogether and begin at a cache line
  /// each, and through them.
  SmallVector<Value> emitStoringWalk(ArrayRef<StoreOp> stores, function_ref<SmallVector<Value>()> walk) {
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
    auto emit = [&](bool pastCaches) {
      return [&, pastCaches](OpBuilder &nested, Location loc) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
        storesPastCaches = pastCaches;
        scf::YieldOp::create(b, walk());
      };
    };
    return scf::IfOp::create(b, arith::AndIOp::create(b, isLarge, isAligned), emit(true), emit(false)).getResults();
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
    auto isKept = [&](Operation *op) { return scratch.isKeptBefore(op, currentRound); };
    for (Operation *op : KernelPlan::getVectorSlice(roots, isKept)) {
      Value result = op->getResult(0);
      std::optional<size_t> buffer = scratch.getBuffer(op);
      if (isKept(op)) {
        values.map(result, vector::LoadOp::create(b, lanesOf(elementTypeOf(result)), buffers[*buffer], step.index));
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
      if (buffer)
        vector::StoreOp::create(b, value, buffers[*buffer], step.index);
    }
    return values;
  }

  static Type elementTypeOf(Value vec) { return cast<VecType>(vec.getType()).getElementType(); }

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

  Scratch scratch;
  SmallVector<Value> buffers;
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
