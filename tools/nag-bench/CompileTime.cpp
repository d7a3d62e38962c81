//===- CompileTime.cpp - How long the compiler takes --------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Entry.h"
#include "Measure.h"

#include "nag/Compiler/Compiler.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

using namespace mlir;
using namespace nag;

using Clock = std::chrono::steady_clock;

static double getMilliseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

//===--------------------------------------------------------------------------------------------------------------===//
// One kernel
//===--------------------------------------------------------------------------------------------------------------===//

static llvm::Expected<double> time(MLIRContext &context, const BenchKernel &kernel, Emit emit, StringRef chip) {
  auto start = Clock::now();
  auto module = parseKernel(context, kernel);
  if (!module)
    return module.takeError();
  CompileOptions options;
  options.target = Target::CUDA;
  options.emit = emit;
  options.chips = {chip.str()};
  if (failed(compile(**module, options)))
    return llvm::createStringError(kernel.getTitle() + ": cannot be compiled for " + chip);
  return getMilliseconds(start);
}

llvm::Error nag::measureCompileTime(MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels,
                                    const BenchOptions &options, BenchTable &table) {
  StringRef chip = options.chips.front();
  for (const BenchKernel &kernel : kernels) {
    auto first = time(context, kernel, Emit::PTX, chip);
    if (!first)
      return first.takeError();
    std::vector<double> ptx, cubin;
    for (unsigned i = 0; i < options.repeat; ++i)
      for (auto [emit, times] : {std::pair(Emit::PTX, &ptx), std::pair(Emit::Cubin, &cubin)}) {
        auto next = time(context, kernel, emit, chip);
        if (!next)
          return next.takeError();
        times->push_back(*next);
      }
    std::sort(ptx.begin(), ptx.end());
    std::sort(cubin.begin(), cubin.end());
    double toPtx = ptx[ptx.size() / 2];
    table.results.push_back(
        {("compile/" + kernel.getTitle() + "/" + chip).str(),
         options.repeat,
         toPtx,
         {{"min_ms", ptx.front()}, {"first_ms", *first}, {"ptxas_ms", cubin[cubin.size() / 2] - toPtx}}});
  }
  table.notes.push_back(
      "from text to PTX in this process; first_ms: the first time, with a cold process; ptxas_ms: what "
      "ptxas takes on top");
  return llvm::Error::success();
}

//===--------------------------------------------------------------------------------------------------------------===//
// Many sub-layers
//===--------------------------------------------------------------------------------------------------------------===//

namespace {

/// Time of each pass without the passes that it runs, by name.
class PassTimes : public PassInstrumentation {
public:
  explicit PassTimes(std::map<std::string, double> &times) : times(times) {}

  void runBeforePass(Pass *, Operation *) override { running.push_back({Clock::now(), 0}); }
  void runAfterPass(Pass *pass, Operation *) override { finish(pass); }
  void runAfterPassFailed(Pass *pass, Operation *) override { finish(pass); }

private:
  void finish(Pass *pass) {
    auto [start, inner] = running.pop_back_val();
    double elapsed = getMilliseconds(start);
    if (!running.empty())
      running.back().second += elapsed;
    times[pass->getName().str()] += elapsed - inner;
  }

  std::map<std::string, double> &times;
  llvm::SmallVector<std::pair<Clock::time_point, double>> running;
};

} // namespace

/// A function of `count` sub-layers in lane form, whose branches are all given.
static BenchKernel makeChain(int64_t count) {
  std::string rows = "tensor<?x64xbf16>", numbers = "tensor<?xf32>";
  std::string source = "func.func @kernel(%D0: " + rows + ", %s0: " + numbers + ", %alpha: tensor<f32>";
  for (int64_t i = 0; i < count; ++i)
    source += llvm::formatv(", %f{0}: {1}", i, rows);
  source += ") -> (" + rows + ", " + numbers + ") {\n";
  for (int64_t i = 0; i < count; ++i)
    source += llvm::formatv("  %D{0}, %s{0} = nag.update %D{1}, %s{1} branch %f{1} alpha %alpha : ({2}, {3}, {2}, "
                            "tensor<f32>) -> ({2}, {3})\n",
                            i + 1, i, rows, numbers);
  source += llvm::formatv("  return %D{0}, %s{0} : {1}, {2}\n}\n", count, rows, numbers);
  return {"chain", "kernel", source, 0, 0, ""};
}

llvm::Error nag::measureScaling(MLIRContext &context, const BenchOptions &options, BenchTable &table) {
  constexpr int64_t kCounts[] = {25, 50, 100, 200};
  std::map<std::string, llvm::SmallVector<double>> byPass;
  for (auto [column, count] : llvm::enumerate(kCounts)) {
    BenchKernel chain = makeChain(count);
    auto module = parseKernel(context, chain);
    if (!module)
      return module.takeError();
    std::map<std::string, double> times;
    CompileOptions compileOptions;
    compileOptions.target = Target::CUDA;
    compileOptions.emit = Emit::MLIR;
    compileOptions.chips = {options.chips.front()};
    compileOptions.configurePasses = [&](PassManager &passes) {
      passes.addInstrumentation(std::make_unique<PassTimes>(times));
      return success();
    };
    context.disableMultithreading();
    LogicalResult result = compile(**module, compileOptions);
    context.enableMultithreading();
    if (failed(result))
      return llvm::createStringError("a chain of " + llvm::Twine(count) + " sub-layers cannot be compiled");
    for (auto &[pass, time] : times) {
      auto &row = byPass[pass];
      row.resize(std::size(kCounts));
      row[column] += time;
    }
  }
  for (auto &[pass, times] : byPass) {
    if (times.back() < 1)
      continue;
    BenchResult result{"passes/" + pass, 1, times.back(), {}};
    for (auto [count, time] : llvm::zip_equal(kCounts, times))
      result.counters.push_back({llvm::formatv("ms_{0}", count), time});
    // From the two longest chains, where what is constant matters least: 1 is linear, 2 quadratic.
    result.counters.push_back({"exponent", std::log2(times[3] / times[2])});
    table.results.push_back(result);
  }
  table.notes.push_back(
      "passes on the way to GPU kernels that take 1 ms and more, on functions of 25 to 200 sub-layers; "
      "exponent: log2 of the time of 200 over that of 100");
  return llvm::Error::success();
}
