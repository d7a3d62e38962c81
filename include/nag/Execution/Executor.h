//===- Executor.h - What runs an entry: the reference, a CPU, a device ----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The interface between tools and what can run an entry, and the executors.

#ifndef NAG_EXECUTION_EXECUTOR_H
#define NAG_EXECUTION_EXECUTOR_H

#include "nag/Dialect/Row/Transforms/ScheduleOptions.h"
#include "nag/Support/HostTensor.h"
#include "nag/Target/SIMT/SimtProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <string>

namespace nag {

/// The options of executors; each reads what it knows.
struct ExecutorOptions {
  /// The processor that cpu compiles for.
  std::string mcpu = "native";
  /// The chip that cuda compiles for; empty is the device's own.
  std::string chip;
  /// The schedules of a GPU's kernels.
  row::ScheduleOptions schedule;
  /// Whether kernels that walk the same rows become one.
  bool fuse = true;
  /// What simt looks at.
  SimtOptions simt;
  /// The orders of threads that simt runs an entry in, one after the other; at least one.
  std::vector<uint64_t> simtSeeds = {0};
  /// "text" or "json": how simt prints its counters; empty where they are not wanted.
  std::string simtCounters;
};

/// Runs one entry, as often as it is asked to.
class Executor {
public:
  virtual ~Executor() = default;

  /// Compiles `module`, which the executor may change and keeps as long as it needs. `entry` is a public function of
  /// it. Failures are reported as diagnostics.
  virtual mlir::LogicalResult prepare(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef entry) = 0;

  /// Runs the entry and waits for its results. Tensors have the types and shapes of arguments and results; outputs are
  /// written in place, in the layout that they have. The message of an error is empty where diagnostics have told it.
  virtual llvm::Error run(llvm::MutableArrayRef<HostTensor> inputs, llvm::MutableArrayRef<HostTensor> outputs) = 0;

  /// What simt has seen in all runs; nothing from other targets.
  virtual std::optional<SimtReport> getSimtReport() { return std::nullopt; }

  /// What the user asked to know beyond results.
  virtual void printReport(llvm::raw_ostream &os) {}
};

/// The executor of a target, "reference", "cpu", "simt" or "cuda"; an error where this build has none.
llvm::Expected<std::unique_ptr<Executor>> createExecutor(llvm::StringRef target, const ExecutorOptions &options);

std::unique_ptr<Executor> createReferenceExecutor();
std::unique_ptr<Executor> createCpuExecutor(const ExecutorOptions &options);
std::unique_ptr<Executor> createCudaExecutor(const ExecutorOptions &options);
std::unique_ptr<Executor> createSimtExecutor(const ExecutorOptions &options);

} // namespace nag

#endif // NAG_EXECUTION_EXECUTOR_H
