//===- Measure.h - The ways of measuring a kernel -------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_TOOLS_NAGBENCH_MEASURE_H
#define NAG_TOOLS_NAGBENCH_MEASURE_H

#include "Kernels.h"
#include "Results.h"

#include "nag/Dialect/Row/Transforms/ScheduleOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace nag {

class MemoryBandwidth;

struct BenchOptions {
  std::string mcpu = "native";
  std::vector<std::string> chips;
  std::optional<int64_t> rows;
  unsigned repeat = 10;
  /// The schedules of GPU kernels.
  row::ScheduleOptions schedule;
};

/// Time on this machine's processors, beside its copy and its triad in the same run, of data that no cache holds (cold)
/// and of data that the last-level cache does (warm). What comes out is compared with the reference before it is timed.
llvm::Error measureCpu(mlir::MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels, const BenchOptions &options,
                       MemoryBandwidth &memory, BenchTable &table);

/// What a GPU would move, as the simulator counts it.
llvm::Error measureSimt(mlir::MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels, const BenchOptions &options,
                        BenchTable &table);

/// What ptxas makes of a kernel for each chip.
llvm::Error measureResources(mlir::MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels,
                             const BenchOptions &options, BenchTable &table);

/// From text to PTX in this process, and ptxas apart from it.
llvm::Error measureCompileTime(mlir::MLIRContext &context, llvm::ArrayRef<BenchKernel> kernels,
                               const BenchOptions &options, BenchTable &table);

/// The passes on functions of 25 to 200 sub-layers.
llvm::Error measureScaling(mlir::MLIRContext &context, const BenchOptions &options, BenchTable &table);

} // namespace nag

#endif // NAG_TOOLS_NAGBENCH_MEASURE_H
