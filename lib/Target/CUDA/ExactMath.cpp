//===- ExactMath.cpp - Math that must not be approximated ---------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Takes math operations to LLVM's intrinsics where those are rounded correctly and libdevice is not.
//
//===--------------------------------------------------------------------------------------------------===//

#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "nag/Target/CUDA/Lowering.h"

using namespace mlir;

namespace {

/// math.OP %x ==> llvm.call_intrinsic "llvm.INTRINSIC"(%x)
///
/// Left to MLIR, math.sqrt becomes a call to libdevice, which is sqrt.approx, and math.absf and its like a call where
/// an instruction would do. LLVM knows the intrinsic, folds it, and selects sqrt.rn.
template <typename MathOp> struct ToIntrinsic : OpRewritePattern<MathOp> {
  ToIntrinsic(MLIRContext *context, StringRef intrinsic) : OpRewritePattern<MathOp>(context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(MathOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vectorType = dyn_cast<VectorType>(type);
    if (vectorType && vectorType.isScalable())
      return rewriter.notifyMatchFailure(op, "NVIDIA GPUs have no scalable vectors");
    SmallVector<Value> operands(op->getOperands());
    // LLVM's vectors have one dimension.
    if (vectorType && vectorType.getRank() != 1) {
      type = VectorType::get({vectorType.getNumElements()}, vectorType.getElementType());
      for (Value &operand : operands)
        operand = vector::ShapeCastOp::create(rewriter, op.getLoc(), type, operand);
    }
    LLVM::FastmathFlags flags = arith::convertArithFastMathFlagsToLLVM(op.getFastmath());
    Value result = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), type, rewriter.getStringAttr(intrinsic),
                                                 operands, LLVM::FastmathFlagsAttr::get(op.getContext(), flags))
                       .getResult(0);
    if (type != op.getType())
      result = vector::ShapeCastOp::create(rewriter, op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }

  StringRef intrinsic;
};

/// math.rsqrt %x ==> 1 / sqrt(%x), unless an approximation is allowed: the hardware's own reciprocal root is one.
struct DivideByRoot : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::RsqrtOp op, PatternRewriter &rewriter) const override {
    if (bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "an approximation is allowed");
    TypedAttr one = rewriter.getOneAttr(op.getType());
    Value dividend = arith::ConstantOp::create(rewriter, op.getLoc(), one);
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand(), op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, dividend, root, op.getFastmath());
    return success();
  }
};

} // namespace

void nag::populateExactMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DivideByRoot>(context);
  patterns.add<ToIntrinsic<math::SqrtOp>>(context, "llvm.sqrt");
  patterns.add<ToIntrinsic<math::AbsFOp>>(context, "llvm.fabs");
  patterns.add<ToIntrinsic<math::CopySignOp>>(context, "llvm.copysign");
  patterns.add<ToIntrinsic<math::FmaOp>>(context, "llvm.fma");
  patterns.add<ToIntrinsic<math::FloorOp>>(context, "llvm.floor");
  patterns.add<ToIntrinsic<math::CeilOp>>(context, "llvm.ceil");
  patterns.add<ToIntrinsic<math::TruncOp>>(context, "llvm.trunc");
  patterns.add<ToIntrinsic<math::RoundEvenOp>>(context, "llvm.rint");
}
