//===- Emission.cpp - What every target does alike when it emits a row program ------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/Transforms/Emission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace nag::row;

/// `type` with the shape of `like`, if that is a vector.
static Type withShapeOf(Type like, Type type) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), type);
  return type;
}

Value nag::row::convertElements(ImplicitLocOpBuilder &b, Value value, Type elementType) {
  Type from = getElementTypeOrSelf(value);
  Type type = withShapeOf(value.getType(), elementType);
  if (from == elementType)
    return value;
  if (elementType.isInteger() || from.isInteger())
    return arith::BitcastOp::create(b, type, value);
  if (from.getIntOrFloatBitWidth() < elementType.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, type, value);
  return arith::TruncFOp::create(b, type, value);
}

Value nag::row::emitMap(ImplicitLocOpBuilder &b, MapOp map, ValueRange inputs, const IRMapping &scalars) {
  auto shape = cast<VectorType>(inputs.front().getType()).getShape();
  Block &block = map.getBody().front();
  IRMapping values;
  values.map(block.getArguments(), inputs);
  auto lookup = [&](Value value) {
    if (Value known = values.lookupOrNull(value))
      return known;
    Value scalar = scalars.lookup(value);
    Value vector = vector::BroadcastOp::create(b, VectorType::get(shape, scalar.getType()), scalar);
    values.map(value, vector);
    return vector;
  };
  for (Operation &op : block.without_terminator()) {
    // A choice that is the same for the whole row stays one: a branch then costs less than a blend.
    if (auto select = dyn_cast<arith::SelectOp>(op); select && scalars.contains(select.getCondition())) {
      values.map(select.getResult(),
                 arith::SelectOp::create(b, scalars.lookup(select.getCondition()), lookup(select.getTrueValue()),
                                         lookup(select.getFalseValue()))
                     .getResult());
      continue;
    }
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      Value scalar = b.clone(op)->getResult(0);
      values.map(op.getResult(0),
                 vector::BroadcastOp::create(b, VectorType::get(shape, scalar.getType()), scalar).getResult());
      continue;
    }
    OperationState state(b.getLoc(), op.getName());
    for (Value operand : op.getOperands())
      state.operands.push_back(lookup(operand));
    for (Type type : op.getResultTypes())
      state.types.push_back(VectorType::get(shape, type));
    state.addAttributes(op.getAttrs());
    values.map(op.getResults(), b.create(state)->getResults());
  }
  return lookup(block.getTerminator()->getOperand(0));
}

Value nag::row::emitCombine(ImplicitLocOpBuilder &b, ReduceKind kind, Value lhs, Value rhs) {
  switch (kind) {
  case ReduceKind::Add:
    return arith::AddFOp::create(b, lhs, rhs);
  case ReduceKind::UMax:
    return arith::MaxUIOp::create(b, lhs, rhs);
  }
  llvm_unreachable("all kinds of reduction are listed");
}

Value nag::row::emitZero(ImplicitLocOpBuilder &b, Type type) {
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

Value nag::row::emitFold(ImplicitLocOpBuilder &b, ReduceKind kind, Value vector) {
  for (int64_t half = cast<VectorType>(vector.getType()).getDimSize(0) / 2; half >= 1; half /= 2) {
    Value low = vector::ExtractStridedSliceOp::create(b, vector, ArrayRef<int64_t>(0), half, ArrayRef<int64_t>(1));
    Value high = vector::ExtractStridedSliceOp::create(b, vector, half, half, ArrayRef<int64_t>(1));
    vector = emitCombine(b, kind, low, high);
  }
  return vector::ExtractOp::create(b, vector, ArrayRef<int64_t>(0));
}

Value nag::row::emitScalarLoad(ImplicitLocOpBuilder &b, LoadOp load, Value memref, ValueRange indices) {
  Type type = load.getType();
  auto stored = cast<MemRefType>(memref.getType()).getElementType();
  if (auto vector = dyn_cast<VectorType>(type)) {
    SmallVector<Value> origin(vector.getRank(), arith::ConstantIndexOp::create(b, 0));
    Value value = vector::LoadOp::create(b, VectorType::get(vector.getShape(), stored), memref, origin);
    return convertElements(b, value, vector.getElementType());
  }
  return convertElements(b, memref::LoadOp::create(b, memref, indices), type);
}

void nag::row::emitNumberStore(ImplicitLocOpBuilder &b, StoreOp store, Value value, Value memref, ValueRange indices) {
  value = convertElements(b, value, cast<MemRefType>(memref.getType()).getElementType());
  memref::StoreOp::create(b, value, memref, indices);
}
