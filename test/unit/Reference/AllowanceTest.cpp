//===- AllowanceTest.cpp - What the reference allows a target, and what it leaves out -----------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The allowance that goes with each exact value: promised units, cancellation, errors carried from operands, rows that
// rounding may decide, and the comparison by them.

#include "Module.h"

#include "nag/Reference/Compare.h"
#include "nag/Support/Random.h"

#include <cmath>
#include <limits>

using namespace nag;
using namespace nag::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const char *kUpdate = R"(
  func.func @f(%R: tensor<?x64xf32>, %f: tensor<?x64xf32>, %alpha: tensor<f32>) -> tensor<?x64xf32> {
    %R1 = nag.update %R branch %f alpha %alpha
        : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
    return %R1 : tensor<?x64xf32>
  })";

Values makeRow(uint64_t seed, size_t d = 64) {
  Random random(seed);
  Values row(d);
  for (double &x : row)
    x = random.normal();
  return row;
}

/// A branch along the stream, with a part of relative size `part` orthogonal to it.
std::vector<ReferenceTensor> makeNearlyParallel(double part) {
  Values stream(64), branch(64);
  for (size_t i = 0; i < 64; ++i) {
    stream[i] = i % 2 ? 1 : -1;
    branch[i] = stream[i] + (i / 2 % 2 ? part : -part);
  }
  return {makeTensor(ElementType::F32, {1, 64}, stream), makeTensor(ElementType::F32, {1, 64}, branch),
          makeTensor(ElementType::F32, {}, {1})};
}

TEST(ReferenceAllowance, GrowsWithCancellation) {
  Module module(kUpdate);
  auto getUnits = [&](double part) { return module.run(makeNearlyParallel(part))[0].getAllowance(0).units; };
  EXPECT_EQ(getUnits(1), 16);
  EXPECT_EQ(getUnits(0x1p-7), 16);
  EXPECT_NEAR(getUnits(0x1p-12), 16 * 16, .1);
}

TEST(ReferenceAllowance, LeavesOutRowsNextToTheGuard) {
  Module module(kUpdate);
  auto isUndecided = [&](double part) { return module.run(makeNearlyParallel(part))[0].isUndecided(0); };
  EXPECT_FALSE(isUndecided(0x1p-16));
  EXPECT_TRUE(isUndecided(0x1p-18));
  EXPECT_TRUE(isUndecided(0x1p-21));
  EXPECT_TRUE(isUndecided(0x1p-22));
  EXPECT_FALSE(isUndecided(0));
}

TEST(ReferenceAllowance, RowsThatPassPassBitForBit) {
  Module module(kUpdate);
  ReferenceTensor result = module.run(makeNearlyParallel(0))[0];
  EXPECT_EQ(result.getTolerance(3), 0);
}

TEST(ReferenceAllowance, ArgumentsAreExact) {
  Module module(R"(
    func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>) {
      %y = arith.truncf %x : tensor<4xf32> to tensor<4xbf16>
      %z = arith.extf %y : tensor<4xbf16> to tensor<4xf32>
      return %x, %y, %z : tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>
    })");
  auto results = module.run({makeTensor(ElementType::F32, {4}, {1, 1.001, -3.3, 1e30})});
  ASSERT_EQ(results.size(), 3u) << module.errors;
  for (const ReferenceTensor &result : results)
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(result.getTolerance(i), 0);
  EXPECT_EQ(results[1].getExact(1), 1);
}

// The errors that are carried bound what perturbed operands do: the same chain from a direction in which every element
// is one unit off, which a target may store.
TEST(ReferenceAllowance, CarriesTheErrorsOfStoredOperands) {
  Module chain(R"(
    func.func @f(%R: tensor<64xf32>, %f: tensor<64xbf16>, %alpha: tensor<f32>) -> (tensor<64xbf16>, tensor<64xbf16>) {
      %D, %s = nag.split %R : tensor<64xf32> -> tensor<64xbf16>, tensor<f32>
      %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
          : (tensor<64xbf16>, tensor<f32>, tensor<64xbf16>, tensor<f32>) -> (tensor<64xbf16>, tensor<f32>)
      return %D, %D1 : tensor<64xbf16>, tensor<64xbf16>
    })");
  Module second(R"(
    func.func @f(%D: tensor<64xbf16>, %s: tensor<f32>, %f: tensor<64xbf16>, %alpha: tensor<f32>) -> tensor<64xbf16> {
      %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
          : (tensor<64xbf16>, tensor<f32>, tensor<64xbf16>, tensor<f32>) -> (tensor<64xbf16>, tensor<f32>)
      return %D1 : tensor<64xbf16>
    })");
  Values stream = makeRow(1), branch = makeRow(2);
  // Elements of D that lie next to a rounding boundary: what arithmetic in f32 may round either way.
  auto results = chain.run({makeTensor(ElementType::F32, {64}, stream), makeTensor(ElementType::BF16, {64}, branch),
                            makeTensor(ElementType::F32, {}, {.7})});
  ASSERT_EQ(results.size(), 2u) << chain.errors;
  Values perturbed(64);
  for (int64_t i = 0; i < 64; ++i)
    perturbed[size_t(i)] = results[0].getStored(i) + (i % 3 - 1) * results[0].getStoredError(i);
  auto moved = second.run({makeTensor(ElementType::BF16, {64}, perturbed), makeTensor(ElementType::F32, {}, {0}),
                           makeTensor(ElementType::BF16, {64}, branch), makeTensor(ElementType::F32, {}, {.7})});
  ASSERT_EQ(moved.size(), 1u) << second.errors;
  for (int64_t i = 0; i < 64; ++i)
    EXPECT_LE(std::fabs(moved[0].getExact(i) - results[1].getExact(i)), results[1].getTolerance(i) + 1e-12) << i;
}

