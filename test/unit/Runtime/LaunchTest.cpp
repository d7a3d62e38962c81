//===- LaunchTest.cpp - Tests of launching kernels ----------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// What reaches the driver from nag_launch, nag_prepare and nag_release, in which context, and what comes back.

#include "FakeDriver.h"

#include <gmock/gmock.h>
#include <thread>

using namespace nag;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

void *handle(uintptr_t number) { return reinterpret_cast<void *>(number); }

constexpr uintptr_t kPrimary0 = 0x1000;

class Launch : public FakeDriverTest {
protected:
  void TearDown() override {
    fake.fail.clear();
    nag_release(&module);
    FakeDriverTest::TearDown();
  }

  int32_t launch(void *stream = nullptr, int32_t kernel = 0, int32_t sharedBytes = 0, int64_t blocks = 7) {
    return nag_launch(&module, kernel, blocks, 1, 1, 32, 4, 1, sharedBytes, stream, params);
  }

  static void push(void *context) { driver().ctxPushCurrent(static_cast<CUcontext>(context)); }
  static void pop() {
    CUcontext context;
    driver().ctxPopCurrent(&context);
  }
  static const CudaDriver &driver() {
    int32_t status;
    return *CudaDriver::get(status);
  }

  nag_kernel kernels[2] = {{"a", "p8"}, {"b", "8"}};
  char image[4] = "PTX";
  nag_gpu_module module = {NAG_ABI_VERSION, 2, kernels, image, 3, nullptr};
  uint64_t values[2] = {0x1234, 42};
  void *params[2] = {&values[0], &values[1]};
};

TEST_F(Launch, PassesOnWhatItIsGiven) {
  fake.numParams = 2;
  fake.streamContexts[handle(0x77)] = handle(0x10);
  ASSERT_EQ(launch(handle(0x77), 0, 100), NAG_STATUS_OK);
  ASSERT_EQ(fake.launches.size(), 1u);
  const FakeLaunch &seen = fake.launches[0];
  EXPECT_EQ(seen.stream, handle(0x77));
  EXPECT_THAT(seen.grid, ElementsAre(7u, 1u, 1u));
  EXPECT_THAT(seen.block, ElementsAre(32u, 4u, 1u));
  EXPECT_EQ(seen.sharedBytes, 100u);
  EXPECT_THAT(seen.params, ElementsAre(0x1234u, 42u));
  EXPECT_EQ(uintptr_t(seen.function) & 0xff, uintptr_t('a'));
}

TEST_F(Launch, RunsInTheContextOfTheStreamAndRestoresTheCurrentOne) {
  fake.streamContexts[handle(0x77)] = handle(0x20);
  push(handle(0x10));
  ASSERT_EQ(launch(handle(0x77)), NAG_STATUS_OK);
  EXPECT_EQ(fake.launches[0].context, handle(0x20));
  CUcontext current;
  driver().ctxGetCurrent(&current);
  EXPECT_EQ(current, handle(0x10));
  pop();
}

TEST_F(Launch, RunsInTheCurrentContextWithoutAStream) {
  push(handle(0x10));
  fake.calls.clear();
  ASSERT_EQ(launch(), NAG_STATUS_OK);
  EXPECT_EQ(fake.launches[0].context, handle(0x10));
  EXPECT_EQ(fake.launches[0].stream, nullptr);
  // CUDA's names of default streams belong to every context.
  ASSERT_EQ(launch(handle(2)), NAG_STATUS_OK);
  EXPECT_EQ(fake.launches[1].stream, handle(2));
  EXPECT_EQ(fake.count("cuStreamGetCtx"), 0);
  EXPECT_EQ(fake.count("cuCtxPushCurrent"), 0);
  pop();
}

TEST_F(Launch, FallsBackToThePrimaryContext) {
  ASSERT_EQ(launch(), NAG_STATUS_OK);
  EXPECT_EQ(fake.launches[0].context, handle(kPrimary0));
}

TEST_F(Launch, LoadsOnceInEachContext) {
  for (int i = 0; i < 100; ++i)
    for (uintptr_t context : {0x10, 0x20}) {
      push(handle(context));
      ASSERT_EQ(launch(nullptr, i % 2), NAG_STATUS_OK);
      pop();
    }
  EXPECT_THAT(fake.loads, ElementsAre(Pair(handle(0x10), static_cast<const void *>(image)),
                                      Pair(handle(0x20), static_cast<const void *>(image))));
  EXPECT_EQ(fake.count("cuModuleGetFunction"), 4);
  ASSERT_EQ(fake.launches.size(), 200u);
  // Each context has functions of its own.
  EXPECT_NE(fake.launches[0].function, fake.launches[1].function);
  EXPECT_EQ(fake.launches[0].function, fake.launches[4].function);
}

