//===- NagFolds.cpp - What of the nag dialect canonicalizes, exact to the bit -------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//
//
// Folds and canonical forms of nag operations that leave every bit of every result as it was, NaNs included.
//
// Every operation: token sizes that one operand or result knows spread to all of them.
// `scale`, `update`: a tolerance that is the default is not written down.
// `rotate`, `update`: a modulator that is the constant 1 is left out.
//
// `split`, `merge`, `center`, `orthogonalize` and `modulate` have nothing of their own. What comes to mind is equal in
// exact arithmetic only and belongs into nag-simplify: each result is rounded to its element type, a row of one feature
// centres to zero unless it is NaN or Inf, `beta = 0` gives 1 unless the row holds a NaN. An `update` whose modulator
// result has no uses stays, since the amount still needs it, and no result can be dropped without changing operands.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Nag/IR/NagDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nag;

//===--------------------------------------------------------------------------------------------------===//
// Token sizes
//===--------------------------------------------------------------------------------------------------===//

/// Whether all tokens share `operand`, so that it has no token dimensions.
static bool isParameter(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  if (isa<ModulateOp>(operand.getOwner()))
    return number != 0;
  if (auto rotate = dyn_cast<RotateOp>(operand.getOwner()))
    return number == rotate.getAlphaMutable().getOperandNumber();
  if (auto update = dyn_cast<UpdateOp>(operand.getOwner())) {
    unsigned firstOfModulator = update.getODSOperandIndexAndLength(5).first;
    return number == update.getAlphaMutable().getOperandNumber() || number >= firstOfModulator;
  }
  return false;
}

/// Adds what `type` knows of the token sizes to `tokens`. Fails where the two contradict each other.
static LogicalResult meetSizes(MutableArrayRef<int64_t> tokens, RankedTensorType type) {
  for (auto [known, size] : llvm::zip(tokens, type.getShape())) {
    if (ShapedType::isDynamic(size))
      continue;
    if (!ShapedType::isDynamic(known) && known != size)
      return failure();
    known = size;
  }
  return success();
}

/// `type` with the token sizes `tokens`.
static RankedTensorType withTokenSizes(RankedTensorType type, ArrayRef<int64_t> tokens) {
  SmallVector<int64_t> shape(tokens);
  llvm::append_range(shape, type.getShape().drop_front(tokens.size()));
  return type.clone(shape);
}

/// %d = tensor.cast %x : [4, d] to [?, d]                  %y' = op %x : [4, d]
/// %y = op %d : [?, d]                              ==>    %y = tensor.cast %y' : [4, d] to [?, d]
///
/// All rows and token scalars of an operation have the same tokens, so that a size that one of them knows, or knew
/// before a cast, holds for all. Exact: sizes are no values. Sizes that only users of a result know are left alone,
/// since those need not run.
static LogicalResult spreadTokenSizes(Operation *op, PatternRewriter &rewriter) {
  size_t tokenRank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank() - 1;
  SmallVector<int64_t> tokens(tokenRank, ShapedType::kDynamic);
  auto contradiction = [&] { return rewriter.notifyMatchFailure(op, "token sizes contradict each other"); };
  for (OpOperand &operand : op->getOpOperands()) {
    if (isParameter(operand))
      continue;
    if (failed(meetSizes(tokens, cast<RankedTensorType>(operand.get().getType()))))
      return contradiction();
    // A cast that changes no rank is between ranked tensors of as many tokens.
    if (auto castOp = operand.get().getDefiningOp<tensor::CastOp>())
      if (auto source = dyn_cast<RankedTensorType>(castOp.getSource().getType()))
        if (failed(meetSizes(tokens, source)))
          return contradiction();
  }
  for (Type type : op->getResultTypes())
    if (failed(meetSizes(tokens, cast<RankedTensorType>(type))))
      return contradiction();

  bool changed = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (isParameter(operand) || withTokenSizes(type, tokens) == type)
      continue;
    RankedTensorType known = withTokenSizes(type, tokens);
    auto castOp = operand.get().getDefiningOp<tensor::CastOp>();
    Value value = castOp && castOp.getSource().getType() == known
                      ? castOp.getSource()
                      : tensor::CastOp::create(rewriter, op->getLoc(), known, operand.get()).getResult();
    rewriter.modifyOpInPlace(op, [&] { operand.set(value); });
    changed = true;
  }
  rewriter.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (withTokenSizes(type, tokens) == type)
      continue;
    rewriter.modifyOpInPlace(op, [&] { result.setType(withTokenSizes(type, tokens)); });
    auto castOp = tensor::CastOp::create(rewriter, op->getLoc(), type, result);
    rewriter.replaceAllUsesExcept(result, castOp, castOp);
    changed = true;
  }
  return changed ? success() : rewriter.notifyMatchFailure(op, "no token size to spread");
}