// Stored in bf16, a P of rounding noise could be as large as a unit allows; the arithmetic behind it is in f32, which
// tells the two apart.
TEST(ReferenceAllowance, NoiseInNarrowStorageIsNotLive) {
  Module module(R"(
    func.func @f(%f: tensor<64xbf16>, %D: tensor<64xbf16>) -> tensor<64xbf16> {
      %fc = nag.center %f : tensor<64xbf16> -> tensor<64xbf16>
      %P = nag.orthogonalize %fc against %D : tensor<64xbf16>, tensor<64xbf16> -> tensor<64xbf16>
      %u = nag.scale %P relative_to %f : tensor<64xbf16>, tensor<64xbf16> -> tensor<64xbf16>
      return %u : tensor<64xbf16>
    })");
  auto results = module.run(
      {makeTensor(ElementType::BF16, {64}, Values(64, .1)), makeTensor(ElementType::BF16, {64}, makeRow(5))});
  ASSERT_EQ(results.size(), 1u) << module.errors;
  EXPECT_FALSE(results[0].isUndecided(0));
  EXPECT_EQ(getExact(results[0]), Values(64));
}

// The promise for m grows with beta; without an end to it, an m of 0 would be allowed 0 times infinity.
TEST(ReferenceAllowance, InfiniteBetaIsExact) {
  Module module(R"(
    func.func @f(%D: tensor<1x4xf32>, %beta: tensor<f32>, %w: tensor<1x4xf32>, %b: tensor<1xf32>, %p: tensor<1xf32>)
        -> tensor<1xf32> {
      %m = nag.modulate %D by(%beta, %w, %b, %p)
          : (tensor<1x4xf32>, tensor<f32>, tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      return %m : tensor<1xf32>
    })");
  for (auto [beta, m] : {std::pair(kInf, 0.0), std::pair(-kInf, kInf)}) {
    auto parameters = makeNeutral(ElementType::F32, ElementType::F32, 4);
    parameters[0] = makeTensor(ElementType::F32, {}, {beta});
    parameters.insert(parameters.begin(), makeTensor(ElementType::F32, {1, 4}, {1, -1, 1, -1}));
    auto results = module.run(parameters);
    ASSERT_EQ(results.size(), 1u) << module.errors;
    EXPECT_EQ(results[0].getExact(0), m);
    EXPECT_EQ(results[0].getAllowance(0).units, 0);
  }
}

TEST(ReferenceCompare, FindsTheWorstElement) {
  Module module(kUpdate);
  Values stream = makeRow(3, 128), branch = makeRow(4, 128);
  ReferenceTensor exact =
      module.run({makeTensor(ElementType::F32, {2, 64}, stream), makeTensor(ElementType::F32, {2, 64}, branch),
                  makeTensor(ElementType::F32, {}, {.7})})[0];
  HostTensor result = llvm::cantFail(HostTensor::create(ElementType::F32, {2, 64}));
  for (int64_t i = 0; i < 128; ++i)
    result.set(i, exact.getExact(i));
  Comparison same = compare(exact, result);
  EXPECT_TRUE(same.passed());
  EXPECT_EQ(same.compared, 2);
  EXPECT_LE(same.largestUnits, .5);

  result.set(64 + 17, exact.getExact(64 + 17) + 1e-3);
  Comparison off = compare(exact, result);
  EXPECT_EQ(off.failures, 1);
  EXPECT_EQ(off.worstRow, 1);
  EXPECT_EQ(off.worstColumn, 17);
  EXPECT_NEAR(off.largestError, 1e-3, 1e-6);
  EXPECT_NEAR(off.allowedUnits, 16, 1e-9);
  EXPECT_NE(off.firstFailure.find("row 1, column 17"), std::string::npos) << off.firstFailure;

  result.set(64 + 17, kNaN);
  EXPECT_EQ(compare(exact, result).failures, 1);
}

TEST(ReferenceCompare, EdgesOfTheRange) {
  auto check = [](ElementType type, double exact, double actual) {
    ReferenceTensor reference(type, {1}, 1);
    reference.setExact(0, exact);
    reference.setAllowance(0, getRowAllowance(type, std::fabs(exact), std::fabs(exact)));
    HostTensor result = llvm::cantFail(HostTensor::create(type, {1}));
    result.set(0, actual);
    return compare(reference, result).passed();
  };
  EXPECT_TRUE(check(ElementType::F16, kNaN, kNaN));
  EXPECT_FALSE(check(ElementType::F16, kNaN, 1));
  EXPECT_FALSE(check(ElementType::F16, 1, kNaN));
  // Beyond the range only infinity of the same sign will do; next to it the largest number as well.
  EXPECT_TRUE(check(ElementType::F16, 1e6, kInf));
  EXPECT_FALSE(check(ElementType::F16, 1e6, -kInf));
  EXPECT_FALSE(check(ElementType::F16, 1e6, 65504));
  EXPECT_TRUE(check(ElementType::F16, 65521, 65504));
  EXPECT_TRUE(check(ElementType::F16, 65510, kInf));
  EXPECT_FALSE(check(ElementType::F16, 60000, kInf));
  EXPECT_FALSE(check(ElementType::F16, kInf, 65504));
  EXPECT_TRUE(check(ElementType::F16, kInf, kInf));
  EXPECT_FALSE(check(ElementType::F16, kInf, -kInf));
  EXPECT_FALSE(check(ElementType::F16, kInf, kNaN));
  // A subnormal result may be flushed; a normal one may not.
  EXPECT_TRUE(check(ElementType::F16, 5e-5, 0));
  EXPECT_FALSE(check(ElementType::F16, 7e-5, 0));
  EXPECT_TRUE(check(ElementType::F16, 0, 0));
  EXPECT_FALSE(check(ElementType::F16, 0, 1e-3));
}

TEST(ReferenceErrors, OneLocatedMessage) {
  Module unknown(R"(
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = arith.remf %x, %x : tensor<4xf32>
      return %y : tensor<4xf32>
    })");
  EXPECT_TRUE(unknown.run({makeTensor(ElementType::F32, {4}, Values(4))}).empty());
  EXPECT_NE(unknown.errors.find("'arith.remf' op cannot be evaluated by the reference"), std::string::npos)
      << unknown.errors;

  Module tokens(R"(
    func.func @f(%R: tensor<?x4xf32>, %f: tensor<?x4xf32>, %a: tensor<f32>) -> tensor<?x4xf32> {
      %R1 = nag.update %R branch %f alpha %a : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
      return %R1 : tensor<?x4xf32>
    })");
  EXPECT_TRUE(tokens
                  .run({makeTensor(ElementType::F32, {2, 4}, Values(8)),
                        makeTensor(ElementType::F32, {3, 4}, Values(12)), makeTensor(ElementType::F32, {}, {1})})
                  .empty());
  EXPECT_NE(tokens.errors.find("operand 1 is 3x4xf32; expected 2x4xf32"), std::string::npos) << tokens.errors;

  Module recursive(R"(
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    })");
  EXPECT_TRUE(recursive.run({makeTensor(ElementType::F32, {4}, Values(4))}).empty());
  EXPECT_NE(recursive.errors.find("calls itself"), std::string::npos) << recursive.errors;
}

