//===- GpuFarRowsTest.cpp - Rows whose offset does not fit into 32 bits -------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Rows so far apart that elements are numbered past 2^31, in memory of which only the pages of the rows are there.

#include "GpuEntryTest.h"

#include "nag/Target/SIMT/SimtBackend.h"

#include <algorithm>
#include <sys/mman.h>

using namespace nag;
using namespace nag::test;

namespace {

constexpr int64_t kStride = int64_t(1) << 20, kFarTokens = 2049 + 16;

/// Memory for far rows, or null where the system grants no such addresses.
class FarRows {
public:
  FarRows() {
    void *mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
      return;
    data = static_cast<float *>(mapped);
#ifdef MADV_NOHUGEPAGE
    // Of huge pages, each row would cost 2 MB.
    madvise(mapped, kBytes, MADV_NOHUGEPAGE);
#endif
  }
  ~FarRows() {
    if (data)
      munmap(data, kBytes);
  }
  FarRows(const FarRows &) = delete;
  FarRows &operator=(const FarRows &) = delete;

  float *data = nullptr;

private:
  static constexpr size_t kBytes = size_t(kStride) * kFarTokens * sizeof(float);
};

class GpuFarRows : public GpuEntryTest {
protected:
  void expectTheBitsOfNearRows(int64_t rowWidth, llvm::StringRef schedule) {
    ASSERT_GT((kFarTokens - 1) * kStride, int64_t(1) << 31);
    ASSERT_NO_FATAL_FAILURE(compile(rowWidth, schedule));
    FarRows farD, farF, farResult;
    if (!farD.data || !farF.data || !farResult.data)
      GTEST_SKIP() << "no room for " << kFarTokens << " rows that far apart";
    tokens = kFarTokens;
    std::vector<float> D = makeValues(tokens * width, 1), s = makeValues(tokens, 2), f = makeValues(tokens * width, 3);
    std::vector<float> newD(D.size()), newS(s.size()), farS(s.size());
    for (int64_t row = 0; row < tokens; ++row) {
      std::copy_n(&D[row * width], width, farD.data + row * kStride);
      std::copy_n(&f[row * width], width, farF.data + row * kStride);
    }
    SimtBackend backend{SimtOptions()};
    ASSERT_EQ(call(D, s, f, newD, newS), NAG_STATUS_OK);
    streamStride = branchStride = resultStride = kStride;
    ASSERT_EQ(call(farD.data, s.data(), farF.data, farResult.data, farS.data()), NAG_STATUS_OK);
    release();
    EXPECT_EQ(farS, newS);
    for (int64_t row = 0; row < tokens; ++row)
      ASSERT_TRUE(std::equal(&newD[row * width], &newD[(row + 1) * width], farResult.data + row * kStride))
          << "row " << row;
    EXPECT_NE(newD, D);
  }
};

TEST_F(GpuFarRows, Warp) { expectTheBitsOfNearRows(256, "warp"); }
TEST_F(GpuFarRows, Block) { expectTheBitsOfNearRows(256, "block"); }
TEST_F(GpuFarRows, Stream) { expectTheBitsOfNearRows(256, "stream"); }
TEST_F(GpuFarRows, NarrowAccesses) { expectTheBitsOfNearRows(33, ""); }

} // namespace
