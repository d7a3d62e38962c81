//===- NagToRow.cpp - Every nag operation as a row program --------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "RowProgram.h"

#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Nag/IR/NagDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace nag {
#define GEN_PASS_DEF_NAGTOROW
#include "nag/Conversion/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;

namespace {

/// Collects the operands of a kernel, with what one token sees of each, then builds the kernel around a program.
class KernelBuilder {
public:
  KernelBuilder(PatternRewriter &rewriter, Operation *op)
      : rewriter(rewriter), op(op), rows(cast<RankedTensorType>(op->getOperand(0).getType())),
        arithmetic(getArithmeticType(rows.getElementType())) {}

  /// Adds an input; the result is its place among the inputs of the program.
  unsigned row(Value value) { return add(value, row::RowType::get(context(), width(), elementType(value))); }
  unsigned number(Value value) { return add(value, row::RowType::get(context(), {}, elementType(value))); }
  unsigned table(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return add(value, row::TableType::get(context(), type.getShape(), type.getElementType()));
  }

  /// Replaces the operation by a kernel of its results, whose program `body` writes.
  void replace(function_ref<void(RowProgram &, ValueRange inputs, ValueRange outputs)> body) {
    StringRef name = op->getName().stripDialect();
    Location loc = op->getLoc();
    SmallVector<Value> outputs;
    for (Value result : op->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<Value> sizes;
      for (int64_t i = 0; i < type.getRank(); ++i)
        if (type.isDynamicDim(i))
          sizes.push_back(tensor::DimOp::create(rewriter, loc, op->getOperand(0), i));
      outputs.push_back(tensor::EmptyOp::create(rewriter, loc, type, sizes));
      bool isRow = type.getRank() == rows.getRank();
      arguments.push_back(row::RowType::get(context(), isRow ? width() : ArrayRef<int64_t>(), type.getElementType()));
    }

    auto kernel = row::KernelOp::create(rewriter, loc, name, inputs, outputs, arguments);
    if (auto schedule = op->getAttrOfType<row::ScheduleAttr>("schedule"))
      kernel.setScheduleAttr(schedule);
    Block &block = kernel.getBody().front();
    ImplicitLocOpBuilder builder(loc, rewriter);
    builder.setInsertionPoint(block.getTerminator());
    RowProgram program(builder, arithmetic, rows.getShape().back(), keepsAllDigits());
    ValueRange values = block.getArguments();
    body(program, values.take_front(inputs.size()), values.drop_front(inputs.size()));
    rewriter.replaceOp(op, kernel.getResults());
  }

  FloatType arithmeticType() const { return arithmetic; }

private:
  MLIRContext *context() const { return op->getContext(); }
  ArrayRef<int64_t> width() const { return rows.getShape().take_back(1); }
  static Type elementType(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

  /// Whether a row that comes out has the digits that it was computed with.
  bool keepsAllDigits() const {
    return llvm::any_of(op->getResultTypes(), [&](Type result) {
      auto type = cast<RankedTensorType>(result);
      return type.getRank() == rows.getRank() && type.getElementType() == arithmetic;
    });
  }

  unsigned add(Value value, Type argument) {
    inputs.push_back(value);
    arguments.push_back(argument);
    return inputs.size() - 1;
  }

  PatternRewriter &rewriter;
  Operation *op;
  RankedTensorType rows;
  FloatType arithmetic;
  SmallVector<Value> inputs;
  SmallVector<Type> arguments;
};

double getTolerance(std::optional<APFloat> tol, FloatType arithmetic) {
  return tol ? tol->convertToDouble() : getDefaultTolerance(arithmetic);
}

//===--------------------------------------------------------------------------------------------------===//
// The small operations
//===--------------------------------------------------------------------------------------------------===//

struct LowerSplit : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SplitOp op, PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op);
    kernel.row(op.getResidual());
    kernel.replace([&](RowProgram &p, ValueRange in, ValueRange out) {
      MeasuredRow stream = p.measure(in[0]);
      p.store(p.times(stream.scaled.row, stream.inverseRms), out[0]);
      p.store(p.logNorm(stream), out[1]);
    });
    return success();
  }
};

struct LowerMerge : OpRewritePattern<MergeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MergeOp op, PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op);
    kernel.row(op.getDirection());
    kernel.number(op.getLogNorm());
    kernel.replace([&](RowProgram &p, ValueRange in, ValueRange out) {
      MeasuredRow direction = p.measure(in[0]);
      // exp(s) = exp(s/2)^2: exp(s) may be out of range where the elements of the row are not.
      Value half = math::ExpOp::create(p.b, arith::MulFOp::create(p.b, p.load(in[1]), p.constant(0.5)));
      half = arith::SelectOp::create(p.b, direction.isZero, p.constant(0.0), half);
      Value first = arith::MulFOp::create(p.b, direction.inverseRms, half);
      p.store(p.times(p.times(direction.scaled.row, first), half), out[0]);
    });
    return success();
  }
};

struct LowerCenter : OpRewritePattern<CenterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CenterOp op, PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op);
    kernel.row(op.getBranch());
    kernel.replace([&](RowProgram &p, ValueRange in, ValueRange out) {
      ScaledRow branch = p.scale(in[0]);
      p.store(p.times(p.center(branch), branch.scale), out[0]);
    });
    return success();
  }
};

