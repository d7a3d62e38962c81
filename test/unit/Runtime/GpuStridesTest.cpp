//===- GpuStridesTest.cpp - Rows and numbers that lie in other tensors --------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Strides that nag-run does not give: rows that repeat or run backwards, numbers that are a column.

#include "GpuEntryTest.h"

#include "nag/Target/SIMT/SimtBackend.h"

using namespace nag;
using namespace nag::test;

namespace {

class GpuStrides : public GpuEntryTest, public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(compile(GetParam() == llvm::StringRef("narrow") ? 129 : 768,
                                    GetParam() == llvm::StringRef("narrow") ? "" : GetParam()));
    D = makeValues(tokens * width, 1);
    s = makeValues(tokens, 2);
    f = makeValues(tokens * width, 3);
    newD.resize(D.size());
    newS.resize(s.size());
  }

  /// What dense tensors give.
  void runDense() {
    SimtBackend backend{SimtOptions()};
    ASSERT_EQ(call(D, s, f, newD, newS), NAG_STATUS_OK);
    release();
  }

  std::vector<float> D, s, f, newD, newS;
};

TEST_P(GpuStrides, OneRowForAllTokens) {
  for (int64_t row = 1; row < tokens; ++row)
    std::copy_n(f.begin(), width, f.begin() + row * width);
  runDense();
  std::vector<float> result(newD.size()), norms(newS.size());
  f.resize(width);
  branchStride = 0;
  SimtBackend backend{SimtOptions()};
  ASSERT_EQ(call(D, s, f, result, norms), NAG_STATUS_OK);
  EXPECT_EQ(result, newD);
  EXPECT_EQ(norms, newS);
  release();
}

TEST_P(GpuStrides, RowsBackwards) {
  runDense();
  std::vector<float> reversed(D.size()), result(newD.size()), norms(newS.size());
  for (int64_t row = 0; row < tokens; ++row)
    std::copy_n(D.begin() + row * width, width, reversed.begin() + (tokens - 1 - row) * width);
  streamStride = -width;
  SimtBackend backend{SimtOptions()};
  ASSERT_EQ(call(&reversed[(tokens - 1) * width], s.data(), f.data(), result.data(), norms.data()), NAG_STATUS_OK);
  EXPECT_EQ(result, newD);
  EXPECT_EQ(norms, newS);
  release();
}

TEST_P(GpuStrides, NumbersAreColumns) {
  runDense();
  std::vector<float> table(tokens * 3), results(tokens * 4, -1), result(newD.size());
  for (int64_t row = 0; row < tokens; ++row)
    table[row * 3 + 1] = s[row];
  normStride = 3;
  newNormStride = 4;
  SimtBackend backend{SimtOptions()};
  ASSERT_EQ(call(D.data(), &table[1], f.data(), result.data(), &results[2]), NAG_STATUS_OK);
  EXPECT_EQ(result, newD);
  for (int64_t i = 0; i < tokens * 4; ++i)
    EXPECT_EQ(results[i], i % 4 == 2 ? newS[i / 4] : -1) << i;
  release();
}

INSTANTIATE_TEST_SUITE_P(Schedules, GpuStrides, testing::Values("warp", "block", "stream", "narrow"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
