//===- DriverTest.cpp - Tests of loading the CUDA driver ----------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The driver's library is there, incomplete, without a device, old, or not there.

#include "FakeDriver.h"

#include <gmock/gmock.h>

using namespace nag;
using testing::HasSubstr;

namespace {

TEST_F(FakeDriverTest, IsNotLoadedBeforeItIsNeeded) { EXPECT_FALSE(wasDriverLoadedEarly()); }

TEST(Driver, MissingLibrary) {
  std::string error;
  int code = 0;
  EXPECT_EQ(CudaDriver::load("/nowhere/libcuda.so.1", error, code), nullptr);
  EXPECT_EQ(code, NAG_DEVICE_NO_DRIVER);
  EXPECT_THAT(error, HasSubstr("no CUDA driver: /nowhere/libcuda.so.1 not found"));
  EXPECT_THAT(error, HasSubstr("NAG_CUDA_DRIVER"));
}

TEST(Driver, MissingFunction) {
  std::string error;
  int code = 0;
  EXPECT_EQ(CudaDriver::load(FAKE_CUDA_INCOMPLETE, error, code), nullptr);
  EXPECT_EQ(code, NAG_DEVICE_NO_DRIVER);
  EXPECT_THAT(error, HasSubstr("lacks the function cuLaunchKernel"));
}

TEST(Driver, NoDevice) {
  std::string error;
  int code = 0;
  EXPECT_EQ(CudaDriver::load(FAKE_CUDA_DEVICELESS, error, code), nullptr);
  EXPECT_EQ(code, 100);
  EXPECT_EQ(error, "no CUDA device: cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected");
}

TEST(Driver, OldDriverLacksWhatWeCanDoWithout) {
  std::string error;
  int code = 0;
  std::unique_ptr<CudaDriver> driver = CudaDriver::load(FAKE_CUDA_OLD, error, code);
  ASSERT_NE(driver, nullptr) << error;
  EXPECT_EQ(driver->ctxGetId, nullptr);
  EXPECT_EQ(driver->funcLoad, nullptr);
  EXPECT_NE(driver->launchKernel, nullptr);
}

TEST_F(FakeDriverTest, Devices) {
  int32_t count = 0;
  ASSERT_EQ(nag_device_count(&count), NAG_STATUS_OK);
  EXPECT_EQ(count, 2);
  nag_device_info info;
  ASSERT_EQ(nag_get_device_info(1, &info), NAG_STATUS_OK);
  EXPECT_STREQ(info.name, "Fake");
  EXPECT_EQ(info.major, 9);
  EXPECT_EQ(info.minor, 0);
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.l2_bytes, 52428800);
  EXPECT_EQ(info.memory_bytes, int64_t(141) << 30);
  EXPECT_EQ(NAG_STATUS_KIND(nag_get_device_info(2, &info)), NAG_STATUS_DEVICE);
  EXPECT_THAT(nag_last_error(), HasSubstr("CUDA device 2: CUDA_ERROR_FAKE (101)"));
}

} // namespace
