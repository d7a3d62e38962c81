//===- CudaExecutor.cpp - Entries on an NVIDIA GPU ----------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "EntryCall.h"
#include "GpuHost.h"
#include "nag/Execution/Executor.h"

#include "nag/Runtime/CudaRunner.h"
#include "nag/Target/CUDA/Ptxas.h"

using namespace mlir;
using namespace nag;

namespace {

class CudaExecutor : public Executor {
public:
  explicit CudaExecutor(const ExecutorOptions &options) : options(options) {}

  ~CudaExecutor() override {
    if (calls.release)
      (void)calls.release(nullptr); // at the end there is nobody to tell
  }

  LogicalResult prepare(OwningOpRef<ModuleOp> module, StringRef entry) override {
    // First of all the device: without one there is no point in compiling.
    llvm::Expected<std::unique_ptr<CudaRunner>> made = CudaRunner::create();
    if (!made)
      return module->emitError() << llvm::toString(made.takeError());
    runner = std::move(*made);

    CudaOptions cuda;
    cuda.chip = options.chip.empty() ? runner->getChip() : options.chip;
    auto makeCubin = [&](const CompiledKernels &code) -> FailureOr<std::string> {
      FailureOr<Cubin> cubin =
          assemble(code.ptx, *code.chip, Toolkit(cuda.toolkit), [&] { return module->emitError(); });
      if (failed(cubin))
        return failure();
      return std::string(cubin->image.begin(), cubin->image.end());
    };
    FailureOr<std::unique_ptr<CpuKernels>> compiled = compileGpuHost(*module, options, cuda, makeCubin);
    if (failed(compiled))
      return failure();
    host = std::move(*compiled);
    llvm::Expected<PackedEntry> found = PackedEntry::find(entry, [&](StringRef name) { return host->lookup(name); });
    if (!found)
      return module->emitError() << llvm::toString(found.takeError());
    calls = *found;
    return success();
  }

  llvm::Error run(MutableArrayRef<HostTensor> inputs, MutableArrayRef<HostTensor> outputs) override {
    llvm::Expected<int32_t> status = runner->run(calls, inputs, outputs);
    if (!status)
      return status.takeError();
    return *status ? llvm::createStringError(describeStatus(*status, inputs.size(), outputs.size()))
                   : llvm::Error::success();
  }

private:
  ExecutorOptions options;
  std::unique_ptr<CudaRunner> runner;
  std::unique_ptr<CpuKernels> host;
  PackedEntry calls;
};

} // namespace

std::unique_ptr<Executor> nag::createCudaExecutor(const ExecutorOptions &options) {
  return std::make_unique<CudaExecutor>(options);
}
