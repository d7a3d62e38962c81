//===- MeasureGpu.cpp - What kernels take of a GPU, without one ---------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Entry.h"
#include "Measure.h"

#include "nag/Compiler/Compiler.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace nag;

//===--------------------------------------------------------------------------------------------------------------===//
// simt
//===--------------------------------------------------------------------------------------------------------------===//

namespace {

/// What all kernels of one run count together.
struct Counts {
  double moved = 0, throughL2 = 0, unique = 0, accesses = 0, wideAccesses = 0, conflicts = 0, wavefronts = 0;

  explicit Counts(const SimtReport &report) {
    for (const KernelCounts &kernel : report.kernels) {
      moved += double(kernel.movedBytes());
      conflicts += double(kernel.bankConflicts);
      wavefronts += double(kernel.sharedWavefronts);
      for (const BufferCounts &buffer : kernel.buffers)
        for (const TrafficCounts *counts : {&buffer.reads, &buffer.writes}) {
          throughL2 += 32.0 * double(counts->sectors);
          unique += double(counts->uniqueBytes);
          accesses += double(counts->threadAccesses);
          wideAccesses += double(counts->widths[4]);
        }
    }
  }
};

} // namespace

static llvm::Expected<Counts> count(MLIRContext &context, const BenchKernel &kernel,
                                    const row::ScheduleOptions &schedule, int64_t rows, int64_t blocks) {
  ExecutorOptions options;
  options.schedule = schedule;
  options.simt.residentBlocks = blocks;
  options.simt.check = options.simt.count = true;
  auto entry = BenchEntry::create(context, kernel, "simt", options);
  if (!entry)
    return entry.takeError();
  if (llvm::Error error = entry->makeTensors(rows))
    return error;
  if (auto time = entry->run(); !time)
    return time.takeError();
  if (llvm::Error error = entry->check())
    return error;
  return Counts(*entry->getExecutor().getSimtReport());
}

llvm::Error nag::measureSimt(MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels, const BenchOptions &options,
                             BenchTable &table) {
  constexpr int64_t kTokens = 16384;
  constexpr int64_t kFew = 16;
  // A block for each multiprocessor of an H100 or H200, and what is counted instead.
  constexpr int64_t kBlocks = 132, kFewBlocks = 2;
  for (const BenchKernel &kernel : kernels) {
    auto floor = getFloor(context, kernel);
    if (!floor)
      return floor.takeError();
    // Bytes are a T + b B + c in T tokens by B blocks: three counts give a, b and c, a fourth one shows that it is so.
    std::vector<Counts> counts;
    for (int64_t multiple = 1; multiple <= 3; ++multiple) {
      auto next = count(context, kernel, options.schedule, multiple * kFew, kFewBlocks);
      if (!next)
        return next.takeError();
      counts.push_back(*next);
    }
    auto moreBlocks = count(context, kernel, options.schedule, kFew, 2 * kFewBlocks);
    if (!moreBlocks)
      return moreBlocks.takeError();
    auto extrapolate = [&](double Counts::*value) {
      double perToken = (counts[1].*value - counts[0].*value) / kFew;
      double perBlock = ((*moreBlocks).*value - counts[0].*value) / kFewBlocks;
      return counts[0].*value + perToken * double(kTokens - kFew) + perBlock * double(kBlocks - kFewBlocks);
    };
    bool isLinear = counts[2].moved - counts[1].moved == counts[1].moved - counts[0].moved &&
                    counts[2].throughL2 - counts[1].throughL2 == counts[1].throughL2 - counts[0].throughL2;
    if (!isLinear)
      table.notes.push_back(kernel.getTitle() + ": the bytes of 16, 32 and 48 tokens are not on a line, so that "
                                                "those of 16,384 are a guess");
    double moved = extrapolate(&Counts::moved), throughL2 = extrapolate(&Counts::throughL2);
    double least = floor->getBytes(kTokens);
    table.results.push_back(
        {"simt/" + kernel.getTitle(),
         1,
         0,
         {{"B_per_token", moved / double(kTokens)},
          {"floor_B_per_token", least / double(kTokens)},
          {"ratio", moved / least},
          {"L2_B_per_token", throughL2 / double(kTokens)},
          {"L2_ratio", throughL2 / least},
          {"used_share", counts[0].throughL2 > 0 ? counts[0].unique / counts[0].throughL2 : 1},
          {"16B_accesses", counts[0].accesses > 0 ? counts[0].wideAccesses / counts[0].accesses : 0},
          {"conflicts", counts[0].wavefronts > 0 ? counts[0].conflicts / counts[0].wavefronts : 0}}});
  }
  table.notes.push_back("bytes of 16,384 tokens by extrapolation from 16 and 32, checked by 48, and of a persistent "
                        "grid of 132 blocks by "
                        "that from 2 and 4; ratio: through memory to the floor; L2_ratio: all sectors that warps ask "
                        "for, parameters once "
                        "for each reader");
  table.notes.push_back(
      "used_share: bytes asked for of those in the sectors; conflicts: of shared memory's wavefronts; "
      "all runs were checked for races and bounds, and compared with the reference");
  return llvm::Error::success();
}

//===--------------------------------------------------------------------------------------------------------------===//
// ptxas
//===--------------------------------------------------------------------------------------------------------------===//

llvm::Error nag::measureResources(MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels,
                                  const BenchOptions &options, BenchTable &table) {
  for (const BenchKernel &kernel : kernels) {
    auto module = parseKernel(context, kernel);
    if (!module)
      return module.takeError();
    CompileOptions compileOptions;
    compileOptions.target = Target::CUDA;
    compileOptions.emit = Emit::None;
    compileOptions.report = true;
    compileOptions.schedule = options.schedule;
    compileOptions.chips.assign(options.chips.begin(), options.chips.end());
    FailureOr<Product> product = compile(**module, compileOptions);
    if (failed(product))
      return llvm::createStringError(kernel.getTitle() + ": cannot be compiled for " + llvm::join(options.chips, ", "));
    const Report &report = *product->report;
    if (!report.whyNoResources.empty()) {
      table.notes.push_back("absent: " + report.whyNoResources);
      return llvm::Error::success();
    }
    for (const KernelReport &program : report.kernels)
      for (const FunctionReport &function : program.functions)
        for (const ChipUse &use : function.uses)
          table.results.push_back(
              {("ptxas/" + kernel.getTitle() + (function.anyAlignment ? "/narrow/" : "/") + use.chip->name).str(),
               1,
               0,
               {{"threads_a_row", double(program.schedule->threadsPerRow)},
                {"rows_a_block", double(program.schedule->rowsPerBlock)},
                {"registers", double(use.resources.registers)},
                {"shared_B", double(use.resources.staticSharedBytes) + double(program.schedule->dynamicSharedBytes)},
                {"spill_B", double(use.resources.spillLoadBytes + use.resources.spillStoreBytes)},
                {"stack_B", double(use.resources.stackFrameBytes)},
                {"warps_an_SM", double(use.occupancy.warpsPerSM)}}});
  }
  return llvm::Error::success();
}
