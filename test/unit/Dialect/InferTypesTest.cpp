//===- InferTypesTest.cpp - Result types that builders of nag operations infer ------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//
//
// Every operation of the nag dialect, built without result types.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Nag/IR/NagDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace nag;

namespace {

class InferTypes : public ::testing::Test {
protected:
  InferTypes() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<NagDialect>();
    builder.setInsertionPointToStart(&block);
  }

  Value argument(ArrayRef<int64_t> shape, Type elementType) {
    return block.addArgument(RankedTensorType::get(shape, elementType), loc);
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  Block block;
  Type f32 = Float32Type::get(&context), bf16 = BFloat16Type::get(&context), f64 = Float64Type::get(&context);
  int64_t dynamic = ShapedType::kDynamic;
  row::ScheduleAttr schedule; // none
};

TEST_F(InferTypes, SmallOperations) {
  Value rows = argument({dynamic, 3, 8}, bf16), logNorm = argument({dynamic, 3}, f32);
  Value branch = argument({dynamic, 3, 8}, f32), alpha = argument({}, f32), w = argument({2, 8}, bf16);
  Value b = argument({2}, f32);
  auto split = SplitOp::create(builder, loc, rows, schedule);
  EXPECT_EQ(split.getDirection().getType(), rows.getType());
  EXPECT_EQ(split.getLogNorm().getType(), logNorm.getType());
  EXPECT_EQ(MergeOp::create(builder, loc, rows, logNorm, schedule).getType(), rows.getType());
  EXPECT_EQ(CenterOp::create(builder, loc, branch, schedule).getType(), branch.getType());
  EXPECT_EQ(OrthogonalizeOp::create(builder, loc, branch, rows, schedule).getType(), branch.getType());
  EXPECT_EQ(ScaleOp::create(builder, loc, branch, rows, FloatAttr(), schedule).getType(), branch.getType());
  EXPECT_EQ(ModulateOp::create(builder, loc, rows, alpha, w, b, b, schedule).getType(), logNorm.getType());
  auto residual = RotateOp::create(builder, loc, rows, Value(), branch, alpha, Value(), schedule);
  EXPECT_EQ(residual.getRotated().getType(), rows.getType());
  EXPECT_FALSE(residual.getRotatedLogNorm());
  auto lanes = RotateOp::create(builder, loc, rows, logNorm, branch, alpha, logNorm, schedule);
  EXPECT_EQ(lanes.getRotatedLogNorm().getType(), logNorm.getType());
  for (Operation &op : block)
    EXPECT_TRUE(succeeded(verify(&op)));
}

TEST_F(InferTypes, Update) {
  Value rows = argument({dynamic, 8}, f64), logNorm = argument({dynamic}, f64), alpha = argument({}, f64);
  Value w = argument({2, 8}, f64), b = argument({2}, f64), none;
  auto residual =
      UpdateOp::create(builder, loc, rows, none, rows, alpha, none, none, none, none, none, FloatAttr(), schedule);
  EXPECT_EQ(residual->getResultTypes(), TypeRange(rows.getType()));
  EXPECT_FALSE(residual.getUpdatedLogNorm() || residual.getModulator());
  auto modulated = UpdateOp::create(builder, loc, rows, none, rows, alpha, none, alpha, w, b, b, FloatAttr(), schedule);
  EXPECT_FALSE(modulated.getUpdatedLogNorm());
  EXPECT_EQ(modulated.getModulator().getType(), logNorm.getType());
  auto lanes = UpdateOp::create(builder, loc, rows, logNorm, rows, alpha, logNorm, none, none, none, none, FloatAttr(),
                                schedule);
  EXPECT_EQ(lanes.getUpdatedLogNorm(), lanes->getResult(1));
  EXPECT_FALSE(lanes.getModulator());
  auto all = UpdateOp::create(builder, loc, rows, logNorm, rows, alpha, none, alpha, w, b, b, FloatAttr(), schedule);
  EXPECT_EQ(all.getUpdatedLogNorm(), all->getResult(1));
  EXPECT_EQ(all.getModulator(), all->getResult(2));
  for (Operation &op : block)
    EXPECT_TRUE(succeeded(verify(&op)));
}

TEST_F(InferTypes, OneRowWithoutTokens) {
  auto split = SplitOp::create(builder, loc, argument({8}, bf16), schedule);
  EXPECT_EQ(split.getLogNorm().getType(), RankedTensorType::get({}, f32));
  EXPECT_TRUE(succeeded(verify(split)));
}

// Inference gets over what the verifier has the words for.
TEST_F(InferTypes, RankZeroIsForTheVerifier) {
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { errors += diagnostic.str(); });
  auto split = SplitOp::create(builder, loc, argument({}, f32), schedule);
  EXPECT_TRUE(failed(verify(split)));
  EXPECT_NE(errors.find("(C1) expected residual of rank at least 1"), std::string::npos) << errors;
}

TEST_F(InferTypes, NotATensor) {
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { errors += diagnostic.str(); });
  SmallVector<Type> types;
  Value memref = block.addArgument(MemRefType::get({4, 8}, f32), loc);
  EXPECT_TRUE(
      failed(SplitOp::inferReturnTypes(&context, loc, ValueRange(memref), DictionaryAttr(), nullptr, {}, types)));
  EXPECT_NE(errors.find("got 'memref<4x8xf32>'"), std::string::npos) << errors;
}

} // namespace
