//===- KernelEmitter.cpp - One row program as the body of a GPU kernel --------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "MatrixContraction.h"
#include "SpreadVectors.h"

#include "nag/Dialect/Row/Transforms/Emission.h"
#include "nag/Dialect/Row/Transforms/KernelPlan.h"
#include "nag/Dialect/Row/Transforms/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nag::row;

namespace {

// The GPU's order of sums (docs/design/pipeline.md). Changing one of these changes results.
constexpr int64_t kVirtualLanes = 1024;
constexpr int64_t kProductLanes = 4;

constexpr int64_t kWarp = 32;

/// Rows of a table whose dot products are accumulated in one walk, and whose sums threads exchange at once.
constexpr int64_t kContractionGroup = 4;

/// Values that threads exchange behind one barrier: bounded, so that they take 32 KiB at most, and half of it where a
/// contraction needs the rest.
int64_t getExchangeGroup(KernelOp kernel) {
  ScheduleAttr schedule = *kernel.getSchedule();
  int64_t most = usesTensorCores(kernel) ? 2048 : 4096;
  return std::min<int64_t>(8, most / (schedule.getThreads() * schedule.getRows()));
}

/// What the threads of one row exchange, in words, in two buffers; nothing where a warp has the row to itself.
int64_t getExchangeWords(KernelOp kernel) {
  int64_t threads = kernel.getSchedule()->getThreads();
  return threads == kWarp ? 0 : 2 * getExchangeGroup(kernel) * threads;
}

/// The chunk of a row that a thread has at hand.
struct Chunk {
  Value first;        ///< Index of its first element.
  bool mayPassTheEnd; ///< Whether it can lie past the end of the row, in part or wholly.
};

class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, gpu::GPUFuncOp function, int64_t access)
      : kernel(kernel), function(function), b(kernel.getLoc(), function.getContext()), plan(kernel),
        schedule(*kernel.getSchedule()), access(access), width(kernel.getWidth()), threads(schedule.getThreads()),
        chunks(llvm::divideCeil(width, kChunk)), chunksPerThread(llvm::divideCeil(chunks, threads)),
        lanesPerThread(kVirtualLanes / threads), held(schedule.getKind() != ScheduleKind::Stream) {}

  void emit() {
    b.setInsertionPointToStart(&function.getBody().front());
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    lane = arith::RemUIOp::create(b, thread, index(kWarp));
    spread.emplace(b, lane);
    Value row = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    blockRow = schedule.getRows() > 1 ? gpu::ThreadIdOp::create(b, gpu::Dimension::y).getResult() : index(0);
    Value first = row;
    if (schedule.getRows() > 1) {
      first = arith::MulIOp::create(b, row, index(schedule.getRows()));
      row = arith::AddIOp::create(b, first, blockRow);
    }
    if (schedule.getRows() == 1) {
      emitToken(row);
    } else if (usesTensorCores(kernel)) {
      // All warps of the last block are needed. Those without a row compute the block's first once more.
      present = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row, emitTokenCount());
      emitToken(arith::SelectOp::create(b, present, row, first));
    } else {
      // The last block may have warps without a row; a warp leaves as a whole.
      Value isRow = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row, emitTokenCount());
      auto branch = scf::IfOp::create(b, isRow, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      emitToken(row);
    }
    b.setInsertionPointToEnd(&function.getBody().front());
    gpu::ReturnOp::create(b);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value operandOf(Value argument) { return function.getArgument(cast<BlockArgument>(argument).getArgNumber()); }
  Value tokenOperand() {
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (isa<RowType>(argument.getType()))
        return operandOf(argument);
    llvm_unreachable("outputs of a kernel are rows");
  }

  Value emitTokenCount() {
    Value count = index(1);
    for (int64_t i = 0; i < kernel.getTokenRank(); ++i)
      count = arith::MulIOp::create(b, count, memref::DimOp::create(b, tokenOperand(), i));
    return count;
  }

  /// Takes the number of a token apart into its indices.
  void emitTokenIndices(Value row) {
    int64_t rank = kernel.getTokenRank();
    token.assign(rank, Value());
    for (int64_t i = rank - 1; i > 0; --i) {
      Value size = memref::DimOp::create(b, tokenOperand(), i);
      token[i] = arith::RemUIOp::create(b, row, size);
      row = arith::DivUIOp::create(b, row, size);
    }
    if (rank > 0)
      token[0] = row;
  }

  void emitToken(Value row) {
    emitTokenIndices(row);
    emitScalars(plan.uniform);
    emitScalars(plan.scalars);
    if (held)
      heldChunks.resize(chunksPerThread);
    for (Round &round : plan.rounds)
      emitRound(round);
    emitNumberStores();
  }

  void emitScalars(ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      auto load = dyn_cast<LoadOp>(op);
      if (SpreadVectors::handles(op)) {
        if (load)
          spread->emitLoad(load, operandOf(load.getSource()), scalars);
        else
          spread->emit(op, scalars);
      } else if (load) {
        ValueRange indices = isa<TableType>(load.getSource().getType()) ? ValueRange() : ValueRange(token);
        scalars.map(load.getResult(), emitScalarLoad(b, load, operandOf(load.getSource()), indices));
      } else if (auto expect = dyn_cast<ExpectOp>(op)) {
        scalars.map(expect.getResult(), scalars.lookup(expect.getInput()));
      } else {
        b.clone(*op, scalars);
      }
    }
  }

  void emitNumberStores() {
    if (plan.numberStores.empty())
      return;
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, index(0));
    if (present)
      isFirst = arith::AndIOp::create(b, isFirst, present);
    auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (StoreOp store : plan.numberStores)
      emitNumberStore(b, store, scalars.lookup(store.getValue()), operandOf(store.getDestination()), token);
  }

  //===----------------------------------------------------------------------------------------------===//
  // Rounds
  //===----------------------------------------------------------------------------------------------===//

  void emitRound(Round &round) {
    SmallVector<Accumulation> accumulations;
    for (ReduceOp reduce : round.reductions)
      accumulations.push_back(getAccumulation(reduce));
    // What is stored may take the place of what a contraction reads, where that is read again.
    if (!round.stores.empty())
      for (ContractOp contraction : round.contractions)
        emitContraction(contraction);
    SmallVector<Value> totals = emitExchange(accumulations, emitWalk(accumulations, round.stores));
    for (auto [reduce, total] : llvm::zip_equal(round.reductions, totals)) {
      if (total.getType() != reduce.getType())
        total = arith::TruncIOp::create(b, reduce.getType(), total);
      scalars.map(reduce.getResult(), total);
    }
    if (round.stores.empty())
      for (ContractOp contraction : round.contractions)
        emitContraction(contraction);
    emitScalars(round.scalars);
  }

  void emitMatrixContraction(ContractOp contraction) {
    ArrayRef<BlockArgument> shared = function.getWorkgroupAttributions().take_back(2);
    MatrixContraction matrix(b, contraction, schedule, thread, blockRow, lane, shared.front(), shared.back());
    SmallVector<Operation *> vectors = KernelPlan::getVectorSlice({contraction.getInput()});
    auto load = [&](Value tableRow, Value first) {
      Chunk chunk{first, width % (4 * kChunk) != 0};
      return emitMasked(emitRowLoad(operandOf(contraction.getTable()), tableRow, chunk), chunk);
    };
    auto storeChunk = [&](const Chunk &chunk, Value position, IRMapping &values) {
      emitVectors(vectors, chunk, values);
      matrix.emitRowStore(emitMasked(values.lookup(contraction.getInput()), chunk), position, chunk.mayPassTheEnd);
    };
    if (held) {
      for (int64_t k = 0; k < chunksPerThread; ++k) {
        Chunk chunk = getHeldChunk(k);
        storeChunk(chunk, chunk.first, heldChunks[k]);
      }
      matrix.emitSegment(/*first=*/{}, load);
    } else {
      // Others may still read the sums of the contraction before.
      if (hasContracted)
        gpu::BarrierOp::create(b);
      matrix.emitInitialSums();
      auto loop = scf::ForOp::create(b, index(0), index(llvm::divideCeil(chunks, kVirtualLanes)), index(1));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value first = arith::MulIOp::create(b, loop.getInductionVar(), index(MatrixContraction::kSegment));
      for (int64_t j = 0; j < lanesPerThread; ++j) {
        Chunk chunk = getStreamedChunk(loop.getInductionVar(), j);
        IRMapping values;
        storeChunk(chunk, arith::SubIOp::create(b, chunk.first, first), values);
      }
      matrix.emitSegment(first, load);
    }
    hasContracted = true;
    scalars.map(contraction.getResult(),
                spread->generate(contraction.getType(), [&](Value position) { return matrix.emitSum(position); }));
  }

  void emitContraction(ContractOp contraction) {
    if (usesTensorCores(contraction))
      return emitMatrixContraction(contraction);
    VectorType type = contraction.getType();
    SmallVector<Accumulation> products = getAccumulations(contraction);
    // The exchange ends a group: what waits behind its barrier holds no registers yet.
    Value result;
    for (size_t first = 0; first < products.size(); first += kContractionGroup) {
      auto group = ArrayRef(products).slice(first).take_front(kContractionGroup);
      for (auto [i, total] : llvm::enumerate(emitExchange(group, emitWalk(group, {}))))
        result = spread->insert(result, type, total, first + i);
    }
    scalars.map(contraction.getResult(), result);
  }

  /// Walks over the chunks of this thread: accumulates, stores rows, and gives what this thread has of each sum.
  SmallVector<Value> emitWalk(ArrayRef<Accumulation> accumulations, ArrayRef<StoreOp> stores) {
    if (accumulations.empty() && stores.empty())
      return {};
    SmallVector<Value> roots;
    for (const Accumulation &accumulation : accumulations) {
      roots.push_back(accumulation.input);
      if (accumulation.factor)
        roots.push_back(accumulation.factor);
    }
    for (StoreOp store : stores)
      roots.push_back(store.getValue());
    SmallVector<Operation *> vectors = KernelPlan::getVectorSlice(roots);
    return held ? emitHeldWalk(accumulations, stores, vectors) : emitStreamedWalk(accumulations, stores, vectors);
  }

  /// The thread's part of the row stays in registers, so that every chunk has code of its own; there is one for each
  /// virtual lane at most.
  SmallVector<Value> emitHeldWalk(ArrayRef<Accumulation> accumulations, ArrayRef<StoreOp> stores,
                                  ArrayRef<Operation *> vectors) {
    // lanes[a][j]: virtual lane thread + j * threads of accumulation a.
    SmallVector<SmallVector<Value>> lanes(accumulations.size());
    for (int64_t k = 0; k < chunksPerThread; ++k) {
      Chunk chunk = getHeldChunk(k);
      IRMapping &values = heldChunks[k];
      emitVectors(vectors, chunk, values);
      for (auto [accumulation, lane] : llvm::zip_equal(accumulations, lanes))
        lane.push_back(emitTerm(accumulation, chunk, values));
      for (StoreOp store : stores)
        emitRowStore(store, values.lookup(store.getValue()), chunk);
    }
    return foldLanes(accumulations, lanes);
  }

  /// The row is read again in every walk, in a loop over what one lane adds up.
  SmallVector<Value> emitStreamedWalk(ArrayRef<Accumulation> accumulations, ArrayRef<StoreOp> stores,
                                      ArrayRef<Operation *> vectors) {
    int64_t steps = llvm::divideCeil(chunks, kVirtualLanes);
    SmallVector<Value> init;
    for (const Accumulation &accumulation : accumulations)
      init.append(lanesPerThread, emitZero(b, accumulation.type()));
    auto loop = scf::ForOp::create(b, index(0), index(steps), index(1), init);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> next(loop.getRegionIterArgs());
      for (int64_t j = 0; j < lanesPerThread; ++j) {
        Chunk chunk = getStreamedChunk(loop.getInductionVar(), j);
        IRMapping values;
        emitVectors(vectors, chunk, values);
        for (auto [i, accumulation] : llvm::enumerate(accumulations)) {
          Value &lane = next[i * lanesPerThread + j];
          lane = emitCombine(b, accumulation.kind, lane, emitTerm(accumulation, chunk, values));
        }
        for (StoreOp store : stores)
          emitRowStore(store, values.lookup(store.getValue()), chunk);
      }
      // A loop without values to carry has its terminator already.
      if (!next.empty())
        scf::YieldOp::create(b, next);
    }
    SmallVector<SmallVector<Value>> lanes;
    for (size_t i = 0; i < accumulations.size(); ++i)
      lanes.emplace_back(loop.getResults().slice(i * lanesPerThread, lanesPerThread));
    return foldLanes(accumulations, lanes);
  }

  Value emitTableLoad(const Accumulation &accumulation, const Chunk &chunk) {
    Value stored = emitRowLoad(operandOf(accumulation.table), index(accumulation.tableRow), chunk);
    return emitMasked(convertElements(b, stored, accumulation.type()), chunk);
  }

  /// What a chunk adds to its lane. A product is fused with the first addition of the fold.
  Value emitTerm(const Accumulation &accumulation, const Chunk &chunk, const IRMapping &values) {
    auto summand = [&](Value vector) {
      // Nothing here is faster in 16 bits.
      if (auto narrow = vector.getDefiningOp<NarrowOp>())
        vector = narrow.getInput();
      return convertElements(b, emitMasked(values.lookup(vector), chunk), accumulation.type());
    };
    Value value = summand(accumulation.input);
    Value factor;
    if (accumulation.factor)
      factor = summand(accumulation.factor);
    else if (accumulation.table)
      factor = emitTableLoad(accumulation, chunk);
    else
      return emitFold(b, accumulation.kind, value);
    auto part = [&](Value vector, int64_t i) { return slice(vector, i * kProductLanes, kProductLanes); };
    Value products = arith::MulFOp::create(b, part(value, 0), part(factor, 0));
    for (int64_t i = 1; i < kChunk / kProductLanes; ++i)
      products = math::FmaOp::create(b, part(value, i), part(factor, i), products);
    return emitFold(b, accumulation.kind, products);
  }

  /// Lanes within the thread onto each other, from the largest stride to the smallest.
  SmallVector<Value> foldLanes(ArrayRef<Accumulation> accumulations, MutableArrayRef<SmallVector<Value>> lanes) {
    SmallVector<Value> result;
    for (auto [accumulation, values] : llvm::zip_equal(accumulations, lanes)) {
      for (int64_t stride = lanesPerThread / 2; stride >= 1; stride /= 2)
        for (int64_t j = 0; j < stride && j + stride < static_cast<int64_t>(values.size()); ++j)
          values[j] = emitCombine(b, accumulation.kind, values[j], values[j + stride]);
      // Threads exchange words.
      Value value = values.front();
      if (value.getType().isInteger(16))
        value = arith::ExtUIOp::create(b, b.getI32Type(), value);
      result.push_back(value);
    }
    return result;
  }

  //===----------------------------------------------------------------------------------------------===//
  // Exchange between threads
  //===----------------------------------------------------------------------------------------------===//

  /// The sums of all threads of the row, known to every one of them.
  SmallVector<Value> emitExchange(ArrayRef<Accumulation> accumulations, SmallVector<Value> partials) {
    if (threads > kWarp) {
      int64_t group = getExchangeGroup(kernel);
      for (size_t first = 0; first < partials.size(); first += group)
        exchangeAcrossWarps(accumulations.slice(first).take_front(group),
                            MutableArrayRef(partials).slice(first).take_front(group));
    }
    for (auto [accumulation, value] : llvm::zip_equal(accumulations, partials)) {
      for (int32_t stride = kWarp / 2; stride >= 1; stride /= 2) {
        Value other = gpu::ShuffleOp::create(b, value, stride, kWarp, gpu::ShuffleMode::XOR).getShuffleResult();
        value = emitCombine(b, accumulation.kind, value, other);
      }
      // Whether absent lanes were added as zeros or not shows in the sign of a zero only.
      if (accumulation.kind == ReduceKind::Add)
        value = arith::AddFOp::create(b, value, emitZero(b, value.getType()));
    }
    return partials;
  }

  /// Strides of a warp and more: every warp reads what all warps wrote. Two buffers take turns, so that one barrier is
  /// enough: who writes a buffer again has passed the barrier of the other, behind which nobody reads the first.
  void exchangeAcrossWarps(ArrayRef<Accumulation> accumulations, MutableArrayRef<Value> partials) {
    Value shared = function.getWorkgroupAttributions().front();
    int64_t base = exchanges++ % 2 * getExchangeGroup(kernel) * threads;
    auto at = [&](int64_t offset, Value position) {
      if (schedule.getRows() > 1)
        position =
            arith::AddIOp::create(b, position, arith::MulIOp::create(b, blockRow, index(getExchangeWords(kernel))));
      return this->at(offset, position);
    };
    IntegerType word = b.getI32Type();
    for (auto [i, value] : llvm::enumerate(partials)) {
      Value bits = value.getType() == word ? value : arith::BitcastOp::create(b, word, value).getResult();
      memref::StoreOp::create(b, bits, shared, at(base + i * threads, thread));
    }
    gpu::BarrierOp::create(b);
    int64_t warps = threads / kWarp;
    for (auto [i, accumulation, value] : llvm::enumerate(accumulations, partials)) {
      SmallVector<Value> values;
      for (int64_t warp = 0; warp < warps; ++warp) {
        Value bits = memref::LoadOp::create(b, shared, at(base + i * threads + warp * kWarp, lane));
        values.push_back(value.getType() == word ? bits : arith::BitcastOp::create(b, value.getType(), bits));
      }
      for (int64_t stride = warps / 2; stride >= 1; stride /= 2)
        for (int64_t j = 0; j < stride; ++j)
          values[j] = emitCombine(b, accumulation.kind, values[j], values[j + stride]);
      value = values.front();
    }
  }

  Value at(int64_t offset, Value position) { return arith::AddIOp::create(b, position, index(offset)); }

  //===----------------------------------------------------------------------------------------------===//
  // Chunks
  //===----------------------------------------------------------------------------------------------===//

  /// Chunk `k` of this thread.
  Chunk getHeldChunk(int64_t k) {
    Value number = arith::AddIOp::create(b, thread, index(k * threads));
    return {arith::MulIOp::create(b, number, index(kChunk)), (k + 1) * threads * kChunk > width};
  }

  /// The chunk of the j-th virtual lane of this thread in a step of a streamed walk.
  Chunk getStreamedChunk(Value step, int64_t j) {
    Value first = arith::AddIOp::create(b, arith::MulIOp::create(b, step, index(kVirtualLanes)), thread);
    Value number = arith::AddIOp::create(b, first, index(j * threads));
    return {arith::MulIOp::create(b, number, index(kChunk)), width % (kVirtualLanes * kChunk) != 0};
  }

  /// Row vectors of a chunk; what `values` has already is not computed again.
  void emitVectors(ArrayRef<Operation *> vectors, const Chunk &chunk, IRMapping &values) {
    for (Operation *op : vectors) {
      if (values.contains(op->getResult(0)))
        continue;
      if (auto load = dyn_cast<LoadOp>(op)) {
        // Loads of one row in several types read it once: what is kept is what is stored. No later pass could join
        // them, because barriers lie between.
        Value stored = values.lookupOrNull(load.getSource());
        if (!stored) {
          stored = emitPresentRowLoad(operandOf(load.getSource()), chunk);
          values.map(load.getSource(), stored);
        }
        Type elementType = cast<VecType>(load.getType()).getElementType();
        values.map(load.getResult(), convertElements(b, stored, elementType));
        continue;
      }
      if (auto narrow = dyn_cast<NarrowOp>(op)) {
        Type elementType = cast<VecType>(narrow.getType()).getElementType();
        values.map(narrow.getResult(), convertElements(b, values.lookup(narrow.getInput()), elementType));
        continue;
      }
      auto map = cast<MapOp>(op);
      SmallVector<Value> inputs;
      for (Value input : map.getInputs())
        inputs.push_back(values.lookup(input));
      values.map(map.getResult(), emitMap(b, map, inputs, scalars));
    }
  }

  Value slice(Value vector, int64_t first, int64_t count) {
    return vector::ExtractStridedSliceOp::create(b, vector, first, count, ArrayRef<int64_t>(1));
  }

  /// Elements that one access of `type` takes: as many as the row allows, and 128 bits at the most.
  int64_t getAccessElements(Type type) { return std::min<int64_t>(access, 128 / type.getIntOrFloatBitWidth()); }

  /// Past the end of the row the last elements are read once more, instead of a branch; they are masked where it
  /// matters.
  Value emitRowLoad(Value memref, ValueRange leading, const Chunk &chunk) {
    Type stored = cast<MemRefType>(memref.getType()).getElementType();
    int64_t count = getAccessElements(stored);
    auto part = VectorType::get(count, stored);
    Value result = emitZero(b, VectorType::get(kChunk, stored));
    for (int64_t i = 0; i < kChunk; i += count) {
      Value position = at(i, chunk.first);
      if (chunk.mayPassTheEnd)
        position = arith::MinUIOp::create(b, position, index(width - count));
      SmallVector<Value> indices(leading);
      indices.push_back(position);
      auto load = vector::LoadOp::create(b, part, memref, indices);
      load.setAlignment(getAccessAlignment(count, stored));
      if (count == kChunk)
        return load;
      result = vector::InsertStridedSliceOp::create(b, load, result, i, ArrayRef<int64_t>(1));
    }
    return result;
  }

  /// Loads of this thread's row. A thread without one reads that of others, until they may have stored it.
  Value emitPresentRowLoad(Value memref, const Chunk &chunk) {
    if (!present || !hasContracted)
      return emitRowLoad(memref, token, chunk);
    auto type = VectorType::get(kChunk, cast<MemRefType>(memref.getType()).getElementType());
    auto branch = scf::IfOp::create(b, type, present, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, emitRowLoad(memref, token, chunk));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, emitZero(b, type));
    return branch.getResult(0);
  }

  void emitRowStore(StoreOp store, Value value, const Chunk &chunk) {
    Value memref = operandOf(store.getDestination());
    Type stored = cast<MemRefType>(memref.getType()).getElementType();
    value = convertElements(b, value, stored);
    int64_t count = getAccessElements(stored);
    OpBuilder::InsertionGuard guard(b);
    if (present)
      b.setInsertionPointToStart(scf::IfOp::create(b, present, /*withElseRegion=*/false).thenBlock());
    for (int64_t i = 0; i < kChunk; i += count) {
      OpBuilder::InsertionGuard guard(b);
      Value position = at(i, chunk.first);
      if (chunk.mayPassTheEnd) {
        Value isIn = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position, index(width));
        b.setInsertionPointToStart(scf::IfOp::create(b, isIn, /*withElseRegion=*/false).thenBlock());
      }
      SmallVector<Value> indices(token);
      indices.push_back(position);
      auto result = vector::StoreOp::create(b, count == kChunk ? value : slice(value, i, count), memref, indices);
      result.setAlignment(getAccessAlignment(count, stored));
    }
  }

  /// Elements past the row must not join a sum, whatever the map made of them.
  Value emitMasked(Value value, const Chunk &chunk) {
    if (!chunk.mayPassTheEnd)
      return value;
    Value zero = emitZero(b, value.getType());
    if (width % kChunk == 0) {
      Value isIn = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, chunk.first, index(width));
      return arith::SelectOp::create(b, isIn, value, zero);
    }
    SmallVector<Value> elements;
    for (int64_t i = 0; i < kChunk; ++i)
      elements.push_back(arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at(i, chunk.first), index(width)));
    Value mask = vector::FromElementsOp::create(b, VectorType::get(kChunk, b.getI1Type()), elements);
    return arith::SelectOp::create(b, mask, value, zero);
  }

  KernelOp kernel;
  gpu::GPUFuncOp function;
  ImplicitLocOpBuilder b;
  KernelPlan plan;
  ScheduleAttr schedule;
  int64_t access, width, threads;
  int64_t chunks, chunksPerThread, lanesPerThread;
  bool held;
  int64_t exchanges = 0;
  Value thread, lane, blockRow;
  SmallVector<Value> token;
  IRMapping scalars;
  std::optional<SpreadVectors> spread;
  SmallVector<IRMapping, 0> heldChunks;
  /// Whether there is a row for this thread, or null where there always is.
  Value present;
  /// Whether threads have met in a contraction, and others may be further on.
  bool hasContracted = false;
};

} // namespace

