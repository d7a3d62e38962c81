//===- MathToLibm.cpp - Calls to the C library --------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Turns the functions that no processor has into calls of libm, and leaves the others to LLVM.

#include "nag/Target/CPU/Passes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUMATHTOLIBM
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

namespace {

struct MathToLibm : nag::impl::NagCpuMathToLibmBase<MathToLibm> {
  using NagCpuMathToLibmBase::NagCpuMathToLibmBase;
  void runOnOperation() override {
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, BuiltinDialect, func::FuncDialect, vector::VectorDialect>();
    target.addIllegalDialect<math::MathDialect>();
    // LLVM has these correctly rounded, most of them in one instruction. (math-to-llvm would also take log1p and expm1,
    // but as log(1 + x) and exp(x) - 1, which lose every digit of a small x.)
    target.addLegalOp<math::SqrtOp, math::RsqrtOp, math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp,
                      math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp, math::CountLeadingZerosOp,
                      math::CountTrailingZerosOp, math::CtPopOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp,
                      math::IsNormalOp>();
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