TEST_F(Launch, LoadsAgainWhereANewContextHasAnOldAddress) {
  push(handle(0x10));
  fake.contextIds[handle(0x10)] = 1;
  ASSERT_EQ(launch(), NAG_STATUS_OK);
  fake.contextIds[handle(0x10)] = 2;
  ASSERT_EQ(launch(), NAG_STATUS_OK);
  EXPECT_EQ(fake.loads.size(), 2u);
  // Only the module of the context that exists still can be unloaded.
  EXPECT_EQ(nag_release(&module), NAG_STATUS_OK);
  EXPECT_THAT(fake.unloads, ElementsAre(handle(0x10)));
  pop();
}

TEST_F(Launch, LoadsOnceForManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j)
        EXPECT_EQ(launch(), NAG_STATUS_OK);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake.loads.size(), 1u);
  EXPECT_EQ(fake.launches.size(), 400u);
}

TEST_F(Launch, NeitherWaitsNorAllocates) {
  ASSERT_EQ(launch(), NAG_STATUS_OK);
  for (const char *name : {"cuStreamSynchronize", "cuEventSynchronize", "cuMemAlloc"})
    EXPECT_EQ(fake.count(name), 0) << name;
  fake.calls.clear();
  ASSERT_EQ(launch(), NAG_STATUS_OK);
  EXPECT_THAT(fake.calls, ElementsAre("cuCtxPushCurrent", "cuLaunchKernel"));
}

TEST_F(Launch, PreparesAllKernelsAhead) {
  ASSERT_EQ(nag_prepare(&module), NAG_STATUS_OK);
  EXPECT_EQ(fake.count("cuModuleGetFunction"), 2);
  EXPECT_EQ(fake.count("cuFuncLoad"), 2);
  EXPECT_TRUE(fake.launches.empty());
  fake.calls.clear();
  ASSERT_EQ(launch(nullptr, 1), NAG_STATUS_OK);
  EXPECT_EQ(fake.count("cuModuleLoadDataEx") + fake.count("cuModuleGetFunction"), 0);
}

TEST_F(Launch, ReleasesAndLoadsAgain) {
  ASSERT_EQ(launch(), NAG_STATUS_OK);
  ASSERT_EQ(nag_release(&module), NAG_STATUS_OK);
  EXPECT_THAT(fake.unloads, ElementsAre(handle(kPrimary0)));
  EXPECT_EQ(module.cache, nullptr);
  ASSERT_EQ(launch(), NAG_STATUS_OK);
  EXPECT_EQ(fake.loads.size(), 2u);
}

TEST_F(Launch, OptsInToMuchSharedMemoryOnce) {
  ASSERT_EQ(launch(nullptr, 0, 48 * 1024), NAG_STATUS_OK);
  EXPECT_TRUE(fake.functionAttributes.empty());
  ASSERT_EQ(launch(nullptr, 0, 100000), NAG_STATUS_OK);
  ASSERT_EQ(launch(nullptr, 0, 100000), NAG_STATUS_OK);
  EXPECT_THAT(fake.functionAttributes, ElementsAre(Pair(8, 100000)));
}