int64_t nag::row::getWidestAccess(int64_t width) {
  int64_t access = kChunk;
  while (width % access != 0)
    access /= 2;
  return access;
}

int64_t nag::row::getAccessAlignment(int64_t elements, Type type) {
  return std::min<int64_t>(16, elements * type.getIntOrFloatBitWidth() / 8);
}

SmallVector<MemRefType> nag::row::getSharedMemory(KernelOp kernel) {
  ScheduleAttr schedule = *kernel.getSchedule();
  auto space = gpu::AddressSpaceAttr::get(kernel.getContext(), gpu::AddressSpace::Workgroup);
  SmallVector<MemRefType> shared;
  auto add = [&](int64_t elements, Type type) {
    shared.push_back(MemRefType::get(elements, type, MemRefLayoutAttrInterface{}, space));
  };
  Builder b(kernel.getContext());
  if (int64_t words = getExchangeWords(kernel))
    add(schedule.getRows() * words, b.getI32Type());
  if (!usesTensorCores(kernel))
    return shared;
  add(MatrixContraction::getRowElements(kernel.getWidth(), schedule), b.getI16Type());
  int64_t sums = 0;
  for (ContractOp contraction : kernel.getBody().getOps<ContractOp>())
    sums = std::max(sums,
                    MatrixContraction::getSumWords(contraction.getType().getDimSize(0), kernel.getWidth(), schedule));
  add(sums, b.getF32Type());
  return shared;
}

void nag::row::emitKernelBody(KernelOp kernel, gpu::GPUFuncOp function, int64_t access) {
  KernelEmitter(kernel, function, access).emit();
}
