//===- SimtMemory.h - What is known about memory while kernels run --------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The observer of all accesses: buffers, the checker's shadow of them, and the counters.

#ifndef NAG_TARGET_SIMT_SIMTMEMORY_H
#define NAG_TARGET_SIMT_SIMTMEMORY_H

#include "nag/Target/SIMT/Shadow.h"
#include "nag/Target/SIMT/SimtProgram.h"
#include "nag/Target/SIMT/Traffic.h"

#include <deque>
#include <map>

namespace nag {

/// Memory with a name.
struct WatchedBuffer : SimtBuffer {
  bool isShared = false;
  std::unique_ptr<simt::Shadow> shadow;
  /// Index among the counters' buffers.
  unsigned number = 0;

  bool contains(const char *address) const {
    return static_cast<uint64_t>(address - static_cast<const char *>(base)) < bytes;
  }
  /// Whether `count` bytes at `offset` lie within the buffer, and within its rows.
  bool holds(uint64_t offset, uint64_t count) const {
    if (offset + count > bytes)
      return false;
    if (!columns || rowStride == columns * elementBytes)
      return true;
    return offset % rowStride + count <= columns * elementBytes;
  }
};

class SimtMemory : public simt::Observer {
public:
  SimtMemory(const SimtOptions &options, const simt::LoweredModule &module, SimtReport &report);
  ~SimtMemory() override;

  void addBuffer(SimtBuffer buffer);
  /// A buffer of the module itself, which stays.
  void addOwnBuffer(SimtBuffer buffer);
  void clearBuffers();
  void setFloor(llvm::StringRef kernel, SimtFloor floor) { floors[kernel.str()] = floor; }
  void beginLaunch(const simt::LaunchConfig &launch);
  void endLaunch();

  void beginBlock(simt::Machine &machine) override;
  void endBlock(simt::Machine &machine) override;
  void *access(simt::ThreadState &thread, void *address, uint32_t site, uint32_t bytes, bool writes) override;
  void barrier(simt::Machine &machine, bool isDivergent, const std::string &detail, uint32_t site) override;
  void warpOp(simt::Machine &machine, unsigned warp, uint32_t group, const simt::LaneSlot &slot) override;
  void fault(simt::Machine &machine, bool isBarrier, unsigned thread, const std::string &detail,
             uint32_t site) override;

private:
  WatchedBuffer *findBuffer(const char *address, uint32_t site);
  /// The buffer nearest to an address, for a message.
  WatchedBuffer *findNearest(const char *address);
  void placeShared(simt::Machine &machine);
  void nextInterval();
  void report(FindingKind kind, const simt::ThreadState &thread, const WatchedBuffer *buffer, int64_t offset,
              uint32_t site, std::string detail, int64_t otherThread = -1, int64_t otherBlock = -1);
  void checkShadow(simt::ThreadState &thread, WatchedBuffer &buffer, uint64_t offset, uint32_t site, uint32_t bytes,
                   bool writes);
  void reportRace(const simt::ThreadState &thread, const WatchedBuffer &buffer, uint64_t offset, uint32_t site,
                  uint32_t interval, uint16_t other, const char *what);
  KernelCounts &getKernel();
  void *redirect();

  const SimtOptions &options;
  const simt::LoweredModule &module;
  SimtReport &result;
  std::vector<std::unique_ptr<WatchedBuffer>> buffers, ownBuffers;
  /// Those of shared memory, made again for each launch.
  std::vector<std::unique_ptr<WatchedBuffer>> shared;
  /// All that are in global memory, by address.
  std::vector<WatchedBuffer *> sorted;
  /// The buffer that an instruction touched last.
  std::vector<WatchedBuffer *> lastBuffer;
  std::map<std::tuple<FindingKind, std::string, uint32_t, std::string>, size_t> known;
  const simt::LaunchConfig *launch = nullptr;

  simt::ShadowClock clock;
  /// The block of each interval of the running launch.
  std::vector<uint64_t> intervalBlocks;
  uint32_t firstInterval = 1, blockInterval = 1;
  uint64_t blockNumber = 0;

  std::unique_ptr<simt::Traffic> traffic;
  std::vector<uint64_t> visitsBefore;
  uint64_t numBarriers = 0, numWarpExchanges = 0, numWarpBarriers = 0;
  std::map<std::string, SimtFloor> floors;
  /// Where accesses go that must not happen.
  alignas(64) unsigned char scratch[256];
};

} // namespace nag

#endif // NAG_TARGET_SIMT_SIMTMEMORY_H