namespace {

template <typename OpTy> struct SpreadTokenSizes : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    return spreadTokenSizes(op, rewriter);
  }
};

//===--------------------------------------------------------------------------------------------------===//
// Attributes and operands that say nothing
//===--------------------------------------------------------------------------------------------------===//

/// scale %P relative_to %f {tol = 2^-20}  ==>  scale %P relative_to %f
///
/// Exact: the tolerance is the same number. With one spelling of it, equal operations are found to be equal.
template <typename OpTy> struct DropDefaultTolerance : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!op.getTol())
      return rewriter.notifyMatchFailure(op, "no tolerance is written down");
    auto rows = cast<RankedTensorType>(op->getOperand(0).getType());
    if (op.getTol()->convertToDouble() != getDefaultTolerance(getArithmeticType(rows.getElementType())))
      return rewriter.notifyMatchFailure(op, "the tolerance is not the default");
    rewriter.modifyOpInPlace(op, [&] { op.removeTolAttr(); });
    return success();
  }
};

/// rotate %R towards %u alpha %alpha modulator 1.0  ==>  rotate %R towards %u alpha %alpha
///
/// Exact: alpha * 1 is alpha, whatever alpha is.
struct DropUnitModulatorOfRotate : OpRewritePattern<RotateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RotateOp op, PatternRewriter &rewriter) const override {
    if (!op.getModulator() || !matchPattern(op.getModulator(), m_OneFloat()))
      return rewriter.notifyMatchFailure(op, "no modulator that is the constant 1");
    rewriter.modifyOpInPlace(op, [&] { op.getModulatorMutable().clear(); });
    return success();
  }
};

/// update %R branch %f alpha %alpha modulated_by 1.0  ==>  update %R branch %f alpha %alpha
///
/// Exact, as for rotate.
struct DropUnitModulatorOfUpdate : OpRewritePattern<UpdateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UpdateOp op, PatternRewriter &rewriter) const override {
    if (!op.getGivenModulator() || !matchPattern(op.getGivenModulator(), m_OneFloat()))
      return rewriter.notifyMatchFailure(op, "no given modulator that is the constant 1");
    rewriter.modifyOpInPlace(op, [&] { op.getGivenModulatorMutable().clear(); });
    return success();
  }
};

} // namespace

//===--------------------------------------------------------------------------------------------------===//
// Registration
//===--------------------------------------------------------------------------------------------------===//

void SplitOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SpreadTokenSizes<SplitOp>>(context);
}

void MergeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SpreadTokenSizes<MergeOp>>(context);
}

void CenterOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SpreadTokenSizes<CenterOp>>(context);
}

void OrthogonalizeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SpreadTokenSizes<OrthogonalizeOp>>(context);
}

void ScaleOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SpreadTokenSizes<ScaleOp>, DropDefaultTolerance<ScaleOp>>(context);
}

void ModulateOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SpreadTokenSizes<ModulateOp>>(context);
}

void RotateOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SpreadTokenSizes<RotateOp>, DropUnitModulatorOfRotate>(context);
}

void UpdateOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SpreadTokenSizes<UpdateOp>, DropDefaultTolerance<UpdateOp>, DropUnitModulatorOfUpdate>(context);
}
