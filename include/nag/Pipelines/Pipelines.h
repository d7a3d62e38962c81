//===- Pipelines.h - The way down as named pipelines ----------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_PIPELINES_PIPELINES_H
#define NAG_PIPELINES_PIPELINES_H

#include "nag/Dialect/Row/Transforms/ScheduleOptions.h"
#include "nag/Target/CPU/Options.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace nag {

/// From functions of `nag` operations on tensors to entries of row programs on buffers, which every target starts from.
/// `fuse`: kernels that walk the same rows become one (`row-fuse`). `lanes`: streams in residual form become lanes
/// where that moves fewer rows, which changes values (`nag-to-lanes`).
void buildEntryPipeline(mlir::OpPassManager &pm, bool fuse = true, bool lanes = false);

/// The part of it that leaves tensors and functions as they are, which may hold anything else: up to row programs.
void buildRowPipeline(mlir::OpPassManager &pm, bool fuse = true, bool lanes = false);

/// From entries of scheduled row programs to `gpu.module`s and their launches.
void buildRowToGpuPipeline(mlir::OpPassManager &pm);

/// The whole way to the LLVM dialect for a CPU.
void buildCpuPipeline(mlir::OpPassManager &pm, const CpuOptions &options, bool fuse = true);

/// `row-schedule` for chips whose blocks can have `maxSharedBytes` of shared memory.
void addRowSchedule(mlir::OpPassManager &pm, const row::ScheduleOptions &options, int64_t maxSharedBytes);

/// The way to `gpu.module`s and their launches.
void buildGpuPipeline(mlir::OpPassManager &pm, const row::ScheduleOptions &options = {},
                      int64_t maxSharedBytes = row::kDefaultSharedBytes, bool fuse = true);

/// Registers the above as `nag-entry-pipeline`, `nag-cpu-pipeline` and `nag-gpu-pipeline`.
void registerPipelines();

} // namespace nag

#endif // NAG_PIPELINES_PIPELINES_H
