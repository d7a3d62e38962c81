//===- Exchange.cpp - Sums over all threads of a row --------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Exchange.h"

#include "nag/Dialect/Row/Transforms/Emission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nag::row;

static constexpr int64_t kWarp = 32;
/// Words of one access to shared memory, at most.
static constexpr size_t kWords = 4;

Value Exchange::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value Exchange::at(int64_t offset, Value position) {
  if (rows > 1)
    position =
        arith::AddIOp::create(b, position, arith::MulIOp::create(b, place.blockRow, index(layout.exchangeWords)));
  return arith::AddIOp::create(b, position, index(offset));
}

Value Exchange::toWord(Value value) {
  Type word = b.getI32Type();
  return value.getType() == word ? value : arith::BitcastOp::create(b, word, value).getResult();
}

Value Exchange::fromWord(Value word, Type type) {
  return word.getType() == type ? word : arith::BitcastOp::create(b, type, word).getResult();
}

bool Exchange::prefersSums(ArrayRef<Accumulation> accumulations) const {
  size_t count = accumulations.size();
  if (!buffer || count > static_cast<size_t>(layout.exchangeGroup))
    return false;
  bool areSums = llvm::all_of(accumulations, [](const Accumulation &accumulation) {
    return accumulation.kind == ReduceKind::Add && accumulation.type().isF32();
  });
  // By instructions of a warp: 2 W + 9 for each sum that it folds, W being the number of warps; then the totals' way.
  auto warps = static_cast<size_t>(threads / kWarp);
  size_t fold = 2 * warps + 9;
  return areSums && count * fold > llvm::divideCeil(count, warps) * fold + 8 + count / kWords;
}

SmallVector<Value> Exchange::emit(ArrayRef<Accumulation> accumulations, ArrayRef<Value> partials) {
  SmallVector<Value> totals;
  auto group = static_cast<size_t>(layout.exchangeGroup);
  for (size_t first = 0; first < partials.size(); first += buffer ? group : partials.size()) {
    ArrayRef<Value> values = partials.slice(first).take_front(buffer ? group : partials.size());
    if (prefersSums(accumulations.slice(first, values.size()))) {
      emitTotals(values);
      emitLoadsOfTotals(values.size(), totals);
      continue;
    }
    if (buffer) {
      emitStores(values);
      emitBarrier();
    }
    for (auto [i, partial] : llvm::enumerate(values)) {
      ReduceKind kind = accumulations[first + i].kind;
      Value value = buffer ? emitFoldOfWarps(kind, partial.getType(), index(static_cast<int64_t>(i))) : partial;
      totals.push_back(emitFoldOfLanes(kind, value));
    }
    turn ^= buffer ? 1 : 0;
  }
  return totals;
}

void Exchange::emitSums(ArrayRef<Value> partials, function_ref<void(function_ref<Value(Value)>)> use) {
  emitTotals(partials);
  use([&](Value position) {
    return fromWord(memref::LoadOp::create(b, buffer, at(layout.getTotalsOffset(), position)), b.getF32Type());
  });
}

/// Every thread writes what it has; warp w folds sums w, w + W, ... and writes their totals. Nobody writes totals again
/// before a barrier that those who read them must have reached; and nobody reads words of threads behind the second
/// one.
void Exchange::emitTotals(ArrayRef<Value> partials) {
  emitStores(partials);
  emitBarrier();
  int64_t warps = threads / kWarp, count = static_cast<int64_t>(partials.size());
  Value warp = arith::DivUIOp::create(b, place.thread, index(kWarp));
  for (int64_t first = 0; first < count; first += warps) {
    OpBuilder::InsertionGuard guard(b);
    Value sum = arith::AddIOp::create(b, warp, index(first));
    if (first + warps > count) {
      Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, sum, index(count));
      b.setInsertionPointToStart(scf::IfOp::create(b, exists, /*withElseRegion=*/false).thenBlock());
    }
    Value total = emitFoldOfLanes(ReduceKind::Add, emitFoldOfWarps(ReduceKind::Add, b.getF32Type(), sum));
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place.lane, index(0));
    b.setInsertionPointToStart(scf::IfOp::create(b, isFirst, /*withElseRegion=*/false).thenBlock());
    memref::StoreOp::create(b, toWord(total), buffer, at(layout.getTotalsOffset(), sum));
  }
  emitBarrier();
}

void Exchange::emitLoadsOfTotals(size_t count, SmallVectorImpl<Value> &totals) {
  for (size_t first = 0, words; first < count; first += words) {
    words = llvm::bit_floor(std::min(count - first, kWords));
    auto type = VectorType::get(static_cast<int64_t>(words), b.getI32Type());
    Value position = at(layout.getTotalsOffset() + static_cast<int64_t>(first), index(0));
    auto load = vector::LoadOp::create(b, type, buffer, position);
    load.setAlignment(4 * words);
    for (size_t i = 0; i < words; ++i)
      totals.push_back(fromWord(vector::ExtractOp::create(b, load, static_cast<int64_t>(i)), b.getF32Type()));
  }
}

void Exchange::emitStores(ArrayRef<Value> partials) {
  for (auto [i, value] : llvm::enumerate(partials)) {
    int64_t offset = turn * layout.exchangeGroup * threads + static_cast<int64_t>(i) * threads;
    memref::StoreOp::create(b, toWord(value), buffer, at(offset, place.thread));
  }
}

Value Exchange::emitFoldOfWarps(ReduceKind kind, Type type, Value sum) {
  Value first = arith::AddIOp::create(b, place.lane, arith::MulIOp::create(b, sum, index(threads)));
  SmallVector<Value> values;
  for (int64_t i = 0; i < threads; i += kWarp) {
    Value word = memref::LoadOp::create(b, buffer, at(turn * layout.exchangeGroup * threads + i, first));
    values.push_back(fromWord(word, type));
  }
  for (size_t stride = values.size() / 2; stride >= 1; stride /= 2)
    for (size_t j = 0; j < stride; ++j)
      values[j] = emitCombine(b, kind, values[j], values[j + stride]);
  return values.front();
}

Value Exchange::emitFoldOfLanes(ReduceKind kind, Value value) {
  for (int32_t stride = kWarp / 2; stride >= 1; stride /= 2) {
    Value other = gpu::ShuffleOp::create(b, value, stride, kWarp, gpu::ShuffleMode::XOR).getShuffleResult();
    value = emitCombine(b, kind, value, other);
  }
  // Whether absent lanes were added as zeros or not shows in the sign of a zero only.
  if (kind == ReduceKind::Add)
    value = arith::AddFOp::create(b, value, emitZero(b, value.getType()));
  return value;
}

void Exchange::emitBeginAgain() {
  // Who begins again writes the first buffer.
  if (turn == 1)
    emitBarrier();
  turn = 0;
}
