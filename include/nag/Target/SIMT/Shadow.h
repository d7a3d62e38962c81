//===- Shadow.h - What happened to each byte of a buffer ------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Remembers for each byte who wrote and who read it last, to find reads of what nobody wrote and races.

#ifndef NAG_TARGET_SIMT_SHADOW_H
#define NAG_TARGET_SIMT_SHADOW_H

#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace nag::simt {

/// When an access takes place. An interval is what one block does between two of its barriers; numbers grow from block
/// to block and from launch to launch, so that a shadow need not be cleared.
struct ShadowClock {
  uint32_t interval = 0;
  /// Barriers of each warp in the interval.
  uint16_t warpEpochs[32] = {};
};

/// The last write and the last read of one byte. Zero is never.
struct ShadowByte {
  /// Several readers are told apart from one, because then a write by any of them is a race: of several warps, of
  /// several blocks, of one warp (whose number is added).
  static constexpr uint16_t kManyThreads = 0x400, kManyBlocks = 0x401, kManyLanes = 0x402, kAtomic = 0x8000;

  uint32_t writeInterval;
  /// Thread, and kAtomic.
  uint16_t writer;
  uint16_t writeEpoch;
  uint32_t readInterval;
  uint16_t reader;
  uint16_t readEpoch;
};

/// Memory that is there, as zeros, once it is touched.
class LazyZeros {
public:
  static llvm::Expected<LazyZeros> create(uint64_t bytes);
  LazyZeros(LazyZeros &&other) : base(other.base), bytes(other.bytes) { other.base = nullptr; }
  ~LazyZeros();
  void *get() const { return base; }
  void clear();

private:
  LazyZeros(void *base, uint64_t bytes) : base(base), bytes(bytes) {}
  void *base;
  uint64_t bytes;
};

class Shadow {
public:
  static llvm::Expected<std::unique_ptr<Shadow>> create(uint64_t bytes);

  ShadowByte *getBytes() const { return static_cast<ShadowByte *>(accesses.get()); }
  /// Nonzero where the byte has been written.
  unsigned char *getWritten() const { return static_cast<unsigned char *>(written.get()); }
  void forgetWrites() { written.clear(); }

private:
  Shadow(LazyZeros accesses, LazyZeros written) : accesses(std::move(accesses)), written(std::move(written)) {}
  LazyZeros accesses, written;
};

} // namespace nag::simt

#endif // NAG_TARGET_SIMT_SHADOW_H
