//===- RewritesTest.cpp - nag-decompose and nag-simplify keep what a program computes -----------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//
//
// Runs each program in the reference before and after a pass, on ordinary rows and on rows that are not live.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Nag/Transforms/Passes.h"
#include "nag/Reference/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace nag;

namespace {

constexpr int64_t kRows = 5, kWidth = 8, kDirections = 2;

ReferenceTensor makeTensor(ArrayRef<int64_t> shape, function_ref<double(int64_t)> element) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(ElementType::F64, shape));
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.set(i, element(i));
  return ReferenceTensor(std::make_shared<const HostTensor>(std::move(tensor)));
}

/// The arguments R, f, s, alpha, beta, w, b of @f. Of the rows, 1 has a zero stream, 2 a zero branch, 3 a constant one.
std::vector<ReferenceTensor> makeArguments() {
  std::mt19937_64 engine(20260616);
  std::normal_distribution<double> normal;
  auto random = [&](int64_t) { return normal(engine); };
  auto row = [](int64_t i) { return i / kWidth; };
  return {makeTensor({kRows, kWidth}, [&](int64_t i) { return row(i) == 1 ? 0. : 3 * random(i); }),
          makeTensor({kRows, kWidth}, [&](int64_t i) { return row(i) == 2   ? 0.
                                                              : row(i) == 3 ? 1.
                                                                            : random(i); }),
          makeTensor({kRows}, random),
          makeTensor({}, [](int64_t) { return .7; }),
          makeTensor({}, [](int64_t) { return .5; }),
          makeTensor({kDirections, kWidth}, random),
          makeTensor({kDirections}, random)};
}

constexpr llvm::StringLiteral kHead = R"(
!rows = tensor<5x8xf64>
!numbers = tensor<5xf64>
func.func @f(%R: !rows, %f: !rows, %s: !numbers, %alpha: tensor<f64>, %beta: tensor<f64>, %w: tensor<2x8xf64>,
             %b: tensor<2xf64>) -> )";

unsigned countOperations(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](Operation *op) { count += isa_and_nonnull<NagDialect>(op->getDialect()); });
  return count;
}

/// Runs @f with `body` before and after `pass`, which leaves `expectedCount` nag operations, and compares.
void expectKept(std::unique_ptr<Pass> pass, const std::string &body, unsigned expectedCount) {
  MLIRContext context;
  context.loadDialect<NagDialect, func::FuncDialect, arith::ArithDialect, tensor::TensorDialect>();
  auto module = parseSourceString<ModuleOp>(kHead.str() + body, &context);
  ASSERT_TRUE(module);
  std::vector<ReferenceTensor> arguments = makeArguments();
  auto before = evaluateReference(module->lookupSymbol<func::FuncOp>("f"), arguments);
  PassManager manager(&context);
  manager.addPass(std::move(pass));
  ASSERT_TRUE(succeeded(manager.run(*module)));
  EXPECT_EQ(countOperations(*module), expectedCount);
  auto after = evaluateReference(module->lookupSymbol<func::FuncOp>("f"), arguments);
  ASSERT_TRUE(succeeded(before) && succeeded(after));
  ASSERT_EQ(before->size(), after->size());
  for (auto [x, y] : llvm::zip(*before, *after))
    for (int64_t i = 0; i < x.getNumElements(); ++i) {
      double expected = x.getExact(i), actual = y.getExact(i);
      // -inf, the log-norm of a zero row, has no difference to itself.
      EXPECT_TRUE(expected == actual || std::abs(expected - actual) <= 1e-12 * std::max(1., std::abs(expected)))
          << "element " << i << ": expected " << expected << ", got " << actual << "\n"
          << body;
    }
}

TEST(Decompose, ResidualForm) {
  expectKept(createNagDecompose(), R"((!rows, !numbers) {
    %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %b)
        : (!rows, !rows, tensor<f64>, tensor<f64>, tensor<2x8xf64>, tensor<2xf64>, tensor<2xf64>) -> (!rows, !numbers)
    return %R1, %m : !rows, !numbers
  })",
             5);
}

