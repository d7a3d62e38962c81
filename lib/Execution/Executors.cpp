//===- Executors.cpp - The executors by target, and the reference as one of them ----------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Chooses an executor, and makes one of the reference.

#include "nag/Execution/Executor.h"

#include "nag/Reference/Evaluator.h"

using namespace mlir;
using namespace nag;

namespace {

/// Evaluates the entry in double precision and rounds its results once.
class ReferenceExecutor : public Executor {
public:
  LogicalResult prepare(OwningOpRef<ModuleOp> module, StringRef entry) override {
    this->module = std::move(module);
    function = this->module->lookupSymbol<func::FuncOp>(entry);
    return success(bool(function));
  }

  llvm::Error run(MutableArrayRef<HostTensor> inputs, MutableArrayRef<HostTensor> outputs) override {
    SmallVector<ReferenceTensor> arguments;
    for (HostTensor &input : inputs)
      // The caller keeps the tensor; the evaluator only reads it.
      arguments.emplace_back(std::shared_ptr<const HostTensor>(std::shared_ptr<void>(), &input));
    FailureOr<SmallVector<ReferenceTensor>> results = evaluateReference(function, arguments);
    if (failed(results))
      return llvm::createStringError("");
    for (auto [result, output] : llvm::zip_equal(*results, outputs))
      for (int64_t i = 0; i < output.getNumElements(); ++i)
        output.set(i, result.getExact(i));
    return llvm::Error::success();
  }

private:
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

} // namespace

std::unique_ptr<Executor> nag::createReferenceExecutor() { return std::make_unique<ReferenceExecutor>(); }

llvm::Expected<std::unique_ptr<Executor>> nag::createExecutor(StringRef target, const ExecutorOptions &options) {
  if (target == "reference")
    return createReferenceExecutor();
  if (target == "cpu")
    return createCpuExecutor(options);
  if (target == "simt")
    return createSimtExecutor(options);
  if (target == "cuda")
    return createCudaExecutor(options);
  return llvm::createStringError("--target=" + target + ": unknown; expected reference, cpu, simt or cuda");
}
