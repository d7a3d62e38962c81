//===- RowWalk.cpp - A walk over one row, in vectors --------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "RowWalk.h"

#include "nag/Dialect/Row/Transforms/Emission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace nag::row;

/// Elements that are added up lane by lane before they are added to the total: 16 lanes of pairs have 64 terms then.
static constexpr int64_t kBlock = 1024;
/// Blocks, or blocks of blocks, that are added one after the other.
static constexpr int64_t kBlocksInBlock = 64;

/// Elements and lanes of one dot-product instruction.
static constexpr int64_t kDotElements = 32;
static constexpr int64_t kDotLanes = 16;

//===--------------------------------------------------------------------------------------------------===//
// Accumulations
//===--------------------------------------------------------------------------------------------------===//

static Type getElementType(Value vec) { return cast<VecType>(vec.getType()).getElementType(); }

/// Whether products, or elements, are added up in pairs.
static bool isPairwise(const Accumulation &accumulation) {
  if (!getElementType(accumulation.input).isBF16())
    return false;
  if (accumulation.table)
    return cast<TableType>(accumulation.table.getType()).getElementType().isBF16();
  return true;
}

VectorType nag::row::getAccumulatorType(const Accumulation &accumulation) {
  return VectorType::get(isPairwise(accumulation) ? kDotLanes : kLanes, accumulation.type());
}

Type nag::row::getSummandType(const Accumulation &accumulation) {
  return isPairwise(accumulation) ? getElementType(accumulation.input) : accumulation.type();
}

Value nag::row::emitAccumulate(ImplicitLocOpBuilder &b, const Accumulation &accumulation, Value accumulator,
                               Value input, Value factor) {
  if (!isPairwise(accumulation))
    return factor ? math::FmaOp::create(b, input, factor, accumulator).getResult()
                  : emitCombine(b, accumulation.kind, accumulator, input);

  if (!factor) {
    auto type = cast<VectorType>(input.getType());
    factor = arith::ConstantOp::create(b, DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), 1.0)));
  }
  for (int64_t i = 0; i < kLanes; i += kDotElements) {
    auto part = [&](Value vector) -> Value {
      return vector::ExtractStridedSliceOp::create(b, vector, i, kDotElements, ArrayRef<int64_t>(1));
    };
    accumulator = x86vector::DotBF16Op::create(b, accumulator.getType(), accumulator, part(input), part(factor));
  }
  return accumulator;
}

//===--------------------------------------------------------------------------------------------------===//
// Loops
//===--------------------------------------------------------------------------------------------------===//

namespace {

class Walk {
public:
  using StepFn = function_ref<SmallVector<Value>(const Step &, ValueRange)>;

  Walk(ImplicitLocOpBuilder &b, ArrayRef<Accumulation> accumulations, StepFn step)
      : b(b), accumulations(accumulations), step(step) {
    for (const Accumulation &accumulation : accumulations)
      zeros.push_back(emitZero(b, getAccumulatorType(accumulation)));
  }

  /// `count` elements from `first`, in blocks of `block` elements that are added to the totals one after the other.
  SmallVector<Value> emitBlocks(Value first, int64_t count, int64_t block) {
    if (block < kBlock)
      return emitSteps(first, count);
    int64_t inner = block == kBlock ? kLanes : block / kBlocksInBlock;
    int64_t whole = count / block * block;
    if (whole == 0)
      return emitBlocks(first, count, inner);
    SmallVector<Value> totals = zeros;
    if (whole == block)
      totals = emitBlocks(first, block, inner);
    else
      totals = emitFor(whole, block, zeros, [&](Value offset, ValueRange before) {
        return combine(before, emitBlocks(arith::AddIOp::create(b, first, offset), block, inner));
      });
    if (whole < count)
      totals = combine(totals, emitBlocks(at(first, whole), count - whole, inner));
    return totals;
  }

private:
  /// In steps of 64, the last of them masked where it is not whole.
  SmallVector<Value> emitSteps(Value first, int64_t count) {
    SmallVector<Value> values = zeros;
    int64_t whole = count / kLanes * kLanes, tail = count % kLanes;
    if (whole > 0)
      values = emitFor(whole, kLanes, values, [&](Value offset, ValueRange accumulators) {
        return step({arith::AddIOp::create(b, first, offset), Value()}, accumulators);
      });
    if (tail > 0) {
      Value bound = arith::ConstantIndexOp::create(b, tail);
      Value mask = vector::CreateMaskOp::create(b, VectorType::get(kLanes, b.getI1Type()), bound);
      values = step({at(first, whole), mask}, values);
    }
    return values;
  }

  SmallVector<Value> emitFor(int64_t upper, int64_t stride, ValueRange init,
                             function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0), arith::ConstantIndexOp::create(b, upper),
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

  SmallVector<Value> combine(ValueRange lhs, ValueRange rhs) {
    SmallVector<Value> result;
    for (auto [accumulation, l, r] : llvm::zip_equal(accumulations, lhs, rhs))
      result.push_back(emitCombine(b, accumulation.kind, l, r));
    return result;
  }

  Value at(Value first, int64_t offset) {
    return arith::AddIOp::create(b, first, arith::ConstantIndexOp::create(b, offset));
  }

  ImplicitLocOpBuilder &b;
  ArrayRef<Accumulation> accumulations;
  StepFn step;
  SmallVector<Value> zeros;
};

} // namespace

SmallVector<Value> nag::row::emitWalk(ImplicitLocOpBuilder &b, int64_t width, ArrayRef<Accumulation> accumulations,
                                      function_ref<SmallVector<Value>(const Step &, ValueRange)> step) {
  int64_t block = kBlock;
  while (block * kBlocksInBlock < width)
    block *= kBlocksInBlock;
  SmallVector<Value> lanes =
      Walk(b, accumulations, step).emitBlocks(arith::ConstantIndexOp::create(b, 0), width, block);
  SmallVector<Value> totals;
  for (auto [accumulation, lane] : llvm::zip_equal(accumulations, lanes))
    totals.push_back(emitFold(b, accumulation.kind, lane));
  return totals;
}
