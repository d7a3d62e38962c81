//===- MatrixContraction.cpp - Contractions on tensor cores -------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "MatrixContraction.h"
#include "KernelEmitter.h"

#include "nag/Dialect/Row/Transforms/Emission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nag::row;

static constexpr int64_t kStep = MatrixShape::kStep, kSegment = MatrixShape::kSegment;
static constexpr int64_t kWarp = 32;
/// The shape of one product.
static constexpr int64_t kM = 16, kN = 8, kK = 16;

MatrixContraction::MatrixContraction(ImplicitLocOpBuilder &builder, ContractOp contraction, ScheduleAttr schedule,
                                     Value thread, Value row, Value lane, Value rows, Value sums)
    : b(builder), type(contraction.getInput().getType().getElementType()),
      width(contraction.getInput().getType().getWidth()), components(contraction.getType().getDimSize(0)),
      tiles(llvm::divideCeil(components, kM)), rowsPerBlock(schedule.getRows()),
      warps(schedule.getThreads() * rowsPerBlock / kWarp), virtualWarps(MatrixShape{width}.getVirtualWarps()),
      rowStride(MatrixShape{width}.getRowStride()), stepsPerSegment(llvm::divideCeil(std::min(width, kSegment), kStep)),
      thread(thread), row(row), lane(lane), rows(rows), sums(sums) {
  warp = arith::DivUIOp::create(b, thread, index(kWarp));
  if (rowsPerBlock > 1)
    warp = arith::AddIOp::create(b, warp, scale(row, schedule.getThreads() / kWarp));
  group = arith::DivUIOp::create(b, lane, index(4));
  quad = arith::RemUIOp::create(b, lane, index(4));
}

Value MatrixContraction::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value MatrixContraction::add(Value value, int64_t offset) { return arith::AddIOp::create(b, value, index(offset)); }

Value MatrixContraction::scale(Value value, int64_t factor) { return arith::MulIOp::create(b, value, index(factor)); }

void MatrixContraction::forEachUnit(function_ref<void(Unit)> body) {
  int64_t units = virtualWarps * tiles;
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, index(0), index(llvm::divideCeil(units, warps)), index(1));
  b.setInsertionPointToStart(loop.getBody());
  Value number = arith::AddIOp::create(b, scale(loop.getInductionVar(), warps), warp);
  if (units % warps != 0) {
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, index(units));
    b.setInsertionPointToStart(scf::IfOp::create(b, exists, /*withElseRegion=*/false).thenBlock());
  }
  body(
      {arith::RemUIOp::create(b, number, index(virtualWarps)), arith::DivUIOp::create(b, number, index(virtualWarps))});
}

void MatrixContraction::emitInitialSums() {
  SmallVector<Value> zeros(4, emitZero(b, b.getF32Type()));
  forEachUnit([&](Unit unit) { emitSumStores(unit, zeros, /*adds=*/false); });
}

void MatrixContraction::emitRowStore(Value elements, Value position, bool mayPassTheEnd) {
  OpBuilder::InsertionGuard guard(b);
  if (mayPassTheEnd) {
    Value isIn = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position, index(stepsPerSegment * kStep));
    b.setInsertionPointToStart(scf::IfOp::create(b, isIn, /*withElseRegion=*/false).thenBlock());
  }
  if (rowsPerBlock > 1)
    position = arith::AddIOp::create(b, position, scale(row, rowStride));
  Value bits = arith::BitcastOp::create(b, VectorType::get(kChunk, b.getI16Type()), elements);
  vector::StoreOp::create(b, bits, rows, position).setAlignment(16);
}

/// The elements 2i and 2i+1 of 8 as one register each.
SmallVector<Value> MatrixContraction::getHalves(Value elements) {
  // Keeps the optimiser from reading each pair for itself, which the code generator would have to undo.
  elements = LLVM::FreezeOp::create(b, elements);
  SmallVector<Value> halves;
  if (type.isF16()) {
    for (int64_t i = 0; i < kChunk; i += 2)
      halves.push_back(vector::ExtractStridedSliceOp::create(b, elements, i, 2, ArrayRef<int64_t>(1)));
    return halves;
  }
  Value words = vector::BitCastOp::create(b, VectorType::get(kChunk / 2, b.getI32Type()), elements);
  for (int64_t i = 0; i < kChunk / 2; ++i)
    halves.push_back(vector::ExtractOp::create(b, words, i));
  return halves;
}

