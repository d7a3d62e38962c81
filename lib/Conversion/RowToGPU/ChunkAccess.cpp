//===- ChunkAccess.cpp - Chunks of rows in memory -----------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "ChunkAccess.h"

#include "nag/Dialect/Row/Transforms/Emission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nag::row;

int64_t nag::row::getWidestAccess(int64_t width) {
  int64_t access = kChunk;
  while (width % access != 0)
    access /= 2;
  return access;
}

int64_t nag::row::getAccessAlignment(int64_t elements, Type type) {
  return std::min<int64_t>(kWidestAccessBytes, elements * type.getIntOrFloatBitWidth() / 8);
}

Value ChunkAccess::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value ChunkAccess::at(int64_t offset, Value position) { return arith::AddIOp::create(b, position, index(offset)); }

int64_t ChunkAccess::getAccessElements(Type type) const {
  return std::min<int64_t>(access, 8 * kWidestAccessBytes / type.getIntOrFloatBitWidth());
}

Value ChunkAccess::load(Value memref, ValueRange leading, const Chunk &chunk) {
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

void ChunkAccess::store(Value value, Value memref, ValueRange leading, const Chunk &chunk) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  int64_t count = getAccessElements(stored);
  for (int64_t i = 0; i < kChunk; i += count) {
    OpBuilder::InsertionGuard guard(b);
    Value position = at(i, chunk.first);
    if (chunk.mayPassTheEnd) {
      Value isIn = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position, index(width));
      b.setInsertionPointToStart(scf::IfOp::create(b, isIn, /*withElseRegion=*/false).thenBlock());
    }
    SmallVector<Value> indices(leading);
    indices.push_back(position);
    Value part = count == kChunk
                     ? value
                     : vector::ExtractStridedSliceOp::create(b, value, i, count, ArrayRef<int64_t>(1)).getResult();
    auto result = vector::StoreOp::create(b, part, memref, indices);
    result.setAlignment(getAccessAlignment(count, stored));
  }
}

Value ChunkAccess::mask(Value value, const Chunk &chunk) {
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
