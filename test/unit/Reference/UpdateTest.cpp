//===- UpdateTest.cpp - The reference's update against known values and relations ---------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The reference's update: a row that was worked out in 80 digits by other means, values that can be worked out by hand,
// and relations that follow from the formula.

#include "Module.h"

#include "nag/Support/Random.h"

#include <cmath>
#include <limits>

using namespace nag;
using namespace nag::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string residualForm(int64_t d, int64_t c, const std::string &type, const std::string &arithmetic) {
  std::string rows = "tensor<?x" + std::to_string(d) + "x" + type + ">", a = arithmetic;
  std::string w = "tensor<" + std::to_string(c) + "x" + std::to_string(d) + "x" + type + ">";
  std::string vector = "tensor<" + std::to_string(c) + "x" + a + ">", scalar = "tensor<" + a + ">";
  std::string types = rows + ", " + rows + ", " + scalar + ", " + scalar + ", " + w + ", " + vector + ", " + vector;
  return "func.func @f(%R: " + rows + ", %f: " + rows + ", %alpha: " + scalar + ", %beta: " + scalar + ", %w: " + w +
         ", %b: " + vector + ", %l: " + vector + ") -> (" + rows + ", tensor<?x" + a + ">) {\n" +
         "  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l) : (" + types + ") -> (" + rows +
         ", tensor<?x" + a + ">)\n  return %R1, %m : " + rows + ", tensor<?x" + a + ">\n}\n";
}

/// R' of the update with the neutral modulator, alpha = 1 and so a = 1/2.
Values updateNeutral(const std::string &typeName, ElementType type, const Values &stream, const Values &branch) {
  int64_t d = int64_t(stream.size());
  ElementType arithmetic = type == ElementType::F64 ? type : ElementType::F32;
  Module module(residualForm(d, 1, typeName, arithmetic == ElementType::F64 ? "f64" : "f32"));
  std::vector<ReferenceTensor> arguments = {makeTensor(type, {1, d}, stream), makeTensor(type, {1, d}, branch),
                                            makeTensor(arithmetic, {}, {1})};
  for (const ReferenceTensor &parameter : makeNeutral(type, arithmetic, d))
    arguments.push_back(parameter);
  std::vector<ReferenceTensor> results = module.run(arguments);
  EXPECT_EQ(results.size(), 2u) << module.errors;
  return results.empty() ? Values() : getExact(results[0]);
}

Values randomRow(uint64_t seed, size_t d, double scale = 1) {
  Random random(seed);
  Values row(d);
  for (double &x : row)
    x = roundTo(ElementType::F32, scale * random.normal());
  return row;
}

double dot(const Values &x, const Values &y) {
  double total = 0;
  for (size_t i = 0; i < x.size(); ++i)
    total += x[i] * y[i];
  return total;
}

const Values kGoldenStream = {1, 2, -2, 4}, kGoldenBranch = {.5, -1, 3, 2};
const Values kGoldenW = {.5, -.25, 0, .125, -.5, .25, .5, 0};
const Values kGoldenResult = {.601851831, .374228309, -.611221266, 5.60681225};

TEST(ReferenceUpdate, GoldenRow) {
  for (auto [name, type] : {std::pair("f64", ElementType::F64), std::pair("f32", ElementType::F32)}) {
    Module module(residualForm(4, 2, name, name));
    auto results =
        module.run({makeTensor(type, {1, 4}, kGoldenStream), makeTensor(type, {1, 4}, kGoldenBranch),
                    makeTensor(type, {}, {1}), makeTensor(type, {}, {.5}), makeTensor(type, {2, 4}, kGoldenW),
                    makeTensor(type, {2}, {0, -1}), makeTensor(type, {2}, {0, 1})});
    ASSERT_EQ(results.size(), 2u) << module.errors;
    expectNear(results[0], kGoldenResult, 2e-9);
    expectNear(results[1], {.540821876}, 2e-9);
  }
}

