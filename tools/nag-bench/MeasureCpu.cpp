//===- MeasureCpu.cpp - Time on this machine, beside its own limit ------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Entry.h"
#include "Measure.h"

#include "nag/Execution/MemoryBandwidth.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <functional>

using namespace nag;

/// Rows for which what moves fills `bytes`.
static int64_t getRowsFor(double bytes, const Floor &floor) {
  return std::max<int64_t>(1, static_cast<int64_t>(bytes / double(std::max<int64_t>(floor.bytesPerToken, 1))));
}

namespace {

/// Times of one kernel, sorted.
struct Times {
  std::vector<double> milliseconds;
  double median() const { return milliseconds[milliseconds.size() / 2]; }
  double least() const { return milliseconds.front(); }
};

} // namespace

static llvm::Expected<Times> measure(BenchEntry &entry, int64_t rows, unsigned repeat, MemoryBandwidth *beside) {
  if (llvm::Error error = entry.makeTensors(rows))
    return error;
  // The first run brings pages and threads into being, and is what is checked.
  if (auto first = entry.run(); !first)
    return first.takeError();
  if (llvm::Error error = entry.check())
    return error;
  Times times;
  for (unsigned i = 0; i < repeat; ++i) {
    if (beside)
      beside->measure();
    auto time = entry.run();
    if (!time)
      return time.takeError();
    times.milliseconds.push_back(*time);
  }
  std::sort(times.milliseconds.begin(), times.milliseconds.end());
  return times;
}

/// One row of the table.
static BenchResult makeResult(std::string name, const Times &times, int64_t rows, const Floor &floor,
                              const MemoryBandwidth &memory) {
  double megabytes = floor.getBytes(rows) * 1e-6, rate = megabytes / times.median();
  return {std::move(name),
          times.milliseconds.size(),
          times.median(),
          {{"min_ms", times.least()},
           {"rows", double(rows)},
           {"floor_MB", megabytes},
           {"floor_ms", megabytes / memory.getTriad()},
           {"GB_per_s", rate},
           {"share_of_copy", rate / memory.getCopy()},
           {"share_of_triad", rate / memory.getTriad()}}};
}

llvm::Error nag::measureCpu(mlir::MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels,
                            const BenchOptions &options, MemoryBandwidth &memory, BenchTable &table) {
  ExecutorOptions executor;
  executor.mcpu = options.mcpu;
  double cache = memory.getCacheBytes() ? double(memory.getCacheBytes()) : 64e6;
  double largestSpread = 0;
  // All kernels are held against the same copy and triad, so that rows are made when these are known.
  std::vector<std::function<BenchResult()>> results;
  for (const BenchKernel &kernel : kernels) {
    auto floor = getFloor(context, kernel);
    if (!floor)
      return floor.takeError();
    auto entry = BenchEntry::create(context, kernel, "cpu", executor);
    if (!entry)
      return entry.takeError();
    auto measureRows = [&](llvm::StringRef temperature, int64_t rows, unsigned repeat,
                           MemoryBandwidth *beside) -> llvm::Error {
      auto times = measure(*entry, rows, repeat, beside);
      if (!times)
        return times.takeError();
      largestSpread = std::max(largestSpread, times->median() / times->least());
      std::string name = ("cpu/" + kernel.getTitle() + "/" + temperature).str();
      results.push_back(
          [=, times = *times, floor = *floor, &memory]() { return makeResult(name, times, rows, floor, memory); });
      return llvm::Error::success();
    };

    int64_t rows = options.rows.value_or(getRowsFor(std::max(12 * cache, 256e6), *floor));
    if (llvm::Error error = measureRows("cold", rows, options.repeat, &memory))
      return error;
    if (double bytes = floor->getBytes(rows); bytes < 4 * cache)
      table.notes.push_back(llvm::formatv("{0}: {1} rows are {2} MB, which caches of {3} MB may hold: not cold",
                                          kernel.getTitle(), rows, static_cast<int64_t>(bytes * 1e-6),
                                          static_cast<int64_t>(cache * 1e-6)));
    int64_t few = std::min(rows, getRowsFor(cache / 4, *floor));
    if (llvm::Error error = measureRows("warm", few, std::max(options.repeat, 20u), nullptr))
      return error;
  }
  for (const auto &makeRow : results)
    table.results.push_back(makeRow());
  table.notes.push_back(llvm::formatv("copy {0:F1} GB/s, triad {1:F1} GB/s, {2} threads, medians between all cold runs",
                                      memory.getCopy(), memory.getTriad(), memory.getNumThreads()));
  table.notes.push_back("floor: rows and numbers read or written once, parameters once; floor_ms: at the triad's rate; "
                        "first and last rows were compared with the reference");
  if (largestSpread > 1.15)
    table.notes.push_back(llvm::formatv("medians are up to {0:F2} times the minimum: other work runs on this machine, "
                                        "and the shares mean little",
                                        largestSpread));
  return llvm::Error::success();
}
