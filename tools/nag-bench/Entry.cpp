//===- Entry.cpp - One kernel, ready to run -----------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Entry.h"

#include "nag/Compiler/Compiler.h"
#include "nag/Execution/EntryTensors.h"
#include "nag/Reference/Compare.h"
#include "nag/Reference/Evaluator.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <chrono>
#include <cstring>

using namespace mlir;
using namespace nag;

/// Rows that are compared with the reference at either end.
static constexpr int64_t kCheckedRows = 8;

static llvm::Error fail(const llvm::Twine &what) { return llvm::createStringError(what); }

llvm::Expected<OwningOpRef<ModuleOp>> nag::parseKernel(MLIRContext &context, const BenchKernel &kernel) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kernel.source, &context, kernel.name);
  if (!module)
    return fail(kernel.getTitle() + ": cannot be parsed");
  auto function = module->lookupSymbol<func::FuncOp>(kernel.entry);
  if (!function || function.isExternal() || !function.isPublic())
    return fail(kernel.getTitle() + ": has no entry '" + kernel.entry + "'");
  return module;
}

llvm::Expected<Floor> nag::getFloor(MLIRContext &context, const BenchKernel &kernel) {
  auto module = parseKernel(context, kernel);
  if (!module)
    return module.takeError();
  CompileOptions options;
  options.emit = Emit::Row;
  options.report = true;
  FailureOr<Product> product = compile(**module, options);
  if (failed(product))
    return fail(kernel.getTitle() + ": cannot be compiled");
  Floor floor;
  for (const KernelReport &report : product->report->kernels) {
    if (report.entry != kernel.entry)
      continue;
    floor.bytesPerToken += report.readBytesPerToken + report.writtenBytesPerToken;
    floor.tableBytes += report.tableBytes;
  }
  return floor;
}

llvm::Expected<BenchEntry> BenchEntry::create(MLIRContext &context, const BenchKernel &kernel, StringRef target,
                                              const ExecutorOptions &options) {
  BenchEntry entry;
  entry.title = kernel.getTitle();
  auto module = parseKernel(context, kernel);
  if (!module)
    return module.takeError();
  entry.module = std::move(*module);
  entry.function = entry.module->lookupSymbol<func::FuncOp>(kernel.entry);
  auto executor = createExecutor(target, options);
  if (!executor)
    return executor.takeError();
  entry.executor = std::move(*executor);
  if (failed(entry.executor->prepare(OwningOpRef<ModuleOp>(entry.module->clone()), kernel.entry)))
    return fail(entry.title + ": cannot be compiled for " + target);
  return entry;
}

llvm::Error BenchEntry::makeTensors(int64_t rows) {
  this->rows = rows;
  TensorRequest request;
  request.rows = rows;
  auto madeInputs = makeInputs(function, request);
  if (!madeInputs)
    return madeInputs.takeError();
  inputs = std::move(*madeInputs);
  auto madeOutputs = makeOutputs(function, inputs, request);
  if (!madeOutputs)
    return madeOutputs.takeError();
  outputs = std::move(*madeOutputs);
  return llvm::Error::success();
}

llvm::Expected<double> BenchEntry::run() {
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = executor->run(inputs, outputs))
    return fail(title + ": " + llvm::toString(std::move(error)));
  std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

/// The first and last tokens of `tensor`, or all of it where it has none.
static llvm::Expected<HostTensor> takeEnds(const HostTensor &tensor, bool hasTokens, int64_t count) {
  SmallVector<int64_t> shape(tensor.getShape());
  if (!hasTokens)
    count = 0;
  else
    shape.front() = std::min(shape.front(), 2 * count);
  auto part = HostTensor::create(tensor.getType(), shape);
  if (!part)
    return part;
  int64_t total = tensor.getNumElements(), taken = part->getNumElements();
  int64_t head = shape.empty() || !hasTokens
                     ? taken
                     : taken / std::max<int64_t>(shape.front(), 1) * std::min(shape.front(), count);
  for (int64_t i = 0; i < taken; ++i)
    part->set(i, tensor.get(i < head ? i : total - taken + i));
  return part;
}

llvm::Error BenchEntry::check() {
  auto hasTokens = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getRank() > 0 && tensor.isDynamicDim(0);
  };
  std::vector<HostTensor> parts;
  for (auto [input, type] : llvm::zip_equal(inputs, function.getArgumentTypes())) {
    auto part = takeEnds(input, hasTokens(type), kCheckedRows);
    if (!part)
      return part.takeError();
    parts.push_back(std::move(*part));
  }
  SmallVector<ReferenceTensor> arguments;
  for (HostTensor &part : parts)
    arguments.emplace_back(std::shared_ptr<const HostTensor>(std::shared_ptr<void>(), &part));
  FailureOr<SmallVector<ReferenceTensor>> exact = evaluateReference(function, arguments);
  if (failed(exact))
    return fail(title + ": the reference cannot evaluate it");
  for (auto [i, reference, output, type] : llvm::enumerate(*exact, outputs, function.getResultTypes())) {
    auto part = takeEnds(output, hasTokens(type), kCheckedRows);
    if (!part)
      return part.takeError();
    if (Comparison comparison = compare(reference, *part); !comparison.passed())
      return fail(title + ": result " + llvm::Twine(i) + " differs from the reference beyond tolerance, first in " +
                  comparison.firstFailure);
  }
  return llvm::Error::success();
}
