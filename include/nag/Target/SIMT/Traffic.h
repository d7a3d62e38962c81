//===- Traffic.h - Which bytes move where ---------------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Puts the accesses of a warp's threads together into instructions of the warp, and counts sectors, banks and what an
// L2 cache keeps.

#ifndef NAG_TARGET_SIMT_TRAFFIC_H
#define NAG_TARGET_SIMT_TRAFFIC_H

#include "nag/Target/SIMT/SimtReport.h"

#include <deque>

namespace nag::simt {

/// A cache of lines of four sectors, which evicts what was used longest ago among 16 lines.
class SectorCache {
public:
  explicit SectorCache(uint64_t bytes);
  /// Whether the sector at `address / 32` is there; it is afterwards.
  bool touch(uint64_t sector);
  void clear();

private:
  static constexpr unsigned kWays = 16;
  struct Line {
    uint64_t tag;
    uint64_t lastUse;
    uint32_t sectors;
  };
  std::vector<Line> lines;
  uint64_t numSets, now = 0;
};

/// The counters of one launch after another. A buffer is named by a number.
class Traffic {
public:
  Traffic(const LoweredModule &module, uint64_t l2Bytes);

  void beginLaunch(unsigned numBuffers);
  void beginBlock(unsigned numThreads);
  /// Counts what is left of the block's instructions: those that not all threads of a warp execute.
  void endBlock();

  /// One access of a thread. The n-th time that a thread executes an instruction belongs to the same instruction of its
  /// warp as the n-th time of the others. `buffer` is kShared for shared memory.
  void access(unsigned thread, uint32_t lanesOfWarp, uint32_t site, uint64_t address, uint32_t bytes, unsigned buffer,
              bool writes);
  static constexpr unsigned kShared = ~0u;

  struct PerBuffer {
    TrafficCounts reads, writes;
  };
  std::vector<PerBuffer> buffers;
  uint64_t sharedAccesses = 0, sharedWavefronts = 0, bankConflicts = 0;

  /// Which bytes of a buffer have been read, and written, in this launch.
  struct Touched {
    uint64_t base = 0;
    std::vector<uint64_t> read, written;
  };
  std::vector<Touched> touched;

private:
  /// One instruction of a warp.
  struct Instance {
    uint64_t addresses[32];
    uint32_t lanes = 0, bytes = 0;
    unsigned buffer = 0;
  };
  /// The executions of one instruction by one warp that are not complete, in order.
  struct Queue {
    uint32_t firstVisit = 0;
    std::deque<Instance> open;
  };
  void count(const Instance &instance, const Site &site, bool writes);
  void countGlobal(const Instance &instance, uint32_t piece, uint32_t offset, bool writes);
  void countShared(const Instance &instance, uint32_t piece, uint32_t offset);
  void touch(unsigned buffer, uint64_t sector, uint32_t bytesOfSector, bool writes);
  static bool isWrite(const Site &site, bool second) { return second || site.kind == Site::Store; }

  const LoweredModule &module;
  SectorCache cache;
  /// For each warp, site and direction (an asynchronous copy has both).
  std::vector<Queue> queues;
  /// For each thread, site and direction.
  std::vector<uint32_t> visits;
  unsigned numWarps = 0;
};

} // namespace nag::simt

#endif // NAG_TARGET_SIMT_TRAFFIC_H
