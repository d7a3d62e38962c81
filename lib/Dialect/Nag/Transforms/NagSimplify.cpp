//===- NagSimplify.cpp - Rewrites that hold in exact arithmetic only ----------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//
//
// The pass nag-simplify: what cancels in exact arithmetic, but not to the bit.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LanesOfSplit.h"

#include "nag/Dialect/Nag/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nag {
#define GEN_PASS_DEF_NAGSIMPLIFY
#include "nag/Dialect/Nag/Transforms/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;

/// Replaces `outer`, which does nothing to what `inner` gives but choose another type, by `inner` in that type.
template <typename OpTy> static LogicalResult replaceByInner(OpTy outer, OpTy inner, PatternRewriter &rewriter) {
  if (outer == inner)
    return rewriter.notifyMatchFailure(outer, "the operation is its own operand");
  Type type = outer.getType();
  if (inner.getType() == type) {
    rewriter.replaceOp(outer, inner);
    return success();
  }
  // Sizes that [?, d] in between let pass.
  if (failed(verifyCompatibleShape(inner->getOperand(0).getType(), type)))
    return rewriter.notifyMatchFailure(outer, "token sizes contradict each other");
  Operation *retyped = rewriter.clone(*inner);
  rewriter.modifyOpInPlace(retyped, [&] { retyped->getResult(0).setType(type); });
  rewriter.replaceOp(outer, retyped);
  return success();
}

namespace {

//===--------------------------------------------------------------------------------------------------===//
// Inverses
//===--------------------------------------------------------------------------------------------------===//

/// %D, %s = split %R
/// %R1 = merge %D, %s        ==>  %R
///
/// exp(log rms(R)) R / rms(R) = R; a zero row is zero either way.
struct MergeOfSplit : OpRewritePattern<MergeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MergeOp op, PatternRewriter &rewriter) const override {
    auto split = op.getDirection().getDefiningOp<SplitOp>();
    if (!split || op.getDirection() != split.getDirection() || op.getLogNorm() != split.getLogNorm())
      return rewriter.notifyMatchFailure(op, "direction and log-norm are not those of one split");
    if (op.getType() != split.getResidual().getType())
      return rewriter.notifyMatchFailure(op, "the residual would have another type");
    rewriter.replaceOp(op, split.getResidual());
    return success();
  }
};

/// %R = merge %D, %s
/// %D1, %s1 = split %R       ==>  %D, %s
///
/// rms(exp(s) D / rms(D)) = exp(s) where D is not zero, so that this gives s and D / rms(D). It is D where rms(D) = 1,
/// and a zero direction gives -inf whatever s is: both need lanes of a split.
struct SplitOfMerge : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SplitOp op, PatternRewriter &rewriter) const override {
    auto merge = op.getResidual().getDefiningOp<MergeOp>();
    if (!merge)
      return rewriter.notifyMatchFailure(op, "the residual is not merged from lanes");
    if (op->getResultTypes() != merge->getOperandTypes())
      return rewriter.notifyMatchFailure(op, "the lanes would have other types");
    if (!areLanesOfSplit(merge.getDirection(), merge.getLogNorm()))
      return rewriter.notifyMatchFailure(op, "the direction is not known to be normalised: not lanes of a split");
    rewriter.replaceOp(op, merge->getOperands());
    return success();
  }
};

//===--------------------------------------------------------------------------------------------------===//
// Projections
//===--------------------------------------------------------------------------------------------------===//

/// center(center(%f))  ==>  center(%f)
///
/// The mean of a centred row is 0.
struct CenterOfCenter : OpRewritePattern<CenterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CenterOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getBranch().getDefiningOp<CenterOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the branch is not centred");
    return replaceByInner(op, inner, rewriter);
  }
};

