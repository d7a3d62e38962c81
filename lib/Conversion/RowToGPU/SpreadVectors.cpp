//===- SpreadVectors.cpp - Short vectors spread over the lanes of a warp ----------------------------------*- C++
//-*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "SpreadVectors.h"

#include "nag/Dialect/Row/Transforms/Emission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace nag::row;

static constexpr int64_t kWarp = 32;

static bool isVector(Type type) { return isa<VectorType>(type); }

bool SpreadVectors::handles(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isVector) || llvm::any_of(op->getResultTypes(), isVector);
}

/// What a reduction starts from; nothing where this kind cannot be spread.
static std::optional<double> getNeutralElement(vector::CombiningKind kind) {
  switch (kind) {
  case vector::CombiningKind::ADD:
    return 0.0;
  case vector::CombiningKind::MAXIMUMF:
    return -std::numeric_limits<double>::infinity();
  default:
    return std::nullopt;
  }
}

static bool canBeSpread(Operation *op) {
  auto hasOneDimension = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return !vector || (vector.getRank() == 1 && !vector.isScalable());
  };
  if (!llvm::all_of(op->getOperandTypes(), hasOneDimension) || !llvm::all_of(op->getResultTypes(), hasOneDimension))
    return false;
  if (auto reduction = dyn_cast<vector::ReductionOp>(op))
    return getNeutralElement(reduction.getKind()) && isa<Float32Type>(reduction.getType());
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return !extract.hasDynamicPosition() && extract.getType().isIntOrFloat() &&
           extract.getType().getIntOrFloatBitWidth() == 32;
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return !isVector(broadcast.getSourceType());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue());
  return isa<LoadOp, ContractOp>(op) || OpTrait::hasElementwiseMappableTraits(op);
}

LogicalResult SpreadVectors::verify(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (handles(&op) && !canBeSpread(&op))
      return op.emitOpError(
          "on GPUs expected short vectors in element-wise code, sums and maxima of f32, broadcasts of "
          "numbers, and elements at fixed positions");
  return success();
}

int64_t SpreadVectors::getPeriod(int64_t size) {
  return std::min<int64_t>(kWarp, static_cast<int64_t>(llvm::PowerOf2Ceil(size)));
}

VectorType SpreadVectors::getPart(VectorType type) {
  int64_t size = type.getDimSize(0);
  return VectorType::get(llvm::divideCeil(size, getPeriod(size)), type.getElementType());
}

Value SpreadVectors::constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value SpreadVectors::positionInPeriod(int64_t period) {
  return period == 1 ? constant(0) : arith::RemUIOp::create(b, lane, constant(period)).getResult();
}

Value SpreadVectors::insert(Value vector, VectorType type, Value element, int64_t position) {
  int64_t period = getPeriod(type.getDimSize(0)), slot = position / period;
  if (!vector)
    return vector::BroadcastOp::create(b, getPart(type), element);
  if (position % period != 0) {
    Value isMine =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, positionInPeriod(period), constant(position % period));
    element = arith::SelectOp::create(b, isMine, element, vector::ExtractOp::create(b, vector, slot));
  }
  return vector::InsertOp::create(b, element, vector, slot);
}

Value SpreadVectors::generate(VectorType type, function_ref<Value(Value)> element) {
  SmallVector<Value> elements;
  for (int64_t slot = 0; slot < getPart(type).getDimSize(0); ++slot) {
    int64_t period = getPeriod(type.getDimSize(0));
    elements.push_back(element(arith::AddIOp::create(b, positionInPeriod(period), constant(slot * period))));
  }
  return vector::FromElementsOp::create(b, getPart(type), elements);
}

void SpreadVectors::emitLoad(LoadOp load, Value memref, IRMapping &values) {
  auto type = cast<VectorType>(load.getType());
  int64_t size = type.getDimSize(0), period = getPeriod(size);
  SmallVector<Value> elements;
  for (int64_t slot = 0; slot < getPart(type).getDimSize(0); ++slot) {
    Value position = arith::AddIOp::create(b, positionInPeriod(period), constant(slot * period));
    if ((slot + 1) * period > size)
      position = arith::MinUIOp::create(b, position, constant(size - 1));
    elements.push_back(memref::LoadOp::create(b, memref, position));
  }
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  Value vector =
      vector::FromElementsOp::create(b, VectorType::get(static_cast<int64_t>(elements.size()), stored), elements);
  values.map(load.getResult(), convertElements(b, vector, type.getElementType()));
}

void SpreadVectors::emitReduction(Operation *op, IRMapping &values) {
  auto reduction = cast<vector::ReductionOp>(op);
  int64_t size = reduction.getSourceVectorType().getDimSize(0), period = getPeriod(size);
  Value vector = values.lookup(reduction.getVector());
  Type type = reduction.getType();
  Value neutral = arith::ConstantOp::create(b, b.getFloatAttr(type, *getNeutralElement(reduction.getKind())));
  auto combine = [&](Value lhs, Value rhs) {
    return vector::makeArithReduction(b, b.getLoc(), reduction.getKind(), lhs, rhs);
  };
  Value result;
  for (int64_t slot = 0; slot * period < size; ++slot) {
    Value element = vector::ExtractOp::create(b, vector, slot);
    if ((slot + 1) * period > size) {
      Value isIn =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, positionInPeriod(period), constant(size - slot * period));
      element = arith::SelectOp::create(b, isIn, element, neutral);
    }
    result = result ? combine(result, element) : element;
  }
  for (int64_t stride = period / 2; stride >= 1; stride /= 2) {
    Value other = gpu::ShuffleOp::create(b, result, static_cast<int32_t>(stride), kWarp, gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    result = combine(result, other);
  }
  if (Value accumulator = reduction.getAcc())
    result = combine(result, values.lookup(accumulator));
  values.map(reduction.getResult(), result);
}

void SpreadVectors::emitExtract(Operation *op, IRMapping &values) {
  auto extract = cast<vector::ExtractOp>(op);
  int64_t period = getPeriod(extract.getSourceVectorType().getDimSize(0));
  int64_t position = extract.getStaticPosition().front();
  Value element = vector::ExtractOp::create(b, values.lookup(extract.getSource()), position / period);
  if (period > 1)
    element = gpu::ShuffleOp::create(b, element, static_cast<int32_t>(position % period), kWarp, gpu::ShuffleMode::IDX)
                  .getShuffleResult();
  values.map(extract.getResult(), element);
}

void SpreadVectors::emitConstant(Operation *op, IRMapping &values) {
  auto elements = cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  auto type = cast<VectorType>(elements.getType());
  Value vector;
  if (elements.isSplat())
    vector = arith::ConstantOp::create(b, cast<SplatElementsAttr>(elements).resizeSplat(getPart(type)));
  else
    for (auto [position, element] : llvm::enumerate(elements.getValues<TypedAttr>()))
      vector = insert(vector, type, arith::ConstantOp::create(b, element), position);
  values.map(op->getResult(0), vector);
}

void SpreadVectors::emit(Operation *op, IRMapping &values) {
  if (isa<vector::ReductionOp>(op))
    return emitReduction(op, values);
  if (isa<vector::ExtractOp>(op))
    return emitExtract(op, values);
  auto part = getPart(cast<VectorType>(op->getResult(0).getType()));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(constant, values);
  // Broadcasts and element-wise code do with fewer elements what they do with all.
  Operation *clone = b.clone(*op, values);
  clone->getResult(0).setType(part);
}
