//===- HostTensor.cpp - Tensors in host memory, with guarded padding ----------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Allocation, guard bytes and memref descriptors of host tensors.

#include "nag/Support/HostTensor.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <limits>

using namespace nag;

static constexpr uint8_t kGuard = 0xAB;

void HostTensor::Free::operator()(uint8_t *memory) const { std::free(memory); }

llvm::Expected<HostTensor> HostTensor::create(ElementType type, llvm::ArrayRef<int64_t> shape, HostLayout layout) {
  HostTensor tensor;
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.layout = layout;
  tensor.width = shape.empty() ? 1 : shape.back();
  tensor.rows = 1;

  auto tooLarge = [&] {
    return llvm::createStringError("a tensor of %s does not fit into memory", toString(shape, type).c_str());
  };
  int64_t rowElements = 0, elements = 0, bytes = 0;
  for (int64_t size : shape.empty() ? shape : shape.drop_back())
    if (llvm::MulOverflow(tensor.rows, size, tensor.rows))
      return tooLarge();
  if (llvm::AddOverflow(tensor.width, layout.rowPad, rowElements) ||
      llvm::MulOverflow(tensor.rows, rowElements, elements) || llvm::AddOverflow(elements, layout.offset, elements) ||
      llvm::MulOverflow(elements, int64_t(getByteSize(type)), bytes) ||
      llvm::AddOverflow(bytes, 3 * kGuardBytes, bytes))
    return tooLarge();
  // A row of no elements has nothing to index by; one element of width keeps `get` defined.
  if (tensor.width == 0) {
    tensor.rows = 0;
    tensor.width = 1;
  }
  tensor.bufferBytes = int64_t(llvm::alignTo(uint64_t(bytes), kGuardBytes));
  tensor.buffer.reset(static_cast<uint8_t *>(std::aligned_alloc(kGuardBytes, size_t(tensor.bufferBytes))));
  if (!tensor.buffer)
    return tooLarge();

  uint8_t *at = tensor.buffer.get();
  for (int64_t row = 0; row < tensor.rows; ++row) {
    std::memset(at, kGuard, size_t(tensor.getRow(row) - at));
    at = tensor.getRow(row) + tensor.width * getByteSize(type);
  }
  std::memset(at, kGuard, size_t(tensor.buffer.get() + tensor.bufferBytes - at));
  return tensor;
}

void HostTensor::poison() {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < width; ++column)
      storeElement(type, std::numeric_limits<double>::quiet_NaN(), getRow(row) + column * getByteSize(type));
}

llvm::Error HostTensor::checkGuards() const {
  const uint8_t *at = buffer.get();
  for (int64_t row = 0; row <= rows; ++row) {
    const uint8_t *end = row < rows ? getRow(row) : buffer.get() + bufferBytes;
    for (; at != end; ++at)
      if (*at != kGuard)
        return llvm::createStringError(
            "memory outside the rows has been overwritten, %lld bytes from the first element",
            static_cast<long long>(at - getRow(0)));
    at = end + width * getByteSize(type);
  }
  return llvm::Error::success();
}

std::vector<int64_t> HostTensor::getDescriptor() {
  auto pointer = int64_t(reinterpret_cast<intptr_t>(base()));
  std::vector<int64_t> words = {pointer, pointer, layout.offset};
  words.insert(words.end(), shape.begin(), shape.end());
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = i + 1 == shape.size() ? shape[i] + layout.rowPad : strides[i] * shape[i];
  words.insert(words.end(), strides.begin(), strides.end());
  return words;
}

std::string nag::toString(llvm::ArrayRef<int64_t> shape, ElementType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : shape)
    os << size << 'x';
  os << getName(type);
  return text;
}