/// orthogonalize(orthogonalize(%f, %D), %D)  ==>  orthogonalize(%f, %D)
///
/// <P, D> = 0; a zero direction takes nothing away twice.
struct OrthogonalizeTwice : OpRewritePattern<OrthogonalizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(OrthogonalizeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getCentered().getDefiningOp<OrthogonalizeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the row is not orthogonalised");
    if (inner.getDirection() != op.getDirection())
      return rewriter.notifyMatchFailure(op, "the two directions are not the same value");
    return replaceByInner(op, inner, rewriter);
  }
};

/// %u = scale %P relative_to %f
/// %v = scale %u relative_to %u  ==>  %u
///
/// rms(u) is 1 or 0. A row of rms 1 passes the guard rms(u) > tol rms(u) if tol < 1; against another row nothing is
/// known.
struct ScaleOfScale : OpRewritePattern<ScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScaleOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getOrthogonal().getDefiningOp<ScaleOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the row is not scaled");
    if (op.getBranch() != inner.getUnit())
      return rewriter.notifyMatchFailure(op, "the guard compares with another row");
    if (op.getTol() && op.getTol()->convertToDouble() >= 1)
      return rewriter.notifyMatchFailure(op, "a tolerance of 1 or more makes every row zero");
    return replaceByInner(op, inner, rewriter);
  }
};

//===--------------------------------------------------------------------------------------------------===//
// No rotation
//===--------------------------------------------------------------------------------------------------===//

/// Whether a rotation by 0 gives its stream: always in residual form; in lane form the direction is renormalised, which
/// does nothing to lanes of a split only.
template <typename OpTy> static LogicalResult matchNoRotation(OpTy op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getAlpha(), m_AnyZeroFloat()))
    return rewriter.notifyMatchFailure(op, "alpha is not the constant 0");
  if (op.getLogNorm() && !areLanesOfSplit(op.getStream(), op.getLogNorm()))
    return rewriter.notifyMatchFailure(op, "the direction is not known to be normalised: not lanes of a split");
  if (llvm::is_contained(op->getResults(), op.getStream()))
    return rewriter.notifyMatchFailure(op, "the operation is its own operand");
  return success();
}

/// rotate %R towards %u alpha 0.0  ==>  %R
struct RotateByZero : OpRewritePattern<RotateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RotateOp op, PatternRewriter &rewriter) const override {
    if (failed(matchNoRotation(op, rewriter)))
      return failure();
    SmallVector<Value> results{op.getStream()};
    if (op.getLogNorm())
      results.push_back(op.getLogNorm());
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// %R1, %m = update %R branch %f alpha 0.0 modulator(%beta, %w, %b, %logits)
///   ==>
/// %R,  %m = modulate %R by(%beta, %w, %b, %logits)
struct UpdateByZero : OpRewritePattern<UpdateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UpdateOp op, PatternRewriter &rewriter) const override {
    if (failed(matchNoRotation(op, rewriter)))
      return failure();
    SmallVector<Value> results{op.getStream()};
    if (op.isLaneForm())
      results.push_back(op.getLogNorm());
    if (op.computesModulator())
      results.push_back(ModulateOp::create(rewriter, op.getLoc(), op.getModulator().getType(), op.getStream(),
                                           op.getBeta(), op.getW(), op.getB(), op.getLogits(), op.getScheduleAttr()));
    rewriter.replaceOp(op, results);
    return success();
  }
};

//===--------------------------------------------------------------------------------------------------===//
// Pass
//===--------------------------------------------------------------------------------------------------===//

struct NagSimplify : nag::impl::NagSimplifyBase<NagSimplify> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<MergeOfSplit, SplitOfMerge, CenterOfCenter, OrthogonalizeTwice, ScaleOfScale, RotateByZero, UpdateByZero>(
            &getContext());
    // Operations of other dialects are not ours to fold.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    if (succeeded(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return;
    getOperation()->emitError("nag-simplify did not come to an end within ")
        << config.getMaxIterations() << " iterations";
    signalPassFailure();
  }
};

} // namespace
