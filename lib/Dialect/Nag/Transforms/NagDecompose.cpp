//===- NagDecompose.cpp - Take nag.update apart into the small operations -----------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//
//
// The pass nag-decompose: the fused update as the chain of small operations that defines it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Nag/Transforms/Passes.h"

#include "mlir/Transforms/DialectConversion.h"

namespace nag {
#define GEN_PASS_DEF_NAGDECOMPOSE
#include "nag/Dialect/Nag/Transforms/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;

namespace {

/// %R1, %m = update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
///   ==>
/// %m  = modulate %R by(%beta, %w, %b, %logits)
/// %fc = center %f
/// %P  = orthogonalize %fc against %R
/// %u  = scale %P relative_to %f
/// %R1 = rotate %R towards %u alpha %alpha modulator %m
///
/// In lane form `%D, %s` takes the place of `%R` in the first and the last line and `%D` in the third one.
struct DecomposeUpdate : OpRewritePattern<UpdateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UpdateOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value modulator = op.getGivenModulator();
    if (op.computesModulator())
      modulator = ModulateOp::create(rewriter, loc, op.getModulator().getType(), op.getStream(), op.getBeta(),
                                     op.getW(), op.getB(), op.getLogits(), op.getScheduleAttr());

    // The shape of the branch, which may know other token sizes than the stream; in the arithmetic type.
    auto branch = cast<RankedTensorType>(op.getBranch().getType());
    Type rows = branch.clone(getArithmeticType(branch.getElementType()));
    Value centered = CenterOp::create(rewriter, loc, rows, op.getBranch(), op.getScheduleAttr());
    Value orthogonal = OrthogonalizeOp::create(rewriter, loc, rows, centered, op.getStream(), op.getScheduleAttr());
    Value unit =
        ScaleOp::create(rewriter, loc, rows, orthogonal, op.getBranch(), op.getTolAttr(), op.getScheduleAttr());
    auto rotate = RotateOp::create(rewriter, loc, op.getUpdated().getType(),
                                   op.isLaneForm() ? op.getUpdatedLogNorm().getType() : Type(), op.getStream(),
                                   op.getLogNorm(), unit, op.getAlpha(), modulator, op.getScheduleAttr());

    SmallVector<Value> results(rotate->getResults());
    if (op.computesModulator())
      results.push_back(modulator);
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct NagDecompose : nag::impl::NagDecomposeBase<NagDecompose> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeUpdate>(&getContext());
    ConversionTarget target(getContext());
    target.addLegalDialect<NagDialect>();
    target.addIllegalOp<UpdateOp>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
