//===- HostTensor.h - Tensors in host memory, with guarded padding --------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// A tensor in host memory: what tools read from files, hand to compiled entries, and compare.

#ifndef NAG_SUPPORT_HOSTTENSOR_H
#define NAG_SUPPORT_HOSTTENSOR_H

#include "nag/Support/ElementType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace nag {

/// Where the elements of a tensor lie: what tests vary to find kernels that assume more than they are promised.
struct HostLayout {
  /// Elements before the first one, so that it is not aligned.
  int64_t offset = 0;
  /// Elements between the end of a row and the start of the next.
  int64_t rowPad = 0;
};

/// Rows of the last dimension, each of consecutive elements. All other bytes of the buffer, before, between and after
/// the rows, hold a guard pattern.
class HostTensor {
public:
  HostTensor() = default;
  /// Elements are not initialised. Fails where the size does not fit into memory.
  static llvm::Expected<HostTensor> create(ElementType type, llvm::ArrayRef<int64_t> shape, HostLayout layout = {});

  ElementType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const { return rows * width; }
  /// Length of the last dimension; 1 for rank 0.
  int64_t getWidth() const { return width; }
  int64_t getNumRows() const { return rows; }
  /// Bytes of the elements, without padding.
  int64_t getNumBytes() const { return getNumElements() * getByteSize(type); }

  uint8_t *getRow(int64_t row) { return base() + (layout.offset + row * (width + layout.rowPad)) * getByteSize(type); }
  const uint8_t *getRow(int64_t row) const { return const_cast<HostTensor *>(this)->getRow(row); }
  /// The element with row-major index `index`.
  double get(int64_t index) const {
    return loadElement(type, getRow(index / width) + index % width * getByteSize(type));
  }
  /// Rounds to the element type.
  void set(int64_t index, double value) {
    storeElement(type, value, getRow(index / width) + index % width * getByteSize(type));
  }

  /// Every element becomes a NaN, so that what a kernel leaves unwritten is seen.
  void poison();
  /// Fails where a byte outside the elements has changed since `create`, and says where.
  llvm::Error checkGuards() const;

  /// The words of MLIR's strided memref descriptor (StridedMemRefType): allocated pointer, aligned pointer, offset,
  /// sizes, strides. The descriptor refers to this tensor's memory.
  std::vector<int64_t> getDescriptor();

private:
  uint8_t *base() const { return buffer.get() + kGuardBytes; }

  /// A multiple of the widest vector, so that without an offset the first element is aligned.
  static constexpr int64_t kGuardBytes = 64;
  struct Free {
    void operator()(uint8_t *memory) const;
  };

  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  HostLayout layout;
  int64_t rows = 0, width = 1, bufferBytes = 0;
  std::unique_ptr<uint8_t, Free> buffer;
};

/// "4x4096xbf16", as in a tensor type.
std::string toString(llvm::ArrayRef<int64_t> shape, ElementType type);

} // namespace nag

#endif // NAG_SUPPORT_HOSTTENSOR_H
