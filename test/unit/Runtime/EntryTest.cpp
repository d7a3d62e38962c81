//===- EntryTest.cpp - Tests of what compiled entries launch ------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compiles entries for a GPU and looks, in place of the GPU, at which kernels arrive with which parameters.

#include "nag/Conversion/GpuImage.h"
#include "nag/Conversion/Passes.h"
#include "nag/InitAll.h"
#include "nag/Pipelines/Pipelines.h"
#include "nag/Runtime/Runtime.h"
#include "nag/Target/CPU/Jit.h"
#include "nag/Target/CPU/Lowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>

using namespace mlir;
using namespace nag;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

namespace {

constexpr char kUpdate[] = R"mlir(
func.func @update(%R: tensor<?x64xbf16>, %f: tensor<?x64xbf16>, %alpha: tensor<f32>) -> tensor<?x64xbf16> {
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<f32>) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
})mlir";

/// Three kernels, with two buffers in the workspace between them.
constexpr char kChain[] = R"mlir(
func.func @chain(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = nag.center %x : tensor<?x64xf32> -> tensor<?x64xf32>
  %1 = nag.center %0 : tensor<?x64xf32> -> tensor<?x64xf32>
  %2 = nag.center %1 : tensor<?x64xf32> -> tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
})mlir";

/// A launch, copied: its parameters do not outlive the call.
struct Seen {
  std::string kernel, parameterKinds;
  std::vector<int64_t> grid;
  std::vector<int32_t> block;
  void *stream;
  std::vector<int64_t> params;
};

class Entry : public testing::Test {
protected:
  void SetUp() override {
    backend.launch = [](void *self, const nag_kernel_launch *launch) {
      return static_cast<Entry *>(self)->record(*launch);
    };
    backend.prepare = [](void *self, nag_gpu_module *module) {
      auto *test = static_cast<Entry *>(self);
      test->image.assign(static_cast<const char *>(module->image), module->image_size + 1);
      test->numKernels = module->num_kernels;
      return test->answer;
    };
    backend.self = this;
    EXPECT_EQ(nag_set_backend(&backend), nullptr);
  }
  void TearDown() override { EXPECT_EQ(nag_set_backend(nullptr), &backend); }

  int32_t record(const nag_kernel_launch &launch) {
    Seen &seen = launches.emplace_back();
    seen.kernel = launch.kernel->name;
    seen.parameterKinds = launch.kernel->params;
    seen.grid.assign(launch.grid, launch.grid + 3);
    seen.block.assign(launch.block, launch.block + 3);
    seen.stream = launch.stream;
    EXPECT_EQ(size_t(launch.num_params), seen.parameterKinds.size());
    for (int32_t i = 0; i < launch.num_params; ++i)
      seen.params.push_back(*static_cast<int64_t *>(launch.params[i]));
    return answer;
  }

  void compile(StringRef source) {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    PassManager toGpu(&context);
    buildGpuPipeline(toGpu, {}, row::kDefaultSharedBytes, /*fuse=*/false);
    ASSERT_TRUE(succeeded(toGpu.run(*module)));
    ASSERT_TRUE(succeeded(embedGpuImage(*module, "device code")));
    PassManager toHost(&context);
    toHost.addPass(createLaunchToRuntime());
    ASSERT_TRUE(succeeded(toHost.run(*module)));
    CpuOptions options;
    options.openmp = false;
    ASSERT_TRUE(succeeded(lowerToLLVMDialect(*module, options)));
    FailureOr<std::unique_ptr<CpuKernels>> compiled = CpuKernels::create(*module, options);
    ASSERT_TRUE(succeeded(compiled));
    kernels = std::move(*compiled);
  }

  template <typename... Args> int32_t call(StringRef name, Args... args) {
    void *function = kernels->lookup(name);
    EXPECT_NE(function, nullptr) << name.str();
    return function ? reinterpret_cast<int32_t (*)(Args...)>(function)(args...) : -1;
  }

