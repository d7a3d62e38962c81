//===- TestKernels.h - Kernels and diagnostics for the tests ------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// What the tests of the CUDA target share: kernel texts, a context, and the errors that were reported.
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_TEST_UNIT_TARGET_CUDA_TESTKERNELS_H
#define NAG_TEST_UNIT_TARGET_CUDA_TESTKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "nag/Target/CUDA/Serialize.h"
#include "gtest/gtest.h"
#include <map>

namespace nag::test {

/// A row kernel of 512 threads: 128-bit accesses, a sum over the block, root, division. Compiles without a toolkit.
extern const char *const rowKernel;

/// The same with an exponential and a logarithm, for which libdevice is needed.
std::string makeRowKernelWithExp();

/// A module with one kernel `k` of 128 threads; `body` works on `%x : memref<?xTYPE>` and the thread's index `%i`.
std::string makeKernel(llvm::StringRef body, llvm::StringRef type = "f32");

class CudaTest : public ::testing::Test {
protected:
  CudaTest();

  /// Whether the whole toolkit is installed; asked for without leaving an error behind.
  bool hasToolkit();

  EmitError getEmitError() { return emitError; }
  /// Parses the text, which must be right, and compiles its first gpu.module.
  mlir::FailureOr<CompiledKernels> compile(llvm::StringRef text, const CudaOptions &options);
  std::string compileToPtx(llvm::StringRef text, llvm::StringRef chip);

  mlir::MLIRContext context;
  /// All errors reported so far, a line each.
  std::string errors;

private:
  mlir::ScopedDiagnosticHandler handler;
  std::function<mlir::InFlightDiagnostic()> emitError;
};

/// Sets environment variables, and puts them back. A null value unsets one.
class ScopedEnvironment {
public:
  explicit ScopedEnvironment(std::map<std::string, const char *> variables);
  ~ScopedEnvironment();

private:
  std::map<std::string, std::optional<std::string>> saved;
};

/// A directory with a space in its name, for made-up tools; removed at the end.
class ToolDirectory {
public:
  ToolDirectory();
  ~ToolDirectory();
  std::string getPath(llvm::StringRef name) const;
  /// Writes a shell script and returns its path.
  std::string addScript(llvm::StringRef name, llvm::StringRef body, bool executable = true) const;

private:
  std::string path;
};

} // namespace nag::test

#endif // NAG_TEST_UNIT_TARGET_CUDA_TESTKERNELS_H
