//===- GpuEntryTest.cpp - An entry whose GPU kernels run on the CPU -----------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The way from a text to a call.

#include "GpuEntryTest.h"

#include "nag/Conversion/GpuImage.h"
#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Row/Transforms/Passes.h"
#include "nag/InitAll.h"
#include "nag/Pipelines/Pipelines.h"
#include "nag/Support/Random.h"
#include "nag/Target/CPU/Lowering.h"
#include "nag/Target/CUDA/Register.h"
#include "nag/Target/CUDA/Serialize.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace nag;
using namespace nag::test;

/// D, s, f, alpha -> D', s', with rows of `width`.
static std::string makeUpdate(int64_t width) {
  std::string rows = "tensor<?x" + std::to_string(width) + "xf32>", types = rows + ", tensor<?xf32>";
  return "func.func @update(%D: " + rows + ", %s: tensor<?xf32>, %f: " + rows + ", %alpha: tensor<f32>) -> (" + types +
         ") {\n  %0, %1 = nag.update %D, %s branch %f alpha %alpha : (" + types + ", " + rows + ", tensor<f32>) -> (" +
         types + ")\n  return %0, %1 : " + types + "\n}\n";
}

std::vector<float> nag::test::makeValues(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &x : values)
    x = float(random.normal());
  return values;
}

void GpuEntryTest::compile(int64_t rowWidth, StringRef schedule) {
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

int32_t GpuEntryTest::call(float *D, float *s, float *f, float *newD, float *newS) {
  auto rows = [&](float *data, std::optional<int64_t> stride) -> nag_memref_2d {
    return {nullptr, data, 0, {tokens, width}, {stride.value_or(width), 1}};
  };
  auto numbers = [&](float *data, std::optional<int64_t> stride) -> nag_memref_1d {
    return {nullptr, data, 0, {tokens}, {stride.value_or(1)}};
  };
  nag_memref_2d stream = rows(D, streamStride), branch = rows(f, branchStride), newStream = rows(newD, resultStride);
  nag_memref_1d norm = numbers(s, normStride), newNorm = numbers(newS, newNormStride);
  nag_memref_1d workspace = {nullptr, nullptr, 0, {0}, {1}};
  nag_memref_0d amount = {nullptr, &alpha, 0};
  void *arguments[] = {&stream, &norm, &branch, &amount, &newStream, &newNorm, &workspace, nullptr};
  return reinterpret_cast<int32_t (*)(void **)>(kernels->lookup("update_packed"))(arguments);
}

void GpuEntryTest::release() {
  ASSERT_EQ(reinterpret_cast<int32_t (*)()>(kernels->lookup("update_release"))(), NAG_STATUS_OK);
}