  /// Rows of 64 elements somewhere: nobody looks there.
  static nag_memref_2d rows(uintptr_t address, int64_t count, int64_t stride, int64_t offset = 0) {
    void *data = reinterpret_cast<void *>(address);
    return {nullptr, data, offset, {count, 64}, {stride, 1}};
  }

  int32_t callUpdate(nag_memref_2d R, nag_memref_2d f, nag_memref_2d result) {
    nag_memref_0d alpha = {nullptr, reinterpret_cast<void *>(0x9000), 0};
    nag_memref_1d workspace = {nullptr, nullptr, 0, {0}, {1}};
    return call("update", &R, &f, &alpha, &result, &workspace, reinterpret_cast<void *>(0x77));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<CpuKernels> kernels;
  nag_backend backend = {};
  std::vector<Seen> launches;
  int32_t answer = NAG_STATUS_OK;
  std::string image;
  uint32_t numKernels = 0;
};

TEST_F(Entry, LaunchesItsKernelWithTheDescriptorsTakenApart) {
  ASSERT_NO_FATAL_FAILURE(compile(kUpdate));
  ASSERT_EQ(callUpdate(rows(0x10000, 100, 96, 8), rows(0x20000, 100, 64), rows(0x30000, 100, 128)), NAG_STATUS_OK);
  ASSERT_EQ(launches.size(), 1u);
  const Seen &seen = launches[0];
  EXPECT_THAT(seen.kernel, HasSubstr("update"));
  EXPECT_THAT(seen.kernel, Not(EndsWith("_narrow")));
  EXPECT_EQ(seen.stream, reinterpret_cast<void *>(0x77));
  // The rows of all blocks are the tokens.
  EXPECT_EQ(seen.grid[0], (100 + seen.block[1] - 1) / seen.block[1]);
  EXPECT_THAT(ArrayRef(seen.grid).drop_front(), ElementsAre(1, 1));
  EXPECT_GE(seen.block[0], 32);
  // In the order of the kernel's operands: three buffers of rows and a number, whichever comes first.
  std::vector<std::vector<int64_t>> buffers = {{0x10000, 0x10000, 8, 100, 64, 96, 1},
                                               {0x20000, 0x20000, 0, 100, 64, 64, 1},
                                               {0x30000, 0x30000, 0, 100, 64, 128, 1},
                                               {0x9000, 0x9000, 0}};
  std::vector<int64_t> params = seen.params;
  size_t length = 0;
  for (const std::vector<int64_t> &buffer : buffers) {
    auto found = std::search(params.begin(), params.end(), buffer.begin(), buffer.end());
    EXPECT_NE(found, params.end()) << std::hex << buffer[0];
    length += buffer.size();
  }
  EXPECT_EQ(params.size(), length) << seen.parameterKinds;
}

TEST_F(Entry, LaunchesNothingWithoutRows) {
  ASSERT_NO_FATAL_FAILURE(compile(kUpdate));
  EXPECT_EQ(callUpdate(rows(0, 0, 64), rows(0, 0, 64), rows(0, 0, 64)), NAG_STATUS_OK);
  EXPECT_TRUE(launches.empty());
}

TEST_F(Entry, ChoosesTheKernelByAlignment) {
  ASSERT_NO_FATAL_FAILURE(compile(kUpdate));
  auto kernelOf = [&](nag_memref_2d R) {
    launches.clear();
    EXPECT_EQ(callUpdate(R, rows(0x20000, 9, 64), rows(0x30000, 9, 64)), NAG_STATUS_OK);
    EXPECT_EQ(launches.size(), 1u);
    return launches.empty() ? std::string() : launches[0].kernel;
  };
  EXPECT_THAT(kernelOf(rows(0x10000, 9, 64)), Not(EndsWith("_narrow")));
  EXPECT_THAT(kernelOf(rows(0x10002, 9, 64)), EndsWith("_narrow")) << "address";
  EXPECT_THAT(kernelOf(rows(0x10000, 9, 65)), EndsWith("_narrow")) << "stride";
  EXPECT_THAT(kernelOf(rows(0x10000, 9, 64, 1)), EndsWith("_narrow")) << "offset";
}

TEST_F(Entry, RefusesMoreRowsThanAGridHas) {
  ASSERT_NO_FATAL_FAILURE(compile(kUpdate));
  int64_t count = int64_t(1) << 42;
  // So many rows have an address space each, or they would overlap.
  int32_t status = callUpdate(rows(0x10000, count, 64), rows(0x10000, count, 64), rows(uintptr_t(1) << 52, count, 64));
  EXPECT_EQ(NAG_STATUS_KIND(status), NAG_STATUS_TOO_MANY_ROWS);
  EXPECT_TRUE(launches.empty());
}

TEST_F(Entry, ChecksItsArgumentsBeforeItLaunches) {
  ASSERT_NO_FATAL_FAILURE(compile(kUpdate));
  EXPECT_EQ(callUpdate(rows(0x10000, 9, 64), rows(0x20000, 8, 64), rows(0x30000, 9, 64)),
            NAG_STATUS_MAKE(NAG_STATUS_SIZE, 1, 0));
  EXPECT_TRUE(launches.empty());
}

TEST_F(Entry, KernelsMeetInTheWorkspace) {
  ASSERT_NO_FATAL_FAILURE(compile(kChain));
  nag_memref_2d x = rows(0x10000, 10, 64), result = rows(0x20000, 10, 64);
  int64_t bytes = reinterpret_cast<int64_t (*)(nag_memref_2d *, nag_memref_2d *)>(
      kernels->lookup("chain_workspace_size"))(&x, &result);
  constexpr int64_t kBufferBytes = 10 * 64 * 4;
  ASSERT_EQ(bytes, 2 * kBufferBytes);
  nag_memref_1d workspace = {nullptr, reinterpret_cast<void *>(0x50000), 0, {bytes}, {1}};
  auto run = [&] { return call("chain", &x, &result, &workspace, static_cast<void *>(nullptr)); };
  ASSERT_EQ(run(), NAG_STATUS_OK);
  ASSERT_EQ(launches.size(), 3u);
  std::vector<int64_t> inputs, outputs;
  for (const Seen &seen : launches) {
    // Two descriptors of seven words: address and offset are the second and the third.
    ASSERT_EQ(seen.params.size(), 14u);
    inputs.push_back(seen.params[1] + seen.params[2] * 4);
    outputs.push_back(seen.params[8] + seen.params[9] * 4);
  }
  EXPECT_EQ(inputs[0], 0x10000);
  EXPECT_EQ(inputs[1], outputs[0]);
  EXPECT_EQ(inputs[2], outputs[1]);
  EXPECT_EQ(outputs[2], 0x20000);
  EXPECT_THAT(ArrayRef(outputs).drop_back(), UnorderedElementsAre(0x50000, 0x50000 + kBufferBytes));

  // The second kernel would read what the first one has not written.
  launches.clear();
  answer = NAG_STATUS_DEVICE << 16 | 700;
  EXPECT_EQ(run(), answer);
  EXPECT_EQ(launches.size(), 1u);
}

TEST_F(Entry, CanBePreparedAndReleased) {
  ASSERT_NO_FATAL_FAILURE(compile(kUpdate));
  EXPECT_EQ(call("update_prepare"), NAG_STATUS_OK);
  EXPECT_EQ(image, std::string("device code\0", 12));
  EXPECT_EQ(numKernels, 2u);
  EXPECT_TRUE(launches.empty());
  // A back end that has nothing to release says so by a null pointer.
  EXPECT_EQ(call("update_release"), NAG_STATUS_OK);
  answer = NAG_STATUS_DEVICE << 16 | 2;
  EXPECT_EQ(call("update_prepare"), answer);
}

TEST_F(Entry, ImageNeedsAModuleOfKernels) {
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  module = parseSourceString<ModuleOp>("module {}", &context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(embedGpuImage(*module, "device code")));
  EXPECT_EQ(message, "expected one gpu.module that a GPU image belongs to, got 0");
}

} // namespace
