//===- FakeDriver.cpp - The fake CUDA driver as tests see it ------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Makes the run-time library of this program load the fake driver.

#include "FakeDriver.h"

#include <cstdlib>
#include <dlfcn.h>

static bool loadedEarly = false;

namespace {

struct UseFakeDriver : testing::Environment {
  void SetUp() override {
    setenv("NAG_CUDA_DRIVER", FAKE_CUDA, /*overwrite=*/1);
    nag_kernel kernel = {"a", ""};
    nag_gpu_module module = {NAG_ABI_VERSION, 1, &kernel, "image", 5, nullptr};
    // No rows: nothing to launch. Nothing loaded: nothing to release.
    EXPECT_EQ(nag_launch(&module, 0, 0, 1, 1, 32, 1, 1, 0, nullptr, nullptr), NAG_STATUS_OK);
    EXPECT_EQ(nag_release(&module), NAG_STATUS_OK);
    loadedEarly = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD) != nullptr;
  }
};

} // namespace

static testing::Environment *environment = testing::AddGlobalTestEnvironment(new UseFakeDriver);

bool wasDriverLoadedEarly() { return loadedEarly; }

FakeCuda &getFakeCuda() {
  static FakeCuda *state = [] {
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    return reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "fake_cuda_state"))();
  }();
  return *state;
}

void FakeDriverTest::SetUp() {
  int32_t status;
  ASSERT_NE(nag::CudaDriver::get(status), nullptr) << nag_last_error();
  fake.calls.clear();
  fake.launches.clear();
  fake.fail.clear();
  fake.streamContexts.clear();
  fake.contextIds.clear();
  fake.loads.clear();
  fake.unloads.clear();
  fake.functionAttributes.clear();
  fake.run = nullptr;
  fake.numParams = 0;
  fake.numDevices = 2;
}

void FakeDriverTest::TearDown() {
  nag::CUcontext left = nullptr;
  int32_t status;
  nag::CudaDriver::get(status)->ctxGetCurrent(&left);
  EXPECT_EQ(left, nullptr) << "a context was left current";
}
