//===- GpuHost.cpp - The host side of GPU entries, with an image of its kernels inside ----------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "GpuHost.h"

#include "nag/Conversion/GpuImage.h"
#include "nag/Conversion/Passes.h"
#include "nag/Pipelines/Pipelines.h"
#include "nag/Target/CPU/Lowering.h"
#include "nag/Target/CUDA/Register.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace nag;

FailureOr<std::unique_ptr<CpuKernels>> nag::compileGpuHost(ModuleOp module, const ExecutorOptions &wanted,
                                                           const CudaOptions &options, MakeImage makeImage,
                                                           std::vector<KernelReport> *programs) {
  DialectRegistry registry;
  registerCudaTarget(registry);
  module->getContext()->appendDialectRegistry(registry);
  module->getContext()->loadAllAvailableDialects();

  FailureOr<const Chip *> chip = lookupChip(options.chip, [&] { return module.emitError(); });
  if (failed(chip))
    return failure();
  PassManager toRows(module->getContext()), toGpu(module->getContext());
  buildEntryPipeline(toRows, wanted.fuse);
  addRowSchedule(toRows, wanted.schedule, (*chip)->maxSharedBytesPerBlock);
  buildRowToGpuPipeline(toGpu);
  if (failed(toRows.run(module)))
    return failure();
  if (programs)
    *programs = describeKernels(module, (*chip)->maxSharedBytesPerBlock);
  if (failed(toGpu.run(module)))
    return failure();
  auto kernels = module.getOps<gpu::GPUModuleOp>();
  if (programs && !kernels.empty())
    addFunctions(*kernels.begin(), *programs);
  if (!kernels.empty()) {
    FailureOr<CompiledKernels> code = compileGpuModule(*kernels.begin(), options);
    if (failed(code))
      return failure();
    FailureOr<std::string> image = makeImage(*code);
    if (failed(image) || failed(embedGpuImage(module, *image)))
      return failure();
  }

  PassManager toHost(module->getContext());
  toHost.addPass(createLaunchToRuntime());
  CpuOptions host;
  host.openmp = false;
  if (failed(toHost.run(module)) || failed(lowerToLLVMDialect(module, host)))
    return failure();
  return CpuKernels::create(module, host);
}