TEST(ReferenceUpdate, GoldenRowInLanes) {
  Module module(R"(
    func.func @f(%R: tensor<4xf64>, %f: tensor<4xf64>, %alpha: tensor<f64>, %beta: tensor<f64>, %w: tensor<2x4xf64>,
                 %b: tensor<2xf64>, %l: tensor<2xf64>) -> (tensor<4xf64>, tensor<f64>, tensor<f64>, tensor<4xf64>) {
      %D, %s = nag.split %R : tensor<4xf64> -> tensor<4xf64>, tensor<f64>
      %D1, %s1, %m = nag.update %D, %s branch %f alpha %alpha modulator(%beta, %w, %b, %l)
          : (tensor<4xf64>, tensor<f64>, tensor<4xf64>, tensor<f64>, tensor<f64>, tensor<2x4xf64>, tensor<2xf64>,
             tensor<2xf64>) -> (tensor<4xf64>, tensor<f64>, tensor<f64>)
      %R1 = nag.merge %D1, %s1 : tensor<4xf64>, tensor<f64> -> tensor<4xf64>
      return %R1, %s, %m, %D1 : tensor<4xf64>, tensor<f64>, tensor<f64>, tensor<4xf64>
    })");
  ElementType type = ElementType::F64;
  auto results = module.run({makeTensor(type, {4}, kGoldenStream), makeTensor(type, {4}, kGoldenBranch),
                             makeTensor(type, {}, {1}), makeTensor(type, {}, {.5}), makeTensor(type, {2, 4}, kGoldenW),
                             makeTensor(type, {2}, {0, -1}), makeTensor(type, {2}, {0, 1})});
  ASSERT_EQ(results.size(), 4u) << module.errors;
  expectNear(results[0], kGoldenResult, 2e-9);
  expectNear(results[1], {std::log(2.5)}, 1e-15);
  expectNear(results[2], {.540821876}, 2e-9);
  EXPECT_NEAR(dot(getExact(results[3]), getExact(results[3])), 4, 1e-14);
}

