//===- Occupancy.cpp - How many blocks of a kernel fit on an SM ---------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Occupancy of a kernel from its resources and the limits of the chip.
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Target/CUDA/Occupancy.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace nag;

// How compute capability 8.0 and later hand out registers and shared memory.
static constexpr unsigned registerAllocationUnit = 256; // per warp
static constexpr unsigned sharedAllocationUnit = 128;
static constexpr unsigned sharedReservedPerBlock = 1024; // by the driver
static constexpr unsigned partitionsPerSM = 4;           // each with its own register file

llvm::StringRef nag::stringifyOccupancyLimit(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::Threads:
    return "threads";
  case OccupancyLimit::Blocks:
    return "blocks";
  case OccupancyLimit::Registers:
    return "registers";
  case OccupancyLimit::SharedMemory:
    return "shared memory";
  }
  llvm_unreachable("covered switch");
}

static uint64_t getBlocksByRegisters(unsigned warps, unsigned registersPerThread) {
  if (registersPerThread == 0)
    return Chip::registersPerSM;
  if (registersPerThread > Chip::maxRegistersPerThread)
    return 0;
  uint64_t perWarp = llvm::alignTo(uint64_t(registersPerThread) * Chip::warpSize, registerAllocationUnit);
  // A block must fit as if its warps were dealt evenly to the partitions.
  if (perWarp * llvm::alignTo(warps, partitionsPerSM) > Chip::maxRegistersPerBlock)
    return 0;
  uint64_t warpsPerPartition = Chip::registersPerSM / partitionsPerSM / perWarp;
  return warpsPerPartition * partitionsPerSM / warps;
}

Occupancy nag::computeOccupancy(const Chip &chip, unsigned threadsPerBlock, unsigned registersPerThread,
                                uint64_t sharedBytesPerBlock) {
  if (threadsPerBlock == 0 || threadsPerBlock > Chip::maxThreadsPerBlock)
    return {0, 0, OccupancyLimit::Threads};
  unsigned warps = llvm::divideCeil(threadsPerBlock, Chip::warpSize);
  uint64_t byShared = 0;
  if (sharedBytesPerBlock <= chip.maxSharedBytesPerBlock)
    byShared =
        chip.sharedBytesPerSM / llvm::alignTo(sharedBytesPerBlock + sharedReservedPerBlock, sharedAllocationUnit);
  std::pair<uint64_t, OccupancyLimit> bounds[] = {
      {chip.maxThreadsPerSM / Chip::warpSize / warps, OccupancyLimit::Threads},
      {chip.maxBlocksPerSM, OccupancyLimit::Blocks},
      {getBlocksByRegisters(warps, registersPerThread), OccupancyLimit::Registers},
      {byShared, OccupancyLimit::SharedMemory}};
  auto tightest = *std::min_element(std::begin(bounds), std::end(bounds),
                                    [](const auto &a, const auto &b) { return a.first < b.first; });
  unsigned blocks = static_cast<unsigned>(tightest.first);
  return {blocks, blocks * warps, tightest.second};
}
