//===- SimtTest.h - Hand-written kernels for the tests of simt ------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compiles a gpu module as for a GPU and launches its kernel on the CPU.

#ifndef NAG_TEST_UNIT_TARGET_SIMT_SIMTTEST_H
#define NAG_TEST_UNIT_TARGET_SIMT_SIMTTEST_H

#include "nag/Target/SIMT/SimtProgram.h"

#include <gmock/gmock.h>

namespace nag::test {

class SimtTest : public ::testing::Test {
protected:
  /// A module with the kernel `k`; `body` is LLVM dialect on the pointers %x and %y and the number %n : i64, with the
  /// thread's index in %t : i32 and the block's in %block : i32. `globals` come before the kernel.
  static std::string makeModule(llvm::StringRef body, llvm::StringRef globals = "");
  /// Compiles the text as for sm_90, all the way that a kernel goes, and makes a program of it. The text's name is
  /// kernel.mlir.
  void compile(llvm::StringRef moduleText, const SimtOptions &options);
  /// file:line:column of the first `op` in a text that is compiled.
  static std::string locate(llvm::StringRef moduleText, llvm::StringRef op);
  /// The same of LLVM IR.
  void compileIR(llvm::StringRef text, const SimtOptions &options);
  /// Launches `k(x, y, n)`.
  llvm::Error launch(uint32_t blocks, uint32_t threads, int64_t n = 0, uint32_t dynamicShared = 0);
  /// Registers `x`, of floats, as an input and `y` as an output, in rows of `columns`.
  void registerBuffers(uint64_t columns = 0);
  /// Compiles with the checker on, launches, and returns the findings. A launch that fails is a finding too, and noted.
  std::vector<Finding> check(llvm::StringRef moduleText, uint32_t blocks, uint32_t threads, int64_t n = 0);

  void makeProgram(llvm::StringRef bitcode, const SimtOptions &options);

  std::vector<float> x = std::vector<float>(4096), y = std::vector<float>(4096);
  std::unique_ptr<SimtProgram> program;
  std::string failure;
  uint64_t columns = 0;
};

} // namespace nag::test

#endif // NAG_TEST_UNIT_TARGET_SIMT_SIMTTEST_H
