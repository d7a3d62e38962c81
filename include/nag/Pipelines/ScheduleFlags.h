//===- ScheduleFlags.h - The options of tools that choose schedules -------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_PIPELINES_SCHEDULEFLAGS_H
#define NAG_PIPELINES_SCHEDULEFLAGS_H

#include "nag/Dialect/Row/Transforms/ScheduleOptions.h"

#include "llvm/Support/CommandLine.h"

namespace nag {

/// The names and descriptions of row::PersistentGrid on a command line.
inline llvm::cl::ValuesClass getPersistentGridValues() {
  return llvm::cl::values(clEnumValN(row::PersistentGrid::Auto, "auto", "where the cost model finds that it pays"),
                          clEnumValN(row::PersistentGrid::Off, "off", "never"),
                          clEnumValN(row::PersistentGrid::On, "on", "always"));
}

/// `--schedule`, `--persistent` and `--tensor-cores`, the same in every tool that compiles for a GPU.
struct ScheduleFlags {
  explicit ScheduleFlags(llvm::cl::OptionCategory &category)
      : kind{"schedule", llvm::cl::desc("GPU: kind of schedule: warp, block or stream (default: by the cost model)"),
             llvm::cl::value_desc("kind"), llvm::cl::cat(category)},
        persistent{"persistent",
                   llvm::cl::desc("GPU: blocks stay, go from row to row and keep w in shared memory (default: auto)"),
                   getPersistentGridValues(), llvm::cl::init(row::PersistentGrid::Auto), llvm::cl::cat(category)},
        tensorCores{"tensor-cores",
                    llvm::cl::desc("GPU: contractions of 16-bit rows on tensor cores, for several rows at once"),
                    llvm::cl::cat(category)} {}

  row::ScheduleOptions get() const { return {kind, persistent, tensorCores}; }

  llvm::cl::opt<std::string> kind;
  llvm::cl::opt<row::PersistentGrid> persistent;
  llvm::cl::opt<bool> tensorCores;
};

} // namespace nag

#endif // NAG_PIPELINES_SCHEDULEFLAGS_H
