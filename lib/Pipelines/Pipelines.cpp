//===- Pipelines.cpp - The way down as named pipelines ------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Pipelines/Pipelines.h"
#include "nag/Pipelines/ScheduleFlags.h"

#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Nag/Transforms/Passes.h"
#include "nag/Dialect/Row/Transforms/Passes.h"
#include "nag/Target/CPU/Lowering.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void nag::buildRowPipeline(OpPassManager &pm, bool fuse, bool lanes) {
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  if (lanes)
    pm.addPass(createNagToLanes());
  pm.addPass(createNagToRow());
  pm.addPass(createElementwiseToRow());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (fuse) {
    pm.addPass(row::createRowFuse());
    // What the parts of a kernel have in common.
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
}

void nag::buildEntryPipeline(OpPassManager &pm, bool fuse, bool lanes) {
  buildRowPipeline(pm, fuse, lanes);
  pm.addPass(createNagEntry());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createOneShotBufferizePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(row::createRowPlaceWorkspace());
}

void nag::buildRowToGpuPipeline(OpPassManager &pm) {
  pm.addPass(createRowToGPU());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void nag::buildCpuPipeline(OpPassManager &pm, const CpuOptions &options, bool fuse) {
  buildEntryPipeline(pm, fuse);
  pm.addPass(createRowToCPU());
  buildLowerToLLVMPipeline(pm, options);
}

void nag::addRowSchedule(OpPassManager &pm, const row::ScheduleOptions &options, int64_t maxSharedBytes) {
  row::RowScheduleOptions schedule;
  schedule.kind = options.kind;
  schedule.persistent = options.persistent;
  schedule.tensorCores = options.tensorCores;
  schedule.maxSharedBytes = maxSharedBytes;
  pm.addPass(row::createRowSchedule(schedule));
}

void nag::buildGpuPipeline(OpPassManager &pm, const row::ScheduleOptions &options, int64_t maxSharedBytes, bool fuse) {
  buildEntryPipeline(pm, fuse);
  addRowSchedule(pm, options, maxSharedBytes);
  buildRowToGpuPipeline(pm);
}

namespace {

struct EntryPipelineOptions : PassPipelineOptions<EntryPipelineOptions> {
  Option<bool> fuse{*this, "fuse", llvm::cl::desc("Join kernels that walk the same rows"), llvm::cl::init(true)};
  Option<bool> lanes{*this, "lanes",
                     llvm::cl::desc("Streams in residual form become lanes where that moves fewer rows, which changes "
                                    "values"),
                     llvm::cl::init(false)};
};

struct GpuPipelineOptions : PassPipelineOptions<GpuPipelineOptions> {
  Option<nag::row::PersistentGrid> persistent{
      *this, "persistent", llvm::cl::desc("Blocks stay and keep the tables of contractions"),
      llvm::cl::init(nag::row::PersistentGrid::Auto), nag::getPersistentGridValues()};
  Option<int64_t> maxSharedBytes{*this, "max-shared-bytes",
                                 llvm::cl::desc("Shared memory that a block can have on the chip"),
                                 llvm::cl::init(nag::row::kDefaultSharedBytes)};
  Option<bool> tensorCores{*this, "tensor-cores", llvm::cl::desc("Contract 16-bit rows on tensor cores"),
                           llvm::cl::init(false)};
};

} // namespace

void nag::registerPipelines() {
  PassPipelineRegistration<EntryPipelineOptions>(
      "nag-entry-pipeline", "From functions of nag operations to entries of row programs on buffers",
      [](OpPassManager &pm, const EntryPipelineOptions &options) {
        buildEntryPipeline(pm, options.fuse, options.lanes);
      });
  PassPipelineRegistration<>("nag-cpu-pipeline", "From functions of nag operations to the LLVM dialect, for this CPU",
                             [](OpPassManager &pm) { buildCpuPipeline(pm, CpuOptions()); });
  PassPipelineRegistration<GpuPipelineOptions>(
      "nag-gpu-pipeline", "From functions of nag operations to GPU kernels and their launches",
      [](OpPassManager &pm, const GpuPipelineOptions &options) {
        buildGpuPipeline(pm, {/*kind=*/"", options.persistent, options.tensorCores}, options.maxSharedBytes);
      });
}
