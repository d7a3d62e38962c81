//===- InPlaceTest.cpp - Results that lie on arguments, on every schedule -----------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Runs GPU kernels on the CPU with results in the buffers of arguments, in several orders of threads: the same bits as
// apart.

#include "nag/Conversion/GpuImage.h"
#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Row/Transforms/Passes.h"
#include "nag/InitAll.h"
#include "nag/Pipelines/Pipelines.h"
#include "nag/Support/Random.h"
#include "nag/Target/CPU/Jit.h"
#include "nag/Target/CPU/Lowering.h"
#include "nag/Target/CUDA/Register.h"
#include "nag/Target/CUDA/Serialize.h"
#include "nag/Target/SIMT/SimtBackend.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace nag;

namespace {

constexpr int64_t kTokens = 5;

/// D, s, f, alpha -> D', s', with rows of `width`.
std::string makeUpdate(int64_t width) {
  std::string rows = "tensor<?x" + std::to_string(width) + "xf32>", types = rows + ", tensor<?xf32>";
  return "func.func @update(%D: " + rows + ", %s: tensor<?xf32>, %f: " + rows + ", %alpha: tensor<f32>) -> (" + types +
         ") {\n  %0, %1 = nag.update %D, %s branch %f alpha %alpha : (" + types + ", " + rows + ", tensor<f32>) -> (" +
         types + ")\n  return %0, %1 : " + types + "\n}\n";
}

std::vector<float> makeValues(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &x : values)
    x = float(random.normal());
  return values;
}

class InPlace : public testing::Test {
protected:
  void compile(int64_t rowWidth, StringRef schedule) {
    width = rowWidth;
    DialectRegistry registry;
    registerAllDialects(registry);
    registerCudaTarget(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(makeUpdate(width), &context, "update.mlir");
    ASSERT_TRUE(module);
    row::RowScheduleOptions scheduleOptions;
    scheduleOptions.kind = schedule.str();
    PassManager toGpu(&context), toHost(&context);
    buildEntryPipeline(toGpu);
    toGpu.addPass(row::createRowSchedule(scheduleOptions));
    buildRowToGpuPipeline(toGpu);
    ASSERT_TRUE(succeeded(toGpu.run(*module)));
    CudaOptions cuda;
    cuda.chip = "sm_90";
    FailureOr<CompiledKernels> code = compileGpuModule(*module->getOps<gpu::GPUModuleOp>().begin(), cuda);
    ASSERT_TRUE(succeeded(code));
    ASSERT_TRUE(succeeded(embedGpuImage(*module, code->llvmBitcode)));
    toHost.addPass(createLaunchToRuntime());
    ASSERT_TRUE(succeeded(toHost.run(*module)));
    CpuOptions host;
    host.openmp = false;
    ASSERT_TRUE(succeeded(lowerToLLVMDialect(*module, host)));
    FailureOr<std::unique_ptr<CpuKernels>> compiled = CpuKernels::create(*module, host);
    ASSERT_TRUE(succeeded(compiled));
    kernels = std::move(*compiled);
  }

  nag_memref_2d rows(std::vector<float> &data) { return {nullptr, data.data(), 0, {kTokens, width}, {width, 1}}; }
  static nag_memref_1d numbers(std::vector<float> &data) { return {nullptr, data.data(), 0, {kTokens}, {1}}; }

  /// The status of one call; results may be arguments.
  int32_t call(std::vector<float> &D, std::vector<float> &s, std::vector<float> &f, std::vector<float> &newD,
               std::vector<float> &newS) {
    float amount = .7f;
    return call(D, s, f, newD, newS, amount);
  }
  int32_t call(std::vector<float> &D, std::vector<float> &s, std::vector<float> &f, std::vector<float> &newD,
               std::vector<float> &newS, float &amount) {
    nag_memref_2d stream = rows(D), branch = rows(f), newStream = rows(newD);
    nag_memref_1d norm = numbers(s), newNorm = numbers(newS), workspace = {nullptr, nullptr, 0, {0}, {1}};
    nag_memref_0d alpha = {nullptr, &amount, 0};
    void *arguments[] = {&stream, &norm, &branch, &alpha, &newStream, &newNorm, &workspace, nullptr};
    return reinterpret_cast<int32_t (*)(void **)>(kernels->lookup("update_packed"))(arguments);
  }

  void expectTheSameBits() {
    const std::vector<float> stream = makeValues(kTokens * width, 1), norms = makeValues(kTokens, 2),
                             branch = makeValues(kTokens * width, 3);
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
      auto release = reinterpret_cast<int32_t (*)()>(kernels->lookup("update_release"));
      ASSERT_EQ(release(), NAG_STATUS_OK);
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<CpuKernels> kernels;
  int64_t width = 0;
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

/// What a kernel does wrong is laid at the door of the operation that it was made from.
TEST_F(InPlace, FaultsHaveThePlaceOfTheOperation) {
  ASSERT_NO_FATAL_FAILURE(compile(768, ""));
  std::vector<float> D = makeValues(kTokens * width, 1), s = makeValues(kTokens, 2), f = makeValues(kTokens * width, 3);
  std::vector<float> newD(D.size()), newS(s.size());
  SimtOptions options;
  options.check = true;
  SimtBackend backend(options);
  for (std::vector<float> *data : {&D, &s, &f, &newD, &newS}) {
    SimtBuffer buffer;
    buffer.name = data == &newD ? "result 0" : "other";
    buffer.base = data->data();
    buffer.bytes = data->size() * sizeof(float);
    // The checker is told that the result is an input.
    buffer.isReadOnly = data == &newD;
    backend.registerBuffer(std::move(buffer));
  }
  float amount = .7f;
  SimtBuffer buffer;
  buffer.name = "alpha";
  buffer.base = &amount;
  buffer.bytes = sizeof(float);
  backend.registerBuffer(std::move(buffer));
  ASSERT_EQ(call(D, s, f, newD, newS, amount), NAG_STATUS_OK);
  SimtReport report = backend.getReport();
  ASSERT_FALSE(report.findings.empty());
  for (const Finding &finding : report.findings) {
    EXPECT_EQ(finding.kind, FindingKind::WriteToInput) << finding.toString();
    EXPECT_EQ(finding.buffer, "result 0") << finding.toString();
    EXPECT_EQ(finding.location, "update.mlir:2:12") << finding.toString();
  }
}

/// An entry that a GPU serves refuses what one for the CPU refuses, before anything is launched.
TEST_F(InPlace, PartsAreRefused) {
  ASSERT_NO_FATAL_FAILURE(compile(64, "warp"));
  std::vector<float> D = makeValues(kTokens * width, 1), s = makeValues(kTokens, 2), f = makeValues(kTokens * width, 3);
  std::vector<float> newD(D.size());
  EXPECT_EQ(call(D, s, f, newD, newD), NAG_STATUS_MAKE(NAG_STATUS_OVERLAP, 5, 4));
  EXPECT_EQ(call(D, s, f, newD, f), NAG_STATUS_MAKE(NAG_STATUS_OVERLAP, 5, 2));
}

} // namespace
