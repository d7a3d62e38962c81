//===- InPlaceTest.cpp - Results that lie on arguments, on every schedule -----------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Runs GPU kernels on the CPU with results in the buffers of arguments, in several orders of threads: the same bits as
// apart.

#include "GpuEntryTest.h"

#include "nag/Target/SIMT/SimtBackend.h"

using namespace nag;
using namespace nag::test;

namespace {

class InPlace : public GpuEntryTest {
protected:
  void expectTheSameBits() {
    const std::vector<float> stream = makeValues(tokens * width, 1), norms = makeValues(tokens, 2),
                             branch = makeValues(tokens * width, 3);
    for (uint64_t seed : {0, 1, 2}) {
      SimtOptions options;
      options.seed = seed;
      SimtBackend backend(options);
      std::vector<float> D = stream, s = norms, f = branch, newD(D.size()), newS(s.size());
      ASSERT_EQ(call(D, s, f, newD, newS), NAG_STATUS_OK);
      ASSERT_NE(newD, stream);
      std::vector<float> onD = stream, onS = norms;
      ASSERT_EQ(call(onD, onS, f, onD, onS), NAG_STATUS_OK);
      EXPECT_EQ(onD, newD) << "seed " << seed;
      EXPECT_EQ(onS, newS) << "seed " << seed;
      std::vector<float> onF = branch;
      ASSERT_EQ(call(D, s, onF, onF, newS), NAG_STATUS_OK);
      EXPECT_EQ(onF, newD) << "seed " << seed;
      release();
    }
  }
};

TEST_F(InPlace, Warp) {
  ASSERT_NO_FATAL_FAILURE(compile(768, "warp"));
  expectTheSameBits();
}

TEST_F(InPlace, Block) {
  ASSERT_NO_FATAL_FAILURE(compile(1600, "block"));
  expectTheSameBits();
}

TEST_F(InPlace, Stream) {
  ASSERT_NO_FATAL_FAILURE(compile(1600, "stream"));
  expectTheSameBits();
}

/// Rows without wide accesses.
TEST_F(InPlace, StreamOfOddRows) {
  ASSERT_NO_FATAL_FAILURE(compile(769, "stream"));
  expectTheSameBits();
}

/// An entry that a GPU serves refuses what one for the CPU refuses, before anything is launched.
TEST_F(InPlace, PartsAreRefused) {
  ASSERT_NO_FATAL_FAILURE(compile(64, "warp"));
  std::vector<float> D = makeValues(tokens * width, 1), s = makeValues(tokens, 2), f = makeValues(tokens * width, 3);
  std::vector<float> newD(D.size());
  EXPECT_EQ(call(D, s, f, newD, newD), NAG_STATUS_MAKE(NAG_STATUS_OVERLAP, 5, 4));
  EXPECT_EQ(call(D, s, f, newD, f), NAG_STATUS_MAKE(NAG_STATUS_OVERLAP, 5, 2));
}

} // namespace
