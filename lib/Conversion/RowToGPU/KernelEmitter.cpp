//===- KernelEmitter.cpp - One row program as the body of a GPU kernel --------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "ChunkAccess.h"
#include "Exchange.h"
#include "MatrixContraction.h"
#include "SpreadVectors.h"
#include "TableCopy.h"

#include "nag/Dialect/Row/Transforms/Emission.h"
#include "nag/Dialect/Row/Transforms/KernelPlan.h"
#include "nag/Dialect/Row/Transforms/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nag::row;

namespace {

// The GPU's order of sums (docs/design/pipeline.md). Changing one of these changes results.
constexpr int64_t kVirtualLanes = 1024;

constexpr int64_t kWarp = 32;

/// Rows of a table whose dot products are accumulated in one walk, and whose sums threads exchange at once, where there
/// are too many for one exchange.
constexpr int64_t kContractionGroup = 8;

/// The most bytes of the next token's rows that a thread holds while it works on a token.
constexpr int64_t kMostBytesAhead = 128;

class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, gpu::GPUFuncOp function, int64_t access)
      : kernel(kernel), function(function), b(kernel.getLoc(), function.getContext()), plan(kernel),
        schedule(*kernel.getSchedule()), layout(kernel, schedule), width(kernel.getWidth()),
        threads(schedule.getThreads()), rows(schedule.getRows()), chunks(llvm::divideCeil(width, kChunk)),
        chunksPerThread(llvm::divideCeil(chunks, threads)), lanesPerThread(kVirtualLanes / threads),
        held(schedule.getKind() != ScheduleKind::Stream), memory(b, width, access) {}

  void emit() {
    b.setInsertionPointToStart(&function.getBody().front());
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    lane = arith::RemUIOp::create(b, thread, index(kWarp));
    spread.emplace(b, lane);
    blockRow = rows > 1 ? gpu::ThreadIdOp::create(b, gpu::Dimension::y).getResult() : index(0);
    emitSharedMemory();
    if (schedule.getPersistent())
      emitPersistent();
    else
      emitBlock();
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

  /// The rows of a block are neighbours.
  void emitBlock() {
    emitScalars(plan.uniform);
    Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    if (rows == 1)
      return emitToken(first);
    first = arith::MulIOp::create(b, first, index(rows));
    Value row = getRow(first, index(1));
    if (layout.hasMatrix)
      return emitToken(row);
    // The last block may have threads without a row; those of a row leave together.
    auto branch =
        scf::IfOp::create(b, arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row, emitTokenCount()), false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitToken(row);
  }

  /// This thread's row among those that begin with number `first`, which exists, and are `distance` apart. Where all
  /// threads of a block are needed, those without a row compute the first one once more.
  Value getRow(Value first, Value distance) {
    if (rows == 1)
      return first;
    Value row = arith::AddIOp::create(b, first, arith::MulIOp::create(b, blockRow, distance));
    if (!layout.hasMatrix)
      return row;
    present = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row, emitTokenCount());
    return arith::SelectOp::create(b, present, row, first);
  }

  void emitToken(Value row) {
    emitTokenIndices(row);
    emitScalars(plan.scalars);
    if (held)
      heldChunks.resize(chunksPerThread);
    for (Round &round : plan.rounds)
      emitRound(round);
    emitNumberStores();
  }

  void emitScalars(ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      // A number that was read ahead.
      if (scalars.contains(op->getResult(0)))
        continue;
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
  // A grid that stays
  //===----------------------------------------------------------------------------------------------===//

  /// Static buffers, or pieces of dynamic shared memory, which may be more than 48 KiB. Both at once LLVM would lay
  /// over each other.
  void emitSharedMemory() {
    SmallVector<Value> buffers(function.getWorkgroupAttributions());
    if (schedule.getPersistent() && !layout.buffers.empty()) {
      auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
      auto bytes = MemRefType::get(ShapedType::kDynamic, b.getI8Type(), MemRefLayoutAttrInterface{}, space);
      Value all = gpu::DynamicSharedMemoryOp::create(b, bytes);
      for (auto [buffer, offset] : llvm::zip(layout.buffers, layout.getOffsets()))
        buffers.push_back(memref::ViewOp::create(b, buffer.getType(), all, index(offset), ValueRange()));
    }
    ArrayRef<Value> rest = buffers;
    auto take = [&]() {
      Value buffer = rest.front();
      rest = rest.drop_front();
      return buffer;
    };
    Value words = layout.exchangeWords ? take() : Value();
    exchange.emplace(b, schedule, layout, Exchange::Place{thread, lane, blockRow}, words, [&] { emitRowBarrier(); });
    if (layout.hasMatrix) {
      matrixRows = take();
      matrixSums = take();
    }
    for (BlockArgument table : layout.tables)
      tables.try_emplace(table, b, cast<TableType>(table.getType()), take());
  }

  /// Every block goes from row to row. The rows of a block are as many apart as there are blocks, so that few rows are
  /// on many multiprocessors.
  void emitPersistent() {
    Value count = emitTokenCount();
    Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value distance = gpu::GridDimOp::create(b, gpu::Dimension::x);
    Value stride = arith::MulIOp::create(b, distance, index(rows));
    Value threadOfBlock = thread;
    if (rows > 1)
      threadOfBlock = arith::AddIOp::create(b, thread, arith::MulIOp::create(b, blockRow, index(threads)));
    for (BlockArgument table : layout.tables)
      tables.find(table)->second.emitStart(operandOf(table), threadOfBlock, threads * rows, memory);
    // Rows are each on their own, unless their contractions meet.
    if (!layout.hasMatrix)
      first = getRow(first, distance);
    auto getOwnRow = [&](Value row) { return layout.hasMatrix ? getRow(row, distance) : row; };
    findAhead();
    SmallVector<Value> ahead = emitLoadsAhead(first, count, getOwnRow);
    emitScalars(plan.uniform);
    if (!tables.empty()) {
      TableCopy::emitWait(b);
      gpu::BarrierOp::create(b);
    }

    auto loop = scf::ForOp::create(b, first, count, stride, ahead);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value here = loop.getInductionVar();
    SmallVector<Value> next = emitLoadsAhead(arith::AddIOp::create(b, here, stride), count, getOwnRow);
    useAhead(loop.getRegionIterArgs());
    emitToken(getOwnRow(here));
    exchange->emitBeginAgain();
    if (!next.empty())
      scf::YieldOp::create(b, next);
  }

  /// Which rows and numbers a thread can hold for the next token.
  void findAhead() {
    int64_t bytes = 0;
    for (LoadOp load : kernel.getBody().getOps<LoadOp>()) {
      auto type = dyn_cast<RowType>(load.getSource().getType());
      if (!type)
        continue;
      if (type.getShape().empty()) {
        numbersAhead.push_back(load);
        continue;
      }
      int64_t more = chunksPerThread * kChunk * type.getElementType().getIntOrFloatBitWidth() / 8;
      if (!held || bytes + more > kMostBytesAhead || llvm::is_contained(rowsAhead, load.getSource()))
        continue;
      rowsAhead.push_back(load.getSource());
      bytes += more;
    }
  }

  /// Reads what the thread's own row among those from number `first` on needs; zeros if there is none.
  SmallVector<Value> emitLoadsAhead(Value first, Value count, function_ref<Value(Value)> getOwnRow) {
    if (rowsAhead.empty() && numbersAhead.empty())
      return {};
    SmallVector<Type> types;
    for (Value row : rowsAhead)
      types.append(chunksPerThread, VectorType::get(kChunk, cast<RowType>(row.getType()).getElementType()));
    for (LoadOp load : numbersAhead)
      types.push_back(load.getType());
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, first, count);
    auto branch = scf::IfOp::create(b, types, exists, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    emitTokenIndices(getOwnRow(first));
    SmallVector<Value> values;
    for (Value row : rowsAhead)
      for (int64_t k = 0; k < chunksPerThread; ++k)
        values.push_back(memory.load(operandOf(row), token, getHeldChunk(k)));
    for (LoadOp load : numbersAhead)
      values.push_back(emitScalarLoad(b, load, operandOf(load.getSource()), token));
    scf::YieldOp::create(b, values);
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Value> zeros;
    for (Type type : types)
      zeros.push_back(emitZero(b, type));
    scf::YieldOp::create(b, zeros);
    return branch.getResults();
  }

  void useAhead(ValueRange ahead) {
    heldChunks.resize(held ? chunksPerThread : 0);
    auto next = ahead.begin();
    for (Value row : rowsAhead)
      for (int64_t k = 0; k < chunksPerThread; ++k)
        heldChunks[k].map(row, *next++);
    for (LoadOp load : numbersAhead)
      scalars.map(load.getResult(), *next++);
  }

  /// The threads of a row wait for each other: all of the block, or those of one row where rows go on by themselves.
  void emitRowBarrier() {
    if (rows == 1 || layout.hasMatrix) {
      gpu::BarrierOp::create(b);
      return;
    }
    // Barrier 0 is the block's.
    Type i32 = b.getI32Type();
    Value number =
        arith::AddIOp::create(b, arith::IndexCastOp::create(b, i32, blockRow), arith::ConstantIntOp::create(b, 1, 32));
    NVVM::BarrierOp::create(b, /*res=*/Type(), number, arith::ConstantIntOp::create(b, threads, 32),
                            NVVM::BarrierReductionAttr(), /*reductionPredicate=*/Value());
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
    SmallVector<Value> totals = emitTotals(accumulations, round.stores);
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
    MatrixContraction matrix(b, contraction, schedule, thread, blockRow, lane, matrixRows, matrixSums);
    SmallVector<Operation *> vectors = KernelPlan::getVectorSlice({contraction.getInput()});
    auto load = [&](Value tableRow, Value first) {
      Chunk chunk{first, width % (4 * kChunk) != 0};
      return memory.mask(emitTableLoad(contraction.getTable(), tableRow, chunk), chunk);
    };
    auto storeChunk = [&](const Chunk &chunk, Value position, IRMapping &values) {
      emitVectors(vectors, chunk, values);
      matrix.emitRowStore(memory.mask(values.lookup(contraction.getInput()), chunk), position, chunk.mayPassTheEnd);
    };
    if (held) {
      for (int64_t k = 0; k < chunksPerThread; ++k) {
        Chunk chunk = getHeldChunk(k);
        storeChunk(chunk, chunk.first, heldChunks[k]);
      }
      matrix.emitSegment(/*first=*/{}, load);
    } else {
      // Others may still read the sums of the contraction before.
      if (hasContracted || schedule.getPersistent())
        gpu::BarrierOp::create(b);
      matrix.emitInitialSums();
      auto loop = scf::ForOp::create(b, index(0), index(llvm::divideCeil(chunks, kVirtualLanes)), index(1));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value first = arith::MulIOp::create(b, loop.getInductionVar(), index(MatrixShape::kSegment));
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
    if (exchange->prefersSums(products)) {
      // A lane reads the components that it keeps.
      exchange->emitSums(emitWalk(products, {}), [&](function_ref<Value(Value)> getTotal) {
        scalars.map(contraction.getResult(), spread->generate(type, [&](Value position) {
          return getTotal(arith::MinUIOp::create(b, position, index(type.getDimSize(0) - 1)));
        }));
      });
      return;
    }
    // The exchange ends a group: what waits behind its barrier holds no registers yet.
    Value result;
    for (size_t first = 0; first < products.size(); first += kContractionGroup) {
      auto group = ArrayRef(products).slice(first).take_front(kContractionGroup);
      for (auto [i, total] : llvm::enumerate(emitTotals(group, {})))
        result = spread->insert(result, type, total, first + i);
    }
    scalars.map(contraction.getResult(), result);
  }

  /// Walks over the row, and what it accumulates, known to every thread.
  SmallVector<Value> emitTotals(ArrayRef<Accumulation> accumulations, ArrayRef<StoreOp> stores) {
    return exchange->emit(accumulations, emitWalk(accumulations, stores));
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

  Value emitTableLoad(Value table, Value tableRow, const Chunk &chunk) {
    auto copy = tables.find(table);
    return copy != tables.end() ? copy->second.emitLoad(tableRow, chunk)
                                : memory.load(operandOf(table), tableRow, chunk);
  }

  /// What a chunk adds to its lane. Products are fused with their addition.
  Value emitTerm(const Accumulation &accumulation, const Chunk &chunk, const IRMapping &values) {
    auto summand = [&](Value vector) {
      // Nothing here is faster in 16 bits.
      if (auto narrow = vector.getDefiningOp<NarrowOp>())
        vector = narrow.getInput();
      return convertElements(b, memory.mask(values.lookup(vector), chunk), accumulation.type());
    };
    Value value = summand(accumulation.input);
    Value factor;
    if (accumulation.factor)
      factor = summand(accumulation.factor);
    else if (accumulation.table)
      factor = memory.mask(convertElements(b, emitTableLoad(accumulation.table, index(accumulation.tableRow), chunk),
                                           accumulation.type()),
                           chunk);
    else
      return emitFold(b, accumulation.kind, value);
    auto element = [&](Value vector, int64_t i) { return vector::ExtractOp::create(b, vector, i).getResult(); };
    Value products = arith::MulFOp::create(b, element(value, 0), element(factor, 0));
    for (int64_t i = 1; i < kChunk; ++i)
      products = math::FmaOp::create(b, element(value, i), element(factor, i), products);
    return products;
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

  /// Loads of this thread's row. A thread without one reads that of others, until they may have stored it.
  Value emitPresentRowLoad(Value memref, const Chunk &chunk) {
    if (!present || !hasContracted)
      return memory.load(memref, token, chunk);
    auto type = VectorType::get(kChunk, cast<MemRefType>(memref.getType()).getElementType());
    auto branch = scf::IfOp::create(b, type, present, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, memory.load(memref, token, chunk));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, emitZero(b, type));
    return branch.getResult(0);
  }

  void emitRowStore(StoreOp store, Value value, const Chunk &chunk) {
    Value memref = operandOf(store.getDestination());
    value = convertElements(b, value, cast<MemRefType>(memref.getType()).getElementType());
    OpBuilder::InsertionGuard guard(b);
    if (present)
      b.setInsertionPointToStart(scf::IfOp::create(b, present, /*withElseRegion=*/false).thenBlock());
    memory.store(value, memref, token, chunk);
  }

  KernelOp kernel;
  gpu::GPUFuncOp function;
  ImplicitLocOpBuilder b;
  KernelPlan plan;
  ScheduleAttr schedule;
  SharedMemory layout;
  int64_t width, threads, rows;
  int64_t chunks, chunksPerThread, lanesPerThread;
  bool held;
  ChunkAccess memory;
  /// Numbers of the thread within its row and within its warp, and of the row within its block.
  Value thread, lane, blockRow;
  /// Shared memory.
  Value matrixRows, matrixSums;
  std::optional<Exchange> exchange;
  llvm::SmallDenseMap<Value, TableCopy> tables;
  SmallVector<Value> token;
  IRMapping scalars;
  std::optional<SpreadVectors> spread;
  SmallVector<IRMapping, 0> heldChunks;
  /// Whether there is a row for this thread, or null where there always is.
  Value present;
  /// What is read for the next token while one is at hand.
  SmallVector<Value> rowsAhead;
  SmallVector<LoadOp> numbersAhead;
  /// Whether threads have met in a contraction, and others may be further on.
  bool hasContracted = false;
};

} // namespace

void nag::row::emitKernelBody(KernelOp kernel, gpu::GPUFuncOp function, int64_t access) {
  KernelEmitter(kernel, function, access).emit();
}