// Lanes that need not come from a split: a zero direction keeps its finite log-norm.
TEST(Decompose, LaneForm) {
  expectKept(createNagDecompose(), R"((!rows, !numbers, !numbers) {
    %D1, %s1, %m = nag.update %R, %s branch %f alpha %alpha modulator(%beta, %w, %b, %b)
        : (!rows, !numbers, !rows, tensor<f64>, tensor<f64>, tensor<2x8xf64>, tensor<2xf64>, tensor<2xf64>)
        -> (!rows, !numbers, !numbers)
    return %D1, %s1, %m : !rows, !numbers, !numbers
  })",
             5);
}

TEST(Decompose, GivenModulatorAndTolerance) {
  expectKept(createNagDecompose(), R"((!rows) {
    %R1 = nag.update %R branch %f alpha %alpha modulated_by %s {tol = 0.5 : f64}
        : (!rows, !rows, tensor<f64>, !numbers) -> !rows
    return %R1 : !rows
  })",
             4);
}

TEST(Simplify, MergeOfSplit) {
  expectKept(createNagSimplify(), R"((!rows) {
    %D, %t = nag.split %R : !rows -> !rows, !numbers
    %0 = nag.merge %D, %t : !rows, !numbers -> !rows
    return %0 : !rows
  })",
             0);
}

TEST(Simplify, SplitOfMerge) {
  expectKept(createNagSimplify(), R"((!rows, !numbers) {
    %D, %t = nag.split %R : !rows -> !rows, !numbers
    %D1, %t1 = nag.update %D, %t branch %f alpha %alpha : (!rows, !numbers, !rows, tensor<f64>) -> (!rows, !numbers)
    %0 = nag.merge %D1, %t1 : !rows, !numbers -> !rows
    %D2, %t2 = nag.split %0 : !rows -> !rows, !numbers
    return %D2, %t2 : !rows, !numbers
  })",
             2);
}

// What this one computes would not be kept.
TEST(Simplify, SplitOfMergeOfArguments) {
  expectKept(createNagSimplify(), R"((!rows, !numbers) {
    %0 = nag.merge %R, %s : !rows, !numbers -> !rows
    %D, %t = nag.split %0 : !rows -> !rows, !numbers
    return %D, %t : !rows, !numbers
  })",
             2);
}

TEST(Simplify, Projections) {
  expectKept(createNagSimplify(), R"((!rows, !rows, !rows) {
    %0 = nag.center %f : !rows -> !rows
    %1 = nag.center %0 : !rows -> !rows
    %2 = nag.orthogonalize %1 against %R : !rows, !rows -> !rows
    %3 = nag.orthogonalize %2 against %R : !rows, !rows -> !rows
    %4 = nag.scale %3 relative_to %f : !rows, !rows -> !rows
    %5 = nag.scale %4 relative_to %4 : !rows, !rows -> !rows
    return %1, %3, %5 : !rows, !rows, !rows
  })",
             3);
}

TEST(Simplify, ZeroAlpha) {
  expectKept(createNagSimplify(), R"((!rows, !numbers, !rows, !numbers) {
    %zero = arith.constant dense<0.0> : tensor<f64>
    %R1, %m = nag.update %R branch %f alpha %zero modulator(%beta, %w, %b, %b)
        : (!rows, !rows, tensor<f64>, tensor<f64>, tensor<2x8xf64>, tensor<2xf64>, tensor<2xf64>) -> (!rows, !numbers)
    %D, %t = nag.split %R : !rows -> !rows, !numbers
    %D1, %t1 = nag.update %D, %t branch %f alpha %zero : (!rows, !numbers, !rows, tensor<f64>) -> (!rows, !numbers)
    return %R1, %m, %D1, %t1 : !rows, !numbers, !rows, !numbers
  })",
             2);
}

// Lanes of no split are renormalised where they are live.
TEST(Simplify, ZeroAlphaOfArguments) {
  expectKept(createNagSimplify(), R"((!rows, !numbers) {
    %zero = arith.constant dense<0.0> : tensor<f64>
    %D1, %s1 = nag.update %R, %s branch %f alpha %zero : (!rows, !numbers, !rows, tensor<f64>) -> (!rows, !numbers)
    return %D1, %s1 : !rows, !numbers
  })",
             1);
}

} // namespace
