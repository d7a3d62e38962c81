//===- RunTool.h - Running a program of the toolkit ---------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Runs an external program on temporary files, without a shell, under a time limit, and says what became of it.
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_TARGET_CUDA_RUNTOOL_H
#define NAG_TARGET_CUDA_RUNTOOL_H

#include "mlir/Support/LLVM.h"
#include "nag/Target/CUDA/Chips.h"
#include <chrono>
#include <memory>
#include <string>

namespace nag {

/// A directory of its own for one run of a tool, removed with everything in it when the object goes.
class TempDirectory {
public:
  static mlir::FailureOr<std::unique_ptr<TempDirectory>> create(EmitError emitError);
  ~TempDirectory();
  TempDirectory(const TempDirectory &) = delete;
  TempDirectory &operator=(const TempDirectory &) = delete;

  /// The path of a file of that name within the directory.
  std::string getPath(llvm::StringRef fileName) const;

private:
  explicit TempDirectory(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// Writes a file in one go; the error names it.
mlir::LogicalResult writeFile(llvm::StringRef path, llvm::StringRef contents, EmitError emitError);

/// Reads a whole file; the error names it.
mlir::FailureOr<std::string> readFile(llvm::StringRef path, EmitError emitError);

/// Runs `program` with `arguments` (the program's own name not among them) and returns what it printed, standard output
/// and standard error together. Exit codes other than 0, signals, a program that cannot be started and one that is
/// still running after `timeout` are errors, which name the program and show what it printed. `scratch` holds the
/// output.
mlir::FailureOr<std::string> runTool(llvm::StringRef program, llvm::ArrayRef<std::string> arguments,
                                     std::chrono::milliseconds timeout, const TempDirectory &scratch,
                                     EmitError emitError);

} // namespace nag

#endif // NAG_TARGET_CUDA_RUNTOOL_H