struct LowerOrthogonalize : OpRewritePattern<OrthogonalizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(OrthogonalizeOp op, PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op);
    kernel.row(op.getCentered());
    kernel.row(op.getDirection());
    kernel.replace([&](RowProgram &p, ValueRange in, ValueRange out) {
      ScaledRow centered = p.scale(in[0]);
      MeasuredRow direction = p.measure(in[1]);
      p.store(p.times(p.orthogonalize(centered.row, direction), centered.scale), out[0]);
    });
    return success();
  }
};

struct LowerScale : OpRewritePattern<ScaleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaleOp op, PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op);
    kernel.row(op.getOrthogonal());
    kernel.row(op.getBranch());
    kernel.replace([&](RowProgram &p, ValueRange in, ValueRange out) {
      // Their ratio may be compared with any tolerance.
      ScaledRow orthogonal = p.scale(in[0], /*always=*/true);
      ScaledRow branch = p.scale(in[1], /*always=*/true);
      Value ratio = p.powerOfTwoRatio(orthogonal, branch);
      OrthogonalRow unit = p.normalize(orthogonal.row, p.dot(branch, branch), getTolerance(op.getTol(), p.type),
                                       /*streamIsZero=*/{}, ratio);
      p.store(p.times(unit.row, unit.inverseRms), out[0]);
    });
    return success();
  }
};

struct LowerModulate : OpRewritePattern<ModulateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ModulateOp op, PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op);
    kernel.row(op.getDirection());
    for (Value parameter : {op.getBeta(), op.getW(), op.getB(), op.getLogits()})
      kernel.table(parameter);
    kernel.replace([&](RowProgram &p, ValueRange in, ValueRange out) {
      p.store(p.modulate(p.measure(in[0]), in[1], in[2], in[3], in[4]), out[0]);
    });
    return success();
  }
};

//===--------------------------------------------------------------------------------------------------===//
// Rotations
//===--------------------------------------------------------------------------------------------------===//

/// Stores the rotated stream, in the form that has a place for it.
void storeRotated(RowProgram &p, Value stream, const MeasuredRow &measured, Value logNorm, const OrthogonalRow &unit,
                  Value amount, ValueRange out) {
  if (!logNorm)
    return p.store(p.rotateResidual(stream, measured, unit, amount), out[0]);
  Type storage = cast<row::RowType>(out[0].getType()).getElementType();
  p.store(p.rotateDirection(stream, measured, unit, amount, storage), out[0]);
  p.store(p.rotateLogNorm(p.load(logNorm), amount), out[1]);
}

struct LowerRotate : OpRewritePattern<RotateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RotateOp op, PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op);
    unsigned stream = kernel.row(op.getStream()), unit = kernel.row(op.getUnit()), alpha = kernel.table(op.getAlpha());
    std::optional<unsigned> logNorm, modulator;
    if (op.getLogNorm())
      logNorm = kernel.number(op.getLogNorm());
    if (op.getModulator())
      modulator = kernel.number(op.getModulator());
    kernel.replace([&](RowProgram &p, ValueRange in, ValueRange out) {
      Value row = p.load(in[stream]);
      MeasuredRow measured = p.measure(in[stream]);
      Value u = p.load(in[unit]);
      Value isLive = arith::AndIOp::create(p.b, p.isNot(p.measure(in[unit]).isZero), p.isNot(measured.isZero));
      Value amount = p.amount(in[alpha], modulator ? p.load(in[*modulator]) : Value(), isLive);
      storeRotated(p, row, measured, logNorm ? in[*logNorm] : Value(), {u, p.constant(1.0), isLive}, amount, out);
    });
    return success();
  }
};

struct LowerUpdate : OpRewritePattern<UpdateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UpdateOp op, PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op);
    unsigned stream = kernel.row(op.getStream()), branch = kernel.row(op.getBranch()),
             alpha = kernel.table(op.getAlpha());
    std::optional<unsigned> logNorm, given, parameters;
    if (op.isLaneForm())
      logNorm = kernel.number(op.getLogNorm());
    if (op.getGivenModulator())
      given = kernel.number(op.getGivenModulator());
    if (op.computesModulator()) {
      parameters = kernel.table(op.getBeta());
      for (Value parameter : {op.getW(), op.getB(), op.getLogits()})
        kernel.table(parameter);
    }
    kernel.replace([&](RowProgram &p, ValueRange in, ValueRange out) {
      Value row = p.load(in[stream]);
      MeasuredRow measured = p.measure(in[stream]);
      ScaledRow scaledBranch = p.scale(in[branch]);
      Value orthogonal = p.centerAndOrthogonalize(scaledBranch, measured);
      OrthogonalRow unit = p.normalize(orthogonal, p.dot(scaledBranch, scaledBranch), getTolerance(op.getTol(), p.type),
                                       measured.isZero);
      Value modulator;
      if (given)
        modulator = p.load(in[*given]);
      if (parameters) {
        unsigned i = *parameters;
        modulator = p.modulate(measured, in[i], in[i + 1], in[i + 2], in[i + 3]);
        p.store(modulator, out.back());
      }
      Value amount = p.amount(in[alpha], modulator, unit.isLive);
      storeRotated(p, row, measured, logNorm ? in[*logNorm] : Value(), unit, amount, out);
    });
    return success();
  }
};

struct NagToRow : nag::impl::NagToRowBase<NagToRow> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerSplit, LowerMerge, LowerCenter, LowerOrthogonalize, LowerScale, LowerModulate, LowerRotate,
                 LowerUpdate>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