TEST_F(Launch, ReportsWhatTheDriverRefuses) {
  fake.fail["cuLaunchKernel"] = 2;
  EXPECT_EQ(launch(), NAG_STATUS_DEVICE << 16 | 2);
  EXPECT_STREQ(nag_last_error(), "kernel a: cuLaunchKernel: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  fake.fail = {{"cuModuleGetFunction", 500}};
  EXPECT_EQ(launch(nullptr, 1), NAG_STATUS_DEVICE << 16 | 500);
  EXPECT_THAT(nag_last_error(), HasSubstr("kernel b: cuModuleGetFunction: CUDA_ERROR_FAKE (500)"));
  fake.fail = {{"cuFuncSetAttribute", 1}};
  EXPECT_EQ(launch(nullptr, 0, 1 << 20), NAG_STATUS_DEVICE << 16 | 1);
  EXPECT_THAT(nag_last_error(), HasSubstr("kernel a: 1048576 bytes of shared memory: CUDA_ERROR_FAKE (1)"));
}

TEST_F(Launch, AFailureToLoadIsNotKept) {
  fake.fail["cuModuleLoadDataEx"] = 2;
  EXPECT_EQ(launch(), NAG_STATUS_DEVICE << 16 | 2);
  EXPECT_THAT(nag_last_error(),
              HasSubstr("the kernels cannot be loaded: cuModuleLoadDataEx: CUDA_ERROR_OUT_OF_MEMORY"));
  fake.fail.clear();
  EXPECT_EQ(launch(), NAG_STATUS_OK);
}

TEST_F(Launch, RefusesGridsThatNoGpuHas) {
  EXPECT_EQ(launch(nullptr, 0, 0, int64_t(1) << 31), NAG_STATUS_MAKE(NAG_STATUS_TOO_MANY_ROWS, 255, 255));
  EXPECT_THAT(nag_last_error(), HasSubstr("kernel a: a grid of 2147483648 blocks"));
  EXPECT_EQ(launch(nullptr, 0, 0, 0x7fffffff), NAG_STATUS_OK);
  EXPECT_EQ(fake.launches.size(), 1u);
  EXPECT_EQ(nag_launch(&module, 0, 1, 0x10000, 1, 1, 1, 1, 0, nullptr, params),
            NAG_STATUS_MAKE(NAG_STATUS_TOO_MANY_ROWS, 255, 255));
}

TEST_F(Launch, LaunchesNoMoreThanTheDeviceHoldsOfAGridThatStays) {
  auto launch = [&](int64_t blocks, int32_t sharedBytes) {
    return nag_launch_persistent(&module, 0, blocks, 1, 1, 256, 2, 1, sharedBytes, nullptr, params);
  };
  // Two blocks on each of 132 multiprocessors; one where they need more shared memory; those that there are.
  ASSERT_EQ(launch(1000, 50000), NAG_STATUS_OK);
  ASSERT_EQ(launch(1001, 50000), NAG_STATUS_OK);
  EXPECT_EQ(fake.count("cuOccupancyMaxActiveBlocksPerMultiprocessor"), 1);
  ASSERT_EQ(launch(1000, 150000), NAG_STATUS_OK);
  ASSERT_EQ(launch(5, 150000), NAG_STATUS_OK);
  // More tokens than any grid has blocks; none.
  ASSERT_EQ(launch(int64_t(1) << 40, 150000), NAG_STATUS_OK);
  ASSERT_EQ(launch(0, 150000), NAG_STATUS_OK);
  std::vector<unsigned> blocks;
  for (const FakeLaunch &launch : fake.launches)
    blocks.push_back(launch.grid[0]);
  EXPECT_THAT(blocks, ElementsAre(264u, 264u, 132u, 5u, 132u));
  EXPECT_EQ(fake.launches[2].sharedBytes, 150000u);
  fake.fail["cuOccupancyMaxActiveBlocksPerMultiprocessor"] = 2;
  EXPECT_EQ(launch(1000, 60000), NAG_STATUS_DEVICE << 16 | 2);
  EXPECT_THAT(nag_last_error(), HasSubstr("kernel a: cuOccupancyMaxActiveBlocksPerMultiprocessor"));
}

TEST_F(Launch, RefusesModulesThatItDoesNotKnow) {
  EXPECT_EQ(launch(nullptr, 2), NAG_STATUS_DEVICE << 16 | NAG_DEVICE_BAD_MODULE);
  nag_gpu_module other = module;
  other.abi_version = 99;
  EXPECT_EQ(nag_launch(&other, 0, 1, 1, 1, 1, 1, 1, 0, nullptr, params),
            NAG_STATUS_DEVICE << 16 | NAG_DEVICE_BAD_MODULE);
  EXPECT_THAT(nag_last_error(), HasSubstr("compiled for version 99 of the calling convention"));
  other = module;
  other.image = nullptr;
  EXPECT_EQ(nag_launch(&other, 0, 1, 1, 1, 1, 1, 1, 0, nullptr, params),
            NAG_STATUS_DEVICE << 16 | NAG_DEVICE_BAD_MODULE);
  EXPECT_STREQ(nag_last_error(), "the entry was compiled without code for a GPU");
  nag_release(&other);
}

TEST_F(Launch, ErrorsBelongToTheirThread) {
  nag_set_last_error("mine");
  std::thread([] { EXPECT_STREQ(nag_last_error(), ""); }).join();
  EXPECT_STREQ(nag_last_error(), "mine");
}

} // namespace
