//===- RowAccess.cpp - Loads, stores and prefetches of rows ---------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "RowAccess.h"

#include "nag/Dialect/Row/Transforms/Emission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nag::row;

static constexpr int64_t kCacheLineBytes = 64;

/// Destinations of more bytes than this go past the caches: they would push out what is read next, and a row that is
/// written by ordinary stores is read from memory first. Smaller ones may still be there when the next kernel reads
/// them.
static constexpr int64_t kStreamFromBytes = 16 * 1024 * 1024;

static Value index(ImplicitLocOpBuilder &b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }

static SmallVector<Value> at(ValueRange leading, Value position) {
  SmallVector<Value> indices(leading);
  indices.push_back(position);
  return indices;
}

Value nag::row::emitRowLoad(ImplicitLocOpBuilder &b, Value memref, ValueRange leading, const Step &step,
                            Type elementType) {
  auto type = VectorType::get(kLanes, cast<MemRefType>(memref.getType()).getElementType());
  SmallVector<Value> indices = at(leading, step.index);
  Value value = step.mask
                    ? vector::MaskedLoadOp::create(b, type, memref, indices, step.mask, emitZero(b, type)).getResult()
                    : vector::LoadOp::create(b, type, memref, indices).getResult();
  return convertElements(b, value, elementType);
}

void nag::row::emitRowStore(ImplicitLocOpBuilder &b, Value value, Value memref, ValueRange leading, const Step &step,
                            bool isPastCaches) {
  value = convertElements(b, value, cast<MemRefType>(memref.getType()).getElementType());
  SmallVector<Value> indices = at(leading, step.index);
  if (step.mask)
    vector::MaskedStoreOp::create(b, memref, indices, step.mask, value);
  else if (isPastCaches)
    vector::StoreOp::create(b, value, memref, indices, /*nontemporal=*/true, llvm::MaybeAlign(kCacheLineBytes));
  else
    vector::StoreOp::create(b, value, memref, indices);
}

void nag::row::emitRowPrefetch(ImplicitLocOpBuilder &b, Value memref, ValueRange leading, const Step &step) {
  int64_t lineElements = kCacheLineBytes * 8 / cast<MemRefType>(memref.getType()).getElementTypeBitWidth();
  for (int64_t i = 0; i < kLanes; i += lineElements)
    memref::PrefetchOp::create(b, memref, at(leading, arith::AddIOp::create(b, step.index, index(b, i))),
                               /*isWrite=*/false, /*localityHint=*/1, /*isDataCache=*/true);
}

Value nag::row::emitIsPastCaches(ImplicitLocOpBuilder &b, ValueRange memrefs, ValueRange token) {
  Value bytes = index(b, 0), misalignment = index(b, 0);
  for (Value memref : memrefs) {
    auto type = cast<MemRefType>(memref.getType());
    Value elementBytes = index(b, type.getElementTypeBitWidth() / 8);
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
  misalignment = arith::AndIOp::create(b, misalignment, index(b, kCacheLineBytes - 1));
  Value isLarge = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, bytes, index(b, kStreamFromBytes));
  Value isAligned = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, misalignment, index(b, 0));
  return arith::AndIOp::create(b, isLarge, isAligned);
}