SmallVector<Value> MatrixContraction::emitProduct(ValueRange left, ValueRange right) {
  Type f32 = b.getF32Type();
  auto element = type.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  // From zero each time: what the tensor core cuts off, it cuts off 16 products and not a whole row.
  SmallVector<Value> zeros(4, emitZero(b, f32));
  Value product = NVVM::MmaOp::create(b, result, left, right, zeros, ArrayRef<int64_t>{kM, kN, kK},
                                      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
                                      std::array<NVVM::MMATypes, 2>{element, element},
                                      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> elements;
  for (int64_t i = 0; i < 4; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(b, product, i));
  return elements;
}

SmallVector<Value> MatrixContraction::emitStep(Value step, ValueRange tableRows, Value first, ValueRange sums,
                                               TableLoad load) {
  // A lane's 8 neighbours are four pairs, of which a product takes two: both matrices have their k in the same order,
  // whatever it is.
  Value position = arith::AddIOp::create(b, scale(step, kStep), scale(quad, kChunk));
  Value element = first ? arith::AddIOp::create(b, first, position).getResult() : position;
  SmallVector<SmallVector<Value>> left;
  for (Value tableRow : tableRows)
    left.push_back(getHalves(load(tableRow, element)));
  // Half of the matrix is empty where there are at most 8 components.
  if (left.size() == 1)
    left.emplace_back(kChunk / 2, emitZero(b, left.front().front().getType()));
  // Columns beyond the block's rows repeat these; nobody looks at them.
  Value column = rowsPerBlock == 1 ? Value() : arith::RemUIOp::create(b, group, index(rowsPerBlock)).getResult();
  Value at = column ? arith::AddIOp::create(b, position, scale(column, rowStride)).getResult() : position;
  auto bits = vector::LoadOp::create(b, VectorType::get(kChunk, b.getI16Type()), rows, at);
  bits.setAlignment(16);
  SmallVector<Value> right = getHalves(arith::BitcastOp::create(b, VectorType::get(kChunk, type), bits));
  SmallVector<Value> result(sums);
  for (int64_t half = 0; half < 2; ++half) {
    int64_t pair = 2 * half;
    SmallVector<Value> product = emitProduct({left[0][pair], left[1][pair], left[0][pair + 1], left[1][pair + 1]},
                                             {right[pair], right[pair + 1]});
    for (auto [sum, term] : llvm::zip_equal(result, product))
      sum = arith::AddFOp::create(b, sum, term);
  }
  return result;
}

/// The products of the steps v, v + V, ... of a segment, added up from zero.
SmallVector<Value> MatrixContraction::emitUnit(const Unit &unit, Value first, TableLoad load) {
  SmallVector<Value> tableRows;
  for (int64_t upper = 0; upper < (components <= kM / 2 ? 1 : 2); ++upper) {
    Value tableRow = add(arith::AddIOp::create(b, scale(unit.tile, kM), group), upper * kM / 2);
    if (components % kM != 0)
      tableRow = arith::MinUIOp::create(b, tableRow, index(components - 1));
    tableRows.push_back(tableRow);
  }
  // The last segment may be short.
  Value steps = index(stepsPerSegment);
  bool isWhole = width <= kSegment || width % kSegment == 0;
  if (!isWhole)
    steps = arith::MinUIOp::create(b, steps,
                                   arith::SubIOp::create(b, index(llvm::divideCeil(width, kStep)),
                                                         arith::DivUIOp::create(b, first, index(kStep))));
  Value count;
  if (isWhole && stepsPerSegment % virtualWarps == 0)
    count = index(stepsPerSegment / virtualWarps);
  else
    count = arith::DivUIOp::create(
        b, add(arith::SubIOp::create(b, steps, arith::MinUIOp::create(b, steps, unit.virtualWarp)), virtualWarps - 1),
        index(virtualWarps));
  auto loop = scf::ForOp::create(b, index(0), count, index(1), SmallVector<Value>(4, emitZero(b, b.getF32Type())));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = arith::AddIOp::create(b, scale(loop.getInductionVar(), virtualWarps), unit.virtualWarp);
  scf::YieldOp::create(b, emitStep(step, tableRows, first, loop.getRegionIterArgs(), load));
  return loop.getResults();
}

void MatrixContraction::emitSegment(Value first, TableLoad load) {
  gpu::BarrierOp::create(b);
  forEachUnit([&](Unit unit) { emitSumStores(unit, emitUnit(unit, first, load), /*adds=*/first != nullptr); });
  // Others need the sums, and the next segment takes the place of this one.
  gpu::BarrierOp::create(b);
}

Value MatrixContraction::getSumPosition(Value virtualWarp, Value blockRow, Value component) {
  Value position = scale(virtualWarp, rowsPerBlock);
  if (rowsPerBlock > 1)
    position = arith::AddIOp::create(b, position, blockRow);
  return arith::AddIOp::create(b, scale(position, MatrixShape::getSumStride(components)), component);
}

void MatrixContraction::emitSumStores(const Unit &unit, ArrayRef<Value> values, bool adds) {
  // A lane has components g and g + 8 of rows q and q + 1.
  for (int64_t part = 0; part < (components <= kM / 2 ? 2 : 4); ++part) {
    OpBuilder::InsertionGuard guard(b);
    Value column = add(scale(quad, 2), part % 2);
    if (rowsPerBlock < kN) {
      Value isRow = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, column, index(rowsPerBlock));
      b.setInsertionPointToStart(scf::IfOp::create(b, isRow, /*withElseRegion=*/false).thenBlock());
    }
    Value component = add(arith::AddIOp::create(b, scale(unit.tile, kM), group), part / 2 * (kM / 2));
    Value position = getSumPosition(unit.virtualWarp, rowsPerBlock == 1 ? index(0) : column, component);
    Value value = values[part];
    if (adds)
      value = arith::AddFOp::create(b, memref::LoadOp::create(b, sums, position), value);
    memref::StoreOp::create(b, value, sums, position);
  }
}

Value MatrixContraction::emitSum(Value component) {
  component = arith::MinUIOp::create(b, component, index(components - 1));
  SmallVector<Value> values;
  for (int64_t i = 0; i < virtualWarps; ++i)
    values.push_back(memref::LoadOp::create(b, sums, getSumPosition(index(i), row, component)));
  for (int64_t stride = virtualWarps / 2; stride >= 1; stride /= 2)
    for (int64_t i = 0; i < stride; ++i)
      values[i] = arith::AddFOp::create(b, values[i], values[i + stride]);
  return values.front();
}
