//===- Entry.h - One kernel, ready to run -----------------------------------------------------------------*- C++
//-*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_TOOLS_NAGBENCH_ENTRY_H
#define NAG_TOOLS_NAGBENCH_ENTRY_H

#include "Kernels.h"

#include "nag/Compiler/Report.h"
#include "nag/Execution/Executor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nag {

/// The module of `kernel`; diagnostics go to the standard error stream.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> parseKernel(mlir::MLIRContext &context, const BenchKernel &kernel);

/// What the row programs of `kernel` must move, however they are carried out.
struct Floor {
  int64_t bytesPerToken = 0; ///< Rows and numbers, each read or written once.
  int64_t tableBytes = 0;    ///< What all tokens share, once.
  double getBytes(int64_t tokens) const { return double(bytesPerToken) * double(tokens) + double(tableBytes); }
};
llvm::Expected<Floor> getFloor(mlir::MLIRContext &context, const BenchKernel &kernel);

/// A kernel that is compiled for a target.
class BenchEntry {
public:
  static llvm::Expected<BenchEntry> create(mlir::MLIRContext &context, const BenchKernel &kernel,
                                           llvm::StringRef target, const ExecutorOptions &options);

  /// Random arguments for `rows` tokens.
  llvm::Error makeTensors(int64_t rows);
  /// Runs once, and gives milliseconds.
  llvm::Expected<double> run();
  /// Compares the first and last rows of what the last run gave with the reference.
  llvm::Error check();
  Executor &getExecutor() { return *executor; }

private:
  std::string title;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::unique_ptr<Executor> executor;
  std::vector<HostTensor> inputs, outputs;
  int64_t rows = 0;
};

} // namespace nag

#endif // NAG_TOOLS_NAGBENCH_ENTRY_H
