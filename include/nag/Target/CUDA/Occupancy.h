//===- Occupancy.h - How many blocks of a kernel fit on an SM -----------------------------*- C++ -*-===//
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

#ifndef NAG_TARGET_CUDA_OCCUPANCY_H
#define NAG_TARGET_CUDA_OCCUPANCY_H

#include "nag/Target/CUDA/Chips.h"

namespace nag {

/// What bounds the number of resident blocks.
enum class OccupancyLimit { Threads, Blocks, Registers, SharedMemory };

llvm::StringRef stringifyOccupancyLimit(OccupancyLimit limit);

struct Occupancy {
  /// Resident blocks on one SM; 0 if the kernel cannot be launched with that block at all.
  unsigned blocksPerSM;
  unsigned warpsPerSM;
  OccupancyLimit limit;
};

/// The occupancy of blocks of `threadsPerBlock` threads, each with `registersPerThread` registers, and
/// `sharedBytesPerBlock` bytes of shared memory, static and dynamic together.
Occupancy computeOccupancy(const Chip &chip, unsigned threadsPerBlock, unsigned registersPerThread,
                           uint64_t sharedBytesPerBlock);

} // namespace nag

#endif // NAG_TARGET_CUDA_OCCUPANCY_H
