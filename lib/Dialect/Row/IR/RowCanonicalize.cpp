//===- RowCanonicalize.cpp - Canonical forms of row operations, all exact to the bit ------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace nag::row;

namespace {

/// Takes input `index` and its block argument, which nothing uses, from `kernel`.
void eraseInput(PatternRewriter &rewriter, KernelOp kernel, unsigned index) {
  rewriter.modifyOpInPlace(kernel, [&]() {
    kernel.getInputsMutable().erase(index);
    kernel.getBody().front().eraseArgument(index);
  });
}

/// row.load of a table that is a small constant  ==>  the constant, within the kernel
///
/// Targets whose kernels cannot reach the constants of the host then have nothing to reach for.
struct ConstantTable : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(KernelOp kernel, PatternRewriter &rewriter) const override {
    for (auto [index, input] : llvm::enumerate(kernel.getInputs())) {
      BlockArgument argument = kernel.getBody().getArgument(index);
      auto table = dyn_cast<TableType>(argument.getType());
      DenseFPElementsAttr value;
      if (!table || table.getShape().size() > 1 || argument.use_empty() || !matchPattern(input, m_Constant(&value)))
        continue;
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        auto load = cast<LoadOp>(user);
        auto type = cast<FloatType>(getElementTypeOrSelf(load.getType()));
        SmallVector<APFloat> elements;
        for (APFloat element : value.getValues<APFloat>()) {
          bool losesInfo;
          element.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
          elements.push_back(element);
        }
        TypedAttr constant = FloatAttr::get(type, elements.front());
        if (auto vector = dyn_cast<VectorType>(load.getType()))
          constant = DenseElementsAttr::get(vector, elements);
        rewriter.setInsertionPoint(load);
        rewriter.replaceOpWithNewOp<arith::ConstantOp>(load, constant);
      }
      eraseInput(rewriter, kernel, index);
      return success();
    }
    return rewriter.notifyMatchFailure(kernel, "no input is a small constant table");
  }
};

/// An input that the program does not use  ==>  no input
struct UnusedInput : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(KernelOp kernel, PatternRewriter &rewriter) const override {
    for (unsigned index = 0, e = kernel.getInputs().size(); index < e; ++index)
      if (kernel.getBody().getArgument(index).use_empty()) {
        eraseInput(rewriter, kernel, index);
        return success();
      }
    return rewriter.notifyMatchFailure(kernel, "every input is used");
  }
};

/// The same operand twice, seen as the same  ==>  once
struct SameInput : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(KernelOp kernel, PatternRewriter &rewriter) const override {
    Block &block = kernel.getBody().front();
    for (unsigned index = 0, e = kernel.getInputs().size(); index < e; ++index)
      for (unsigned earlier = 0; earlier < index; ++earlier)
        if (kernel.getInputs()[index] == kernel.getInputs()[earlier] &&
            block.getArgument(index).getType() == block.getArgument(earlier).getType()) {
          rewriter.replaceAllUsesWith(block.getArgument(index), block.getArgument(earlier));
          eraseInput(rewriter, kernel, index);
          return success();
        }
    return rewriter.notifyMatchFailure(kernel, "no two inputs are the same");
  }
};

/// A result that nobody uses  ==>  no result, and no store
struct UnusedResult : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(KernelOp kernel, PatternRewriter &rewriter) const override {
    if (llvm::none_of(kernel.getResults(), [](Value result) { return result.use_empty(); }) || kernel.use_empty())
      return rewriter.notifyMatchFailure(kernel, "every result is used, or none is");
    Block &body = kernel.getBody().front();
    SmallVector<Value> outputs, results;
    BitVector unused(body.getNumArguments());
    for (auto [index, output, result] : llvm::enumerate(kernel.getOutputs(), kernel.getResults())) {
      if (!result.use_empty()) {
        outputs.push_back(output);
        results.push_back(result);
        continue;
      }
      unsigned argument = kernel.getInputs().size() + index;
      unused.set(argument);
      for (Operation *store : llvm::make_early_inc_range(body.getArgument(argument).getUsers()))
        rewriter.eraseOp(store);
    }
    rewriter.modifyOpInPlace(kernel, [&]() { body.eraseArguments(unused); });
    auto narrower = KernelOp::create(rewriter, kernel.getLoc(), kernel.getKernelName(), kernel.getInputs(), outputs,
                                     body.getArgumentTypes());
    narrower.setScheduleAttr(kernel.getScheduleAttr());
    narrower->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
    rewriter.eraseBlock(&narrower.getBody().front());
    rewriter.inlineRegionBefore(kernel.getBody(), narrower.getBody(), narrower.getBody().end());
    for (auto [old, result] : llvm::zip_equal(results, narrower.getResults()))
      rewriter.replaceAllUsesWith(old, result);
    rewriter.eraseOp(kernel);
    return success();
  }
};

} // namespace

void KernelOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConstantTable, UnusedInput, SameInput, UnusedResult>(context);
}