TEST(ReferenceEvaluator, NoRowsAndCalls) {
  Module module(R"(
    func.func private @twice(%R: tensor<?x4xf32>, %f: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %a = arith.constant dense<0.5> : tensor<f32>
      %R1 = nag.update %R branch %f alpha %a : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
      return %R1 : tensor<?x4xf32>
    }
    func.func @f(%R: tensor<?x4xf32>, %f: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %R1 = call @twice(%R, %f) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      %R2 = call @twice(%R1, %f) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      return %R2 : tensor<?x4xf32>
    })");
  auto none = module.run({makeTensor(ElementType::F32, {0, 4}, {}), makeTensor(ElementType::F32, {0, 4}, {})});
  ASSERT_EQ(none.size(), 1u) << module.errors;
  EXPECT_EQ(none[0].getNumRows(), 0);
  auto one = module.run(
      {makeTensor(ElementType::F32, {1, 4}, {3, 4, 3, 4}), makeTensor(ElementType::F32, {1, 4}, {1, 2, -1, -2})});
  ASSERT_EQ(one.size(), 1u) << module.errors;
  double squares = 0;
  for (double x : getExact(one[0]))
    squares += x * x;
  EXPECT_NEAR(squares, 50 * 1.25 * 1.25, 1e-4);
}

} // namespace
