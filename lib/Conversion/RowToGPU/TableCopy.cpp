//===- TableCopy.cpp - A table in the shared memory of a block ----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "TableCopy.h"

#include "nag/Dialect/Row/Transforms/Emission.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nag::row;

Value TableCopy::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

void TableCopy::emitStart(Value source, Value thread, int64_t threads, ChunkAccess &access) {
  int64_t piece = layout.getPieceElements(), parts = layout.getParts(), piecesOfRow = layout.getChunks() * parts;
  // A piece is what one access takes; pieces follow each other as in the source.
  auto loop = scf::ForOp::create(b, thread, index(layout.rows * piecesOfRow), index(threads));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  Value tableRow = arith::DivUIOp::create(b, number, index(piecesOfRow));
  Value place = arith::RemUIOp::create(b, number, index(piecesOfRow));
  Value from = arith::MulIOp::create(b, place, index(piece));
  Value to = arith::MulIOp::create(b, tableRow, index(layout.getRowStride()));
  Value chunk = place;
  if (parts > 1) {
    Value part = arith::RemUIOp::create(b, place, index(parts));
    to = arith::AddIOp::create(b, to, arith::MulIOp::create(b, part, index(layout.getPartStride())));
    chunk = arith::DivUIOp::create(b, place, index(parts));
  }
  to = arith::AddIOp::create(b, to, arith::MulIOp::create(b, chunk, index(piece)));
  if (access.getAccessElements(layout.elementType) == piece && layout.width % kChunk == 0) {
    // Takes no registers, so that everything is under way at once.
    nvgpu::DeviceAsyncCopyOp::create(b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), shared, ValueRange{to},
                                     source, ValueRange{tableRow, from}, b.getIndexAttr(piece),
                                     /*srcElements=*/Value(), /*bypassL1=*/b.getUnitAttr());
    return;
  }
  Chunk whole{arith::MulIOp::create(b, chunk, index(kChunk)), layout.width % kChunk != 0};
  Value elements = access.mask(access.load(source, tableRow, whole), whole);
  if (parts > 1) {
    Value first = emitZero(b, VectorType::get(piece, layout.elementType));
    Value part = arith::RemUIOp::create(b, place, index(parts));
    for (int64_t i = 0; i < parts; ++i) {
      Value isPart = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, index(i));
      Value slice = vector::ExtractStridedSliceOp::create(b, elements, i * piece, piece, ArrayRef<int64_t>(1));
      first = arith::SelectOp::create(b, isPart, slice, first);
    }
    elements = first;
  }
  vector::StoreOp::create(b, elements, shared, to).setAlignment(kWidestAccessBytes);
}

void TableCopy::emitWait(ImplicitLocOpBuilder &b) {
  auto type = nvgpu::DeviceAsyncTokenType::get(b.getContext());
  Value group = nvgpu::DeviceAsyncCreateGroupOp::create(b, type, ValueRange());
  nvgpu::DeviceAsyncWaitOp::create(b, group, b.getI32IntegerAttr(0));
}

Value TableCopy::emitLoad(Value tableRow, const Chunk &chunk) {
  int64_t piece = layout.getPieceElements(), parts = layout.getParts();
  Value first = chunk.first;
  if (chunk.mayPassTheEnd)
    first = arith::MinUIOp::create(b, first, index((layout.getChunks() - 1) * kChunk));
  if (parts > 1)
    first = arith::DivUIOp::create(b, first, index(parts));
  first = arith::AddIOp::create(b, first, arith::MulIOp::create(b, tableRow, index(layout.getRowStride())));
  Value result = parts > 1 ? emitZero(b, VectorType::get(kChunk, layout.elementType)) : Value();
  for (int64_t i = 0; i < parts; ++i) {
    Value position = i == 0 ? first : arith::AddIOp::create(b, first, index(i * layout.getPartStride())).getResult();
    auto load = vector::LoadOp::create(b, VectorType::get(piece, layout.elementType), shared, position);
    load.setAlignment(kWidestAccessBytes);
    if (parts == 1)
      return load;
    result = vector::InsertStridedSliceOp::create(b, load, result, i * piece, ArrayRef<int64_t>(1));
  }
  return result;
}
