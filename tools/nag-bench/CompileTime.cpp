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
#include "nag/Pipelines/Pipelines.h"
#include "nag/Target/CUDA/Toolkit.h"

#include "mlir/IR/Diagnostics.h"
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

/// Why ptxas cannot be timed on this machine, or nothing.
static std::string whyNoPtxas(MLIRContext &context) {
  std::string reason;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
  (void)Toolkit().findPtxas([&] { return emitError(UnknownLoc::get(&context)); });
  return reason;
}

llvm::Error nag::measureCompileTime(MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels,
                                    const BenchOptions &options, BenchTable &table) {
  StringRef chip = options.chips.front();
  std::string absent = whyNoPtxas(context);
  for (const BenchKernel &kernel : kernels) {
    auto first = time(context, kernel, Emit::PTX, chip);
    if (!first)
      return first.takeError();
    std::vector<double> ptx, cubin;
    for (unsigned i = 0; i < options.repeat; ++i)
      for (auto [emit, times] : {std::pair(Emit::PTX, &ptx), std::pair(Emit::Cubin, &cubin)}) {
        if (emit == Emit::Cubin && !absent.empty())
          continue;
        auto next = time(context, kernel, emit, chip);
        if (!next)
          return next.takeError();
        times->push_back(*next);
      }
    std::sort(ptx.begin(), ptx.end());
    std::sort(cubin.begin(), cubin.end());
    double toPtx = ptx[ptx.size() / 2];
    BenchResult result{("compile/" + kernel.getTitle() + "/" + chip).str(),
                       options.repeat,
                       toPtx,
                       {{"min_ms", ptx.front()}, {"first_ms", *first}}};
    if (!cubin.empty())
      result.counters.push_back({"ptxas_ms", cubin[cubin.size() / 2] - toPtx});
    table.results.push_back(std::move(result));
  }
  table.notes.push_back(
      "from text to PTX in this process; first_ms: the first time of the kernel, for the first one with "
      "a cold process");
  table.notes.push_back(absent.empty() ? "ptxas_ms: what ptxas takes on top" : "absent: " + absent);
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

/// A function of `count` sub-layers in lane form. Their branches are given, or are calls of a function that nobody
/// knows.
static BenchKernel makeChain(int64_t count, bool calls) {
  std::string rows = "tensor<?x64xbf16>", numbers = "tensor<?xf32>", source;
  if (calls)
    source += "func.func private @branch(" + rows + ") -> " + rows + "\n";
  source += "func.func @kernel(%D0: " + rows + ", %s0: " + numbers + ", %alpha: tensor<f32>";
  if (!calls)
    for (int64_t i = 0; i < count; ++i)
      source += llvm::formatv(", %f{0}: {1}", i, rows);
  source += ") -> (" + rows + ", " + numbers + ") {\n";
  for (int64_t i = 0; i < count; ++i) {
    if (calls)
      source += llvm::formatv("  %f{0} = func.call @branch(%D{0}) : ({1}) -> {1}\n", i, rows);
    source += llvm::formatv("  %D{0}, %s{0} = nag.update %D{1}, %s{1} branch %f{1} alpha %alpha : ({2}, {3}, {2}, "
                            "tensor<f32>) -> ({2}, {3})\n",
                            i + 1, i, rows, numbers);
  }
  source += llvm::formatv("  return %D{0}, %s{0} : {1}, {2}\n}\n", count, rows, numbers);
  return {"chain", "kernel", source, 0, 0, ""};
}

/// The passes on one chain. Entries hold no calls, so that a chain with calls goes as far as row programs.
static LogicalResult runPasses(ModuleOp module, bool calls, StringRef chip, std::map<std::string, double> &times) {
  auto addTimes = [&](PassManager &passes) {
    passes.addInstrumentation(std::make_unique<PassTimes>(times));
    return success();
  };
  if (calls) {
    PassManager passes(module.getContext());
    buildRowPipeline(passes);
    return failed(addTimes(passes)) ? failure() : passes.run(module);
  }
  CompileOptions options;
  options.target = Target::CUDA;
  options.emit = Emit::MLIR;
  options.chips = {chip.str()};
  options.configurePasses = addTimes;
  return success(succeeded(compile(module, options)));
}

/// Few: a chain takes seconds.
static unsigned getScalingRuns(const BenchOptions &options) { return std::min(options.repeat, 3u); }

/// Milliseconds of each pass for `count` sub-layers: the least of the runs, since others work on the machine too.
static llvm::Expected<std::map<std::string, double>> timePasses(MLIRContext &context, int64_t count, bool calls,
                                                                const BenchOptions &options) {
  BenchKernel chain = makeChain(count, calls);
  std::map<std::string, double> least;
  for (unsigned run = 0; run < getScalingRuns(options); ++run) {
    auto module = parseKernel(context, chain);
    if (!module)
      return module.takeError();
    std::map<std::string, double> times;
    context.disableMultithreading();
    LogicalResult result = runPasses(**module, calls, options.chips.front(), times);
    context.enableMultithreading();
    if (failed(result))
      return llvm::createStringError("a chain of " + llvm::Twine(count) + " sub-layers cannot be compiled");
    for (auto &[pass, time] : times)
      if (auto [known, isNew] = least.try_emplace(pass, time); !isNew)
        known->second = std::min(known->second, time);
  }
  return least;
}

static llvm::Error measureScaling(MLIRContext &context, const BenchOptions &options, bool calls, BenchTable &table) {
  constexpr int64_t kCounts[] = {25, 50, 100, 200};
  std::map<std::string, llvm::SmallVector<double>> byPass;
  for (auto [column, count] : llvm::enumerate(kCounts)) {
    auto times = timePasses(context, count, calls, options);
    if (!times)
      return times.takeError();
    for (auto &[pass, time] : *times) {
      auto &row = byPass[pass];
      row.resize(std::size(kCounts));
      row[column] = time;
    }
  }
  for (auto &[pass, times] : byPass) {
    // What is too short for the clock has no exponent.
    if (times[3] < 1 || times[2] <= 0)
      continue;
    BenchResult result{(calls ? "passes/calls/" : "passes/chain/") + pass, 1, times[3], {}};
    for (auto [count, time] : llvm::zip_equal(kCounts, times))
      result.counters.push_back({llvm::formatv("ms_{0}", count), time});
    // From the two longest chains, where what is constant matters least: 1 is linear, 2 quadratic.
    result.counters.push_back({"exponent", std::log2(times[3] / times[2])});
    table.results.push_back(result);
  }
  return llvm::Error::success();
}

llvm::Error nag::measureScaling(MLIRContext &context, const BenchOptions &options, BenchTable &table) {
  for (bool calls : {false, true})
    if (llvm::Error error = ::measureScaling(context, options, calls, table))
      return error;
  table.notes.push_back(llvm::formatv("passes that take 1 ms and more, least of {0} runs, on functions of 25 to 200 "
                                      "sub-layers; exponent: log2 of the time of 200 over that of 100",
                                      getScalingRuns(options)));
  table.notes.push_back("chain: branches are given, up to GPU kernels; calls: each branch is a call of an unknown "
                        "function, up to row programs, since entries hold no calls");
  return llvm::Error::success();
}
