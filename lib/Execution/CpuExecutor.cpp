//===- CpuExecutor.cpp - Runs entries that are compiled for this machine ------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compiles an entry for the CPU in process and calls it by the C calling convention of include/nag/Runtime/Abi.h.

#include "EntryCall.h"
#include "nag/Execution/Executor.h"

#include "nag/Pipelines/Pipelines.h"
#include "nag/Target/CPU/Jit.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace nag;

namespace {

class CpuExecutor : public Executor {
public:
  explicit CpuExecutor(const ExecutorOptions &options) : fuse(options.fuse) { this->options.cpu = options.mcpu; }

  LogicalResult prepare(OwningOpRef<ModuleOp> module, StringRef entry) override {
    PassManager passes(module->getContext());
    buildCpuPipeline(passes, options, fuse);
    if (failed(passes.run(*module)))
      return failure();
    FailureOr<std::unique_ptr<CpuKernels>> compiled = CpuKernels::create(*module, options);
    if (failed(compiled))
      return failure();
    kernels = std::move(*compiled);
    if (llvm::Error error = call.find(entry, *kernels))
      return module->emitError() << llvm::toString(std::move(error));
    return success();
  }

  llvm::Error run(MutableArrayRef<HostTensor> inputs, MutableArrayRef<HostTensor> outputs) override {
    return call.run(inputs, outputs, /*stream=*/nullptr);
  }

private:
  CpuOptions options;
  bool fuse;
  std::unique_ptr<CpuKernels> kernels;
  EntryCall call;
};

} // namespace

std::unique_ptr<Executor> nag::createCpuExecutor(const ExecutorOptions &options) {
  return std::make_unique<CpuExecutor>(options);
}