TEST(ReferenceUpdate, SmallOperationsMakeUpTheUpdate) {
  Module module(R"(
    func.func @f(%R: tensor<1x4xf64>, %f: tensor<1x4xf64>, %alpha: tensor<f64>, %beta: tensor<f64>, %w: tensor<2x4xf64>,
                 %b: tensor<2xf64>, %l: tensor<2xf64>) -> (tensor<1x4xf64>, tensor<1x4xf64>) {
      %D, %s = nag.split %R : tensor<1x4xf64> -> tensor<1x4xf64>, tensor<1xf64>
      %fc = nag.center %f : tensor<1x4xf64> -> tensor<1x4xf64>
      %P = nag.orthogonalize %fc against %D : tensor<1x4xf64>, tensor<1x4xf64> -> tensor<1x4xf64>
      %u = nag.scale %P relative_to %f : tensor<1x4xf64>, tensor<1x4xf64> -> tensor<1x4xf64>
      %m = nag.modulate %D by(%beta, %w, %b, %l)
          : (tensor<1x4xf64>, tensor<f64>, tensor<2x4xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<1xf64>
      %R1 = nag.rotate %R towards %u alpha %alpha modulator %m
          : (tensor<1x4xf64>, tensor<1x4xf64>, tensor<f64>, tensor<1xf64>) -> tensor<1x4xf64>
      return %R1, %u : tensor<1x4xf64>, tensor<1x4xf64>
    })");
  ElementType type = ElementType::F64;
  auto results = module.run({makeTensor(type, {1, 4}, kGoldenStream), makeTensor(type, {1, 4}, kGoldenBranch),
                             makeTensor(type, {}, {1}), makeTensor(type, {}, {.5}), makeTensor(type, {2, 4}, kGoldenW),
                             makeTensor(type, {2}, {0, -1}), makeTensor(type, {2}, {0, 1})});
  ASSERT_EQ(results.size(), 2u) << module.errors;
  expectNear(results[0], kGoldenResult, 2e-9);
  expectNear(results[1], {-.294476379, -1.20244521, 1.02716165, 1.18842253}, 5e-9);
}

TEST(ReferenceUpdate, ShortOddRows) {
  auto check = [](const Values &stream, const Values &branch, const Values &expected) {
    Values actual = updateNeutral("f32", ElementType::F32, stream, branch);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(actual[i], expected[i], 5e-9 * std::fabs(expected[i])) << "element " << i;
  };
  check({1, 2, 2}, {10, 11, 12}, {-.212678125, 1.75746437, 2.84887469});
  check({1, 2, 3, 4, 5, 6, 7}, {1, -1, 2, -2, 3, -3, 4},
        {1.35440518, .477370333, 4.19447672, 1.47978538, 7.03454826, 2.48220042, 9.8746198});
  check({3, 4}, {5, 1}, {5, 2.5});
  check({3}, {5}, {3});
}

// O1: |R'|^2 = |R|^2 (1 + a^2). O2: u is orthogonal to R and has RMS 1.
TEST(ReferenceUpdate, RotatesByTheAmount) {
  for (size_t d : {2, 3, 33, 769, 4096}) {
    Values stream = randomRow(d, d, 3), branch = randomRow(d + 1, d);
    // A tail unlike the head, so that an error in the width of a row does not cancel.
    for (size_t i = d - d / 9; i < d; ++i)
      stream[i] *= 4;
    Values result = updateNeutral("f32", ElementType::F32, stream, branch), change(d);
    for (size_t i = 0; i < d; ++i)
      change[i] = result[i] - stream[i];
    EXPECT_NEAR(dot(result, result) / dot(stream, stream), 1.25, 1e-13) << d;
    EXPECT_NEAR(dot(change, change) / dot(stream, stream), .25, 1e-13) << d;
    EXPECT_NEAR(dot(change, stream) / dot(stream, stream), 0, 1e-14) << d;
  }
}

// O3: neither a positive factor nor a constant added to the branch changes anything; a negative factor turns it round.
TEST(ReferenceUpdate, DependsOnTheBranchsShapeAlone) {
  size_t d = 100;
  Values stream = randomRow(1, d), branch = randomRow(2, d), scaled = branch, moved = branch, negated = branch;
  for (size_t i = 0; i < d; ++i) {
    scaled[i] *= 3;
    moved[i] += 7;
    negated[i] = -branch[i];
  }
  auto update = [&](const Values &f) { return updateNeutral("f64", ElementType::F64, stream, f); };
  Values result = update(branch), ofScaled = update(scaled), ofMoved = update(moved), ofNegated = update(negated);
  for (size_t i = 0; i < d; ++i) {
    EXPECT_NEAR(ofScaled[i], result[i], 1e-14);
    EXPECT_NEAR(ofMoved[i], result[i], 1e-13);
    EXPECT_NEAR(ofNegated[i] - stream[i], stream[i] - result[i], 1e-14);
  }
}

// O4: powers of two go through exactly.
TEST(ReferenceUpdate, IsEquivariant) {
  size_t d = 33;
  Values stream = randomRow(3, d), branch = randomRow(4, d), scaled = stream;
  for (double factor : {0x1p600, 0x1p-600}) {
    for (size_t i = 0; i < d; ++i)
      scaled[i] = stream[i] * factor;
    Values result = updateNeutral("f64", ElementType::F64, stream, branch);
    Values ofScaled = updateNeutral("f64", ElementType::F64, scaled, branch);
    for (size_t i = 0; i < d; ++i)
      EXPECT_EQ(ofScaled[i], result[i] * factor);
  }
}

TEST(ReferenceUpdate, RowsThatAreNotLivePass) {
  for (size_t d : {1, 7, 33, 100, 768, 12288}) {
    Values stream = randomRow(d, d);
    EXPECT_EQ(updateNeutral("f32", ElementType::F32, stream, Values(d, roundTo(ElementType::F32, .1))), stream) << d;
    EXPECT_EQ(updateNeutral("f32", ElementType::F32, stream, Values(d)), stream) << d;
    EXPECT_EQ(updateNeutral("f32", ElementType::F32, Values(d), stream), Values(d)) << d;
    Values mean(1, 0), parallel(d);
    for (double x : stream)
      mean[0] += x / double(d);
    for (size_t i = 0; i < d; ++i) {
      stream[i] = roundTo(ElementType::F32, stream[i] - mean[0]);
      parallel[i] = roundTo(ElementType::F32, 7.3 * stream[i] + .05);
    }
    EXPECT_EQ(updateNeutral("f32", ElementType::F32, stream, parallel), stream) << d;
  }
}

TEST(ReferenceUpdate, NoSquareOverflows) {
  Values alternating = {1, -1, 1, -1, 1, -1, 1, -1}, large(8, 1e25), huge(8, 1e300), tiny(8, 1e-300);
  Values result = updateNeutral("f32", ElementType::F32, large, alternating);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(result[i], i % 2 ? .5e25 : 1.5e25, 1e18);
  for (const Values &stream : {huge, tiny}) {
    result = updateNeutral("f64", ElementType::F64, stream, alternating);
    for (size_t i = 0; i < 8; ++i)
      EXPECT_DOUBLE_EQ(result[i], (i % 2 ? .5 : 1.5) * stream[i]);
  }
  result = updateNeutral("f16", ElementType::F16, Values(8, 300), {6e4, -6e4, 6e4, -6e4, 6e4, -6e4, 6e4, -6e4});
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(result[i], i % 2 ? 150 : 450);
}

TEST(ReferenceUpdate, NaNsAndInfinitiesFillTheirRow) {
  for (double bad : {kNaN, kInf, -kInf})
    for (bool inStream : {false, true}) {
      Values stream = {1, 2, 3, 4}, branch = {1, -1, 2, 5};
      (inStream ? stream : branch)[1] = bad;
      for (double x : updateNeutral("f32", ElementType::F32, stream, branch))
        EXPECT_TRUE(std::isnan(x));
    }
  // A row without a direction passes, whatever its branch is.
  EXPECT_EQ(updateNeutral("f32", ElementType::F32, Values(4), {kNaN, 0, 0, 0}), Values(4));
}

TEST(ReferenceModulate, NeitherSigmoidNorPowerUnderflows) {
  Module module(R"(
    func.func @f(%D: tensor<4xf32>, %beta: tensor<f32>, %w: tensor<1x4xf32>, %b: tensor<1xf32>, %l: tensor<1xf32>)
        -> tensor<f32> {
      %m = nag.modulate %D by(%beta, %w, %b, %l)
          : (tensor<4xf32>, tensor<f32>, tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
      return %m : tensor<f32>
    })");
  auto modulate = [&](double z, double beta) {
    ElementType type = ElementType::F32;
    auto results = module.run({makeTensor(type, {4}, Values(4, 1)), makeTensor(type, {}, {beta}),
                               makeTensor(type, {1, 4}, Values(4, z / 4)), makeTensor(type, {1}, {0}),
                               makeTensor(type, {1}, {0})});
    return results.empty() ? kNaN : results[0].getExact(0);
  };
  EXPECT_NEAR(modulate(-200, .25), 1.92875e-22, 1e-27);
  EXPECT_NEAR(modulate(-100, .5), 1.92875e-22, 1e-27);
  EXPECT_NEAR(modulate(-90, 1), 8.194e-40, 1e-43);
  EXPECT_NEAR(modulate(-200, .5), 3.72e-44, 1e-46);
  EXPECT_EQ(modulate(-200, 0), 1);
  EXPECT_EQ(modulate(0, 1), .5);
}

TEST(ReferenceModulate, SoftmaxOfExtremeLogits) {
  Module module(R"(
    func.func @f(%D: tensor<2xf32>, %beta: tensor<f32>, %w: tensor<3x2xf32>, %b: tensor<3xf32>, %l: tensor<3xf32>)
        -> tensor<f32> {
      %m = nag.modulate %D by(%beta, %w, %b, %l)
          : (tensor<2xf32>, tensor<f32>, tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
      return %m : tensor<f32>
    })");
  auto modulate = [&](const Values &logits) {
    ElementType type = ElementType::F32;
    auto results =
        module.run({makeTensor(type, {2}, {1, 1}), makeTensor(type, {}, {1}), makeTensor(type, {3, 2}, Values(6)),
                    makeTensor(type, {3}, {1, 2, 3}), makeTensor(type, {3}, logits)});
    return results.empty() ? kInf : results[0].getExact(0);
  };
  auto sigmoid = [](double t) { return 1 / (1 + std::exp(-t)); };
  EXPECT_NEAR(modulate({-kInf, 0, 0}), (sigmoid(2) + sigmoid(3)) / 2, 1e-15);
  EXPECT_NEAR(modulate({1e4, 0, -1e4}), sigmoid(1), 1e-15);
  EXPECT_TRUE(std::isnan(modulate({-kInf, -kInf, -kInf})));
}

TEST(ReferenceLanes, ZeroRowsHaveNoDirection) {
  Module module(R"(
    func.func @f(%R: tensor<2x3xf32>, %f: tensor<2x3xf32>, %alpha: tensor<f32>)
        -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>) {
      %D, %s = nag.split %R : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xf32>
      %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
          : (tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<2xf32>)
      %R1 = nag.merge %D1, %s1 : tensor<2x3xf32>, tensor<2xf32> -> tensor<2x3xf32>
      return %D, %s, %D1, %s1, %R1
          : tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>
    })");
  ElementType type = ElementType::F32;
  auto results = module.run({makeTensor(type, {2, 3}, {0, 0, 0, 2, 2, 2}), makeTensor(type, {2, 3}, {1, 2, 3, 1, 1, 1}),
                             makeTensor(type, {}, {1})});
  ASSERT_EQ(results.size(), 5u) << module.errors;
  // The second row's branch is constant: it passes as well.
  EXPECT_EQ(getExact(results[0]), Values({0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(getExact(results[1])[0], -kInf);
  EXPECT_EQ(getExact(results[2]), Values({0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(getExact(results[3])[0], -kInf);
  EXPECT_EQ(results[3].getStored(1), results[1].getStored(1));
  EXPECT_EQ(results[4].getStored(0), 0);
  EXPECT_NEAR(results[4].getExact(4), 2, 1e-6);
}

TEST(ReferenceLanes, StoredDirectionPassesAsItIs) {
  Module module(R"(
    func.func @f(%D: tensor<2x2xbf16>, %s: tensor<2xf32>, %f: tensor<2x2xbf16>, %alpha: tensor<f32>)
        -> (tensor<2x2xbf16>, tensor<2xf32>) {
      %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
          : (tensor<2x2xbf16>, tensor<2xf32>, tensor<2x2xbf16>, tensor<f32>) -> (tensor<2x2xbf16>, tensor<2xf32>)
      return %D1, %s1 : tensor<2x2xbf16>, tensor<2xf32>
    })");
  // mean(D^2) is 1 + 2^-9 in the first row, and 4 in the second.
  ElementType type = ElementType::BF16;
  auto results =
      module.run({makeTensor(type, {2, 2}, {1.001953125, 1, 2, 2}), makeTensor(ElementType::F32, {2}, {3, 4}),
                  makeTensor(type, {2, 2}, Values(4)), makeTensor(ElementType::F32, {}, {1})});
  ASSERT_EQ(results.size(), 2u) << module.errors;
  EXPECT_EQ(getExact(results[0]), Values({1, 1, 1, 1}));
  EXPECT_EQ(getExact(results[1]), Values({3, 4}));

  results = module.run({makeTensor(type, {2, 2}, {1.0078125, .9921875, 1.0078125, 1}),
                        makeTensor(ElementType::F32, {2}, {3, 4}), makeTensor(type, {2, 2}, Values(4)),
                        makeTensor(ElementType::F32, {}, {1})});
  ASSERT_EQ(results.size(), 2u) << module.errors;
  EXPECT_EQ(results[0].getStored(0), 1.0078125);
  EXPECT_EQ(results[0].getTolerance(0), 0);
}

} // namespace
