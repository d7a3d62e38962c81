//===- GpuEntryTest.h - An entry whose GPU kernels run on the CPU ---------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compiles the update in lanes all the way to an entry that launches GPU kernels, and calls it on buffers of any row
// stride.

#ifndef NAG_TEST_UNIT_RUNTIME_GPUENTRYTEST_H
#define NAG_TEST_UNIT_RUNTIME_GPUENTRYTEST_H

#include "nag/Runtime/Abi.h"
#include "nag/Target/CPU/Jit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace nag::test {

/// Normally distributed numbers.
std::vector<float> makeValues(int64_t count, uint64_t seed);

/// D, s, f, alpha -> D', s' in f32, in a file called update.mlir whose second line holds the operation.
class GpuEntryTest : public ::testing::Test {
protected:
  void compile(int64_t rowWidth, llvm::StringRef schedule);

  /// The status of one call; results may be arguments. Runs on the back end that is set.
  int32_t call(float *D, float *s, float *f, float *newD, float *newS);
  int32_t call(std::vector<float> &D, std::vector<float> &s, std::vector<float> &f, std::vector<float> &newD,
               std::vector<float> &newS) {
    return call(D.data(), s.data(), f.data(), newD.data(), newS.data());
  }
  /// Unloads the kernels, so that another back end can be set.
  void release();

  int64_t tokens = 5, width = 0;
  /// Elements from one row, or number, to the next; nothing where they are dense.
  std::optional<int64_t> streamStride, branchStride, resultStride, normStride, newNormStride;
  float alpha = .7f;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<CpuKernels> kernels;
};

} // namespace nag::test

#endif // NAG_TEST_UNIT_RUNTIME_GPUENTRYTEST_H
