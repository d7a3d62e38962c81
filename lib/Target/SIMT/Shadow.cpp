//===- Shadow.cpp - What happened to each byte of a buffer --------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Memory for shadows.

#include "nag/Target/SIMT/Shadow.h"

#include <algorithm>
#include <sys/mman.h>

using namespace nag::simt;

llvm::Expected<LazyZeros> LazyZeros::create(uint64_t bytes) {
  bytes = std::max<uint64_t>(bytes, 1);
  void *base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return llvm::createStringError("no memory to watch %llu bytes", static_cast<unsigned long long>(bytes));
  return LazyZeros(base, bytes);
}

LazyZeros::~LazyZeros() {
  if (base)
    munmap(base, bytes);
}

void LazyZeros::clear() { madvise(base, bytes, MADV_DONTNEED); }

llvm::Expected<std::unique_ptr<Shadow>> Shadow::create(uint64_t bytes) {
  llvm::Expected<LazyZeros> accesses = LazyZeros::create(bytes * sizeof(ShadowByte));
  if (!accesses)
    return accesses.takeError();
  llvm::Expected<LazyZeros> written = LazyZeros::create(bytes);
  if (!written)
    return written.takeError();
  return std::unique_ptr<Shadow>(new Shadow(std::move(*accesses), std::move(*written)));
}
