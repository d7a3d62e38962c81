//===- RunnerTest.cpp - Tests of running entries on tensors in host memory ----------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Copies there and back, the call between them, and what goes wrong, on the fake driver.

#include "FakeDriver.h"

#include "nag/Runtime/CudaRunner.h"

#include <gmock/gmock.h>

using namespace nag;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

nag_kernel kernel = {"a", "p"};
nag_gpu_module gpuModule = {NAG_ABI_VERSION, 1, &kernel, "PTX", 3, nullptr};
int32_t refusal = 0;

/// An entry with one input [2, 3] and one result of f32: launches a kernel that gets the result's first row.
int32_t callEntry(void *const *args) {
  if (refusal)
    return refusal;
  auto *result = static_cast<nag_memref_2d *>(args[1]);
  void *data = static_cast<float *>(result->aligned) + result->offset;
  void *params[] = {&data};
  return nag_launch(&gpuModule, 0, 1, 1, 1, 32, 1, 1, 0, args[3], params);
}
int64_t getWorkspaceSize(void *const *) { return 512; }
int32_t prepare(void *const *) { return nag_prepare(&gpuModule); }
int32_t release(void *const *) { return nag_release(&gpuModule); }

class Runner : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    refusal = 0;
    inputs.push_back(llvm::cantFail(HostTensor::create(ElementType::F32, {2, 3}, {1, 2})));
    outputs.push_back(llvm::cantFail(HostTensor::create(ElementType::F32, {2, 3}, {0, 1})));
    for (int64_t i = 0; i < 6; ++i)
      inputs[0].set(i, double(i));
    outputs[0].poison();
  }
  void TearDown() override {
    fake.fail.clear();
    nag_release(&gpuModule);
    FakeDriverTest::TearDown();
  }

  std::string run() {
    llvm::Expected<std::unique_ptr<CudaRunner>> runner = CudaRunner::create();
    if (!runner)
      return llvm::toString(runner.takeError());
    llvm::Expected<int32_t> status = (*runner)->run(entry, inputs, outputs);
    if (!status)
      return llvm::toString(status.takeError());
    return "status " + std::to_string(*status);
  }

  PackedEntry entry = {callEntry, getWorkspaceSize, prepare, release};
  std::vector<HostTensor> inputs, outputs;
};

TEST_F(Runner, CopiesThereAndBackAndKeepsPadding) {
  fake.run = [](void **params) {
    float *row = *static_cast<float **>(params[0]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        row[i * 4 + j] = float(10 * i + j);
  };
  EXPECT_EQ(run(), "status 0");
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(outputs[0].get(i), double(10 * (i / 3) + i % 3));
  EXPECT_FALSE(bool(outputs[0].checkGuards()));
  EXPECT_EQ(fake.numAllocations, 0);
  EXPECT_EQ(fake.count("cuStreamDestroy"), 1);
  ASSERT_EQ(fake.launches.size(), 1u);
  EXPECT_EQ(fake.launches[0].context, reinterpret_cast<void *>(0x1000));
}

TEST_F(Runner, SeesWhatIsWrittenBetweenTheRows) {
  fake.run = [](void **params) { (*static_cast<float **>(params[0]))[3] = 1; };
  EXPECT_EQ(run(), "status 0");
  EXPECT_TRUE(llvm::errorToBool(outputs[0].checkGuards()));
}

TEST_F(Runner, SeesWhatIsWrittenBehindAResult) {
  fake.run = [](void **params) { (*static_cast<float **>(params[0]))[7] = 1; };
  EXPECT_EQ(run(), "result 0: device memory behind it has been overwritten");
}

TEST_F(Runner, HandsOnWhatTheEntryRefuses) {
  refusal = NAG_STATUS_MAKE(NAG_STATUS_SIZE, 0, 1);
  EXPECT_EQ(run(), "status " + std::to_string(refusal));
  EXPECT_EQ(fake.numAllocations, 0);
}

TEST_F(Runner, SaysWhatTheDriverRefuses) {
  fake.fail["cuLaunchKernel"] = 2;
  EXPECT_EQ(run(), "kernel a: cuLaunchKernel: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
  fake.fail = {{"cuMemAlloc", 2}};
  EXPECT_THAT(run(), HasSubstr("bytes: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"));
  fake.fail = {{"cuStreamSynchronize", 700}};
  EXPECT_THAT(run(), HasSubstr("running the entry: CUDA_ERROR_FAKE (700)"));
  EXPECT_EQ(fake.numAllocations, 0);
}

TEST_F(Runner, NoDevices) {
  fake.numDevices = 0;
  EXPECT_THAT(run(), HasSubstr("no CUDA device"));
}

TEST_F(Runner, Times) {
  std::unique_ptr<CudaRunner> runner = llvm::cantFail(CudaRunner::create(1));
  EXPECT_EQ(runner->getChip(), "sm_90");
  llvm::Expected<double> nothing = runner->time(entry, 3);
  EXPECT_THAT(llvm::toString(nothing.takeError()), HasSubstr("nothing to time"));
  EXPECT_EQ(llvm::cantFail(runner->run(entry, inputs, outputs)), 0);
  EXPECT_DOUBLE_EQ(llvm::cantFail(runner->time(entry, 3)), 6e-3 / 3);
  EXPECT_EQ(fake.launches.size(), 4u);
  fake.fail["cuLaunchKernel"] = 2;
  llvm::Expected<double> failing = runner->time(entry, 3);
  EXPECT_THAT(llvm::toString(failing.takeError()), HasSubstr("OUT_OF_MEMORY"));
}

TEST_F(Runner, FindsTheFunctionsOfAnEntry) {
  std::vector<std::string> asked;
  llvm::Expected<PackedEntry> found = PackedEntry::find("update", [&](llvm::StringRef name) -> void * {
    asked.push_back(name.str());
    return name == "update_prepare_packed" ? nullptr : &refusal;
  });
  EXPECT_EQ(llvm::toString(found.takeError()), "the compiled code lacks the function 'update_prepare_packed'");
  EXPECT_THAT(asked, ElementsAre("update_packed", "update_workspace_size_packed", "update_prepare_packed",
                                 "update_release_packed"));
}

} // namespace
