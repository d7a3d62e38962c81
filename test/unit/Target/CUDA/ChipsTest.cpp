//===- ChipsTest.cpp - The table of chips and occupancy -----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Tests the look-up of chips and the occupancy of kernels on them.
//
//===--------------------------------------------------------------------------------------------------===//

#include "TestKernels.h"
#include "nag/Target/CUDA/Occupancy.h"

using namespace mlir;
using namespace nag;
using namespace nag::test;

namespace {
class ChipsTest : public CudaTest {};

TEST_F(ChipsTest, EveryChipIsFoundByItsName) {
  for (const Chip &chip : getChips()) {
    FailureOr<const Chip *> found = lookupChip(chip.name, getEmitError());
    ASSERT_TRUE(succeeded(found));
    EXPECT_EQ(*found, &chip);
    EXPECT_EQ("sm_" + chip.getArch().str(), chip.name.str());
    EXPECT_LE(chip.maxSharedBytesPerBlock + 1024, chip.sharedBytesPerSM);
  }
}

TEST_F(ChipsTest, UnknownNamesAreOneErrorThatListsTheKnown) {
  EXPECT_TRUE(failed(lookupChip("sm_999", getEmitError())));
  EXPECT_EQ(errors,
            "unknown chip 'sm_999'; known chips are sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, "
            "sm_103, sm_103a, sm_110, sm_110a, sm_120, sm_120a, sm_121, sm_121a\n");
}

struct OccupancyCase {
  const char *chip;
  unsigned threads, registers;
  uint64_t sharedBytes;
  unsigned blocks;
  OccupancyLimit limit;
};

class OccupancyTest : public CudaTest, public ::testing::WithParamInterface<OccupancyCase> {};

TEST_P(OccupancyTest, BlocksPerSM) {
  const OccupancyCase &c = GetParam();
  FailureOr<const Chip *> chip = lookupChip(c.chip, getEmitError());
  ASSERT_TRUE(succeeded(chip));
  Occupancy occupancy = computeOccupancy(**chip, c.threads, c.registers, c.sharedBytes);
  EXPECT_EQ(occupancy.blocksPerSM, c.blocks);
  EXPECT_EQ(occupancy.warpsPerSM, c.blocks * ((c.threads + 31) / 32));
  EXPECT_EQ(occupancy.limit, c.limit) << stringifyOccupancyLimit(occupancy.limit).str();
}

INSTANTIATE_TEST_SUITE_P(Limits, OccupancyTest,
                         ::testing::Values(OccupancyCase{"sm_90", 512, 32, 64, 4, OccupancyLimit::Threads},
                                           OccupancyCase{"sm_120", 512, 32, 64, 3, OccupancyLimit::Threads},
                                           OccupancyCase{"sm_90", 32, 32, 64, 32, OccupancyLimit::Blocks},
                                           OccupancyCase{"sm_86", 32, 32, 64, 16, OccupancyLimit::Blocks},
                                           // 33 registers are handed out as 40: 51 warps in four partitions of 12.
                                           OccupancyCase{"sm_90", 512, 33, 64, 3, OccupancyLimit::Registers},
                                           OccupancyCase{"sm_90", 1024, 65, 0, 0, OccupancyLimit::Registers},
                                           OccupancyCase{"sm_90", 32, 255, 0, 8, OccupancyLimit::Registers},
                                           OccupancyCase{"sm_90", 256, 32, 48 * 1024, 4, OccupancyLimit::SharedMemory},
                                           OccupancyCase{"sm_90", 256, 32, 227 * 1024, 1, OccupancyLimit::SharedMemory},
                                           OccupancyCase{"sm_90", 256, 32, 227 * 1024 + 1, 0,
                                                         OccupancyLimit::SharedMemory},
                                           OccupancyCase{"sm_90", 0, 32, 0, 0, OccupancyLimit::Threads},
                                           OccupancyCase{"sm_90", 1025, 32, 0, 0, OccupancyLimit::Threads}));
} // namespace
