//===- SharedMemory.cpp - What a block keeps in shared memory ---------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/Transforms/SharedMemory.h"

#include "nag/Dialect/Row/Transforms/Schedule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nag::row;

static int64_t alignTo(int64_t value, int64_t alignment) {
  return static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(value), static_cast<uint64_t>(alignment)));
}

//===--------------------------------------------------------------------------------------------------------------===//
// Tensor cores
//===--------------------------------------------------------------------------------------------------------------===//

int64_t MatrixShape::getVirtualWarps() const {
  constexpr int64_t kMost = 16, kElements = 256;
  return std::min<int64_t>(kMost, static_cast<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(width, kElements))));
}

int64_t MatrixShape::getRowStride() const {
  // An odd number of 64-byte pieces: a fourth of a warp reads one of each of two rows, from different banks.
  return alignTo(std::min(width, kSegment), 2 * kStep) + kStep;
}

int64_t MatrixShape::getSumStride(int64_t components) {
  // A warp writes 8 components of 8 rows at once, to different banks.
  return (components <= 8 ? 8 : alignTo(components, 16)) + 4;
}

//===--------------------------------------------------------------------------------------------------------------===//
// Tables
//===--------------------------------------------------------------------------------------------------------------===//

SharedTable::SharedTable(TableType type)
    : elementType(type.getElementType()), rows(type.getShape()[0]), width(type.getShape()[1]) {}

int64_t SharedTable::getChunks() const { return llvm::divideCeil(width, kChunk); }

int64_t SharedTable::getPieceElements() const {
  return std::min<int64_t>(kChunk, 8 * kWidestAccessBytes / elementType.getIntOrFloatBitWidth());
}

int64_t SharedTable::getRowStride() const {
  int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
  return (alignTo(getChunks() * kChunk * elementBytes, 128) + 64) / elementBytes;
}

//===--------------------------------------------------------------------------------------------------------------===//
// All buffers
//===--------------------------------------------------------------------------------------------------------------===//

MemRefType SharedBuffer::getType() const {
  auto space = gpu::AddressSpaceAttr::get(elementType.getContext(), gpu::AddressSpace::Workgroup);
  return MemRefType::get(elements, elementType, MemRefLayoutAttrInterface{}, space);
}

SharedMemory::SharedMemory(KernelOp kernel, ScheduleAttr schedule) : hasMatrix(usesTensorCores(kernel)) {
  int64_t threads = schedule.getThreads(), rows = schedule.getRows(), width = kernel.getWidth();
  // Bounded, so that they take 32 KiB at most, and half of it where a contraction needs the rest.
  exchangeGroup = std::clamp<int64_t>((hasMatrix ? 2048 : 4096) / (threads * rows), 1, kMostTotals);
  exchangeWords = threads == 32 ? 0 : 2 * exchangeGroup * threads + kMostTotals;

  auto add = [&](int64_t elements, Type type) { buffers.push_back({elements, type}); };
  Builder b(kernel.getContext());
  if (exchangeWords)
    add(rows * exchangeWords, b.getI32Type());
  if (hasMatrix) {
    MatrixShape shape{width};
    int64_t stride = 0;
    for (ContractOp contraction : kernel.getBody().getOps<ContractOp>())
      stride = std::max(stride, MatrixShape::getSumStride(contraction.getType().getDimSize(0)));
    add(rows * shape.getRowStride(), b.getI16Type());
    add(shape.getVirtualWarps() * rows * stride, b.getF32Type());
  }
  if (!schedule.getPersistent())
    return;
  for (ContractOp contraction : kernel.getBody().getOps<ContractOp>()) {
    auto table = cast<BlockArgument>(contraction.getTable());
    if (llvm::is_contained(tables, table))
      continue;
    tables.push_back(table);
    SharedTable layout(cast<TableType>(table.getType()));
    add(layout.rows * layout.getRowStride(), layout.elementType);
  }
}

SmallVector<int64_t> SharedMemory::getOffsets() const {
  SmallVector<int64_t> offsets = {0};
  for (const SharedBuffer &buffer : buffers)
    offsets.push_back(
        alignTo(offsets.back() + buffer.elements * buffer.elementType.getIntOrFloatBitWidth() / 8, kWidestAccessBytes));
  return offsets;
}
