//===- Elementwise.cpp - Exact evaluation of element-wise operations ----------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Operations of `arith` and `math` on tensors, element by element. Sums, products, quotients and roots of numbers of at
// most 24 bits, taken in double and rounded, are the exact ones rounded; those of doubles are what the processor gives.

#include "nag/Reference/Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <functional>

using namespace mlir;
using namespace nag;

namespace {

/// An operation on numbers.
struct ElementFunction {
  std::function<double(ArrayRef<double>)> evaluate;
  /// Relative error of a target before it rounds the result; 0 where it rounds the exact one.
  double arithmetic = 0;
};

} // namespace

static bool compareNumbers(arith::CmpFPredicate predicate, double x, double y) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return x == y;
  case P::UEQ:
    return unordered || x == y;
  case P::ONE:
    return !unordered && x != y;
  case P::UNE:
    return unordered || x != y;
  case P::OLT:
    return x < y;
  case P::ULT:
    return unordered || x < y;
  case P::OLE:
    return x <= y;
  case P::ULE:
    return unordered || x <= y;
  case P::OGT:
    return x > y;
  case P::UGT:
    return unordered || x > y;
  case P::OGE:
    return x >= y;
  case P::UGE:
    return unordered || x >= y;
  }
  return false;
}

/// The larger of two numbers, +0 being larger than -0.
static double largerOf(double x, double y) { return x == y ? (std::signbit(x) ? y : x) : (x > y ? x : y); }

/// maximumf and minimumf give a NaN for one.
static double maximum(double x, double y) { return std::isnan(x) ? x : std::isnan(y) ? y : largerOf(x, y); }

/// maxnumf and minnumf give the other operand.
static double maxNum(double x, double y) { return std::isnan(x) ? y : std::isnan(y) ? x : largerOf(x, y); }

/// What `op` does to numbers; nothing where it is not known. Conditions are 0 and 1.
static ElementFunction getFunction(Operation *op) {
  using X = ArrayRef<double>;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  double arithmetic = type && type.getElementType().isF64() ? 0x1p-49 : 0x1p-20;
  bool isCondition = type && type.getElementType().isInteger(1);
  return llvm::TypeSwitch<Operation *, ElementFunction>(op)
      .Case([](arith::AddFOp) -> ElementFunction { return {[](X x) { return x[0] + x[1]; }}; })
      .Case([](arith::SubFOp) -> ElementFunction { return {[](X x) { return x[0] - x[1]; }}; })
      .Case([](arith::MulFOp) -> ElementFunction { return {[](X x) { return x[0] * x[1]; }}; })
      .Case([](arith::DivFOp) -> ElementFunction { return {[](X x) { return x[0] / x[1]; }}; })
      .Case([](arith::NegFOp) -> ElementFunction { return {[](X x) { return -x[0]; }}; })
      .Case([](arith::MaximumFOp) -> ElementFunction { return {[](X x) { return maximum(x[0], x[1]); }}; })
      .Case([](arith::MinimumFOp) -> ElementFunction { return {[](X x) { return -maximum(-x[0], -x[1]); }}; })
      .Case([](arith::MaxNumFOp) -> ElementFunction { return {[](X x) { return maxNum(x[0], x[1]); }}; })
      .Case([](arith::MinNumFOp) -> ElementFunction { return {[](X x) { return -maxNum(-x[0], -x[1]); }}; })
      .Case([](arith::CmpFOp compare) -> ElementFunction {
        return {[predicate = compare.getPredicate()](X x) { return compareNumbers(predicate, x[0], x[1]); }};
      })
      .Case([](arith::SelectOp) -> ElementFunction { return {[](X x) { return x[0] != 0 ? x[1] : x[2]; }}; })
      .Case([](arith::ExtFOp) -> ElementFunction { return {[](X x) { return x[0]; }}; })
      .Case([](arith::TruncFOp truncate) -> ElementFunction {
        if (truncate.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
            arith::RoundingMode::to_nearest_even)
          return {};
        return {[](X x) { return x[0]; }};
      })
      .Case([&](arith::AndIOp) -> ElementFunction {
        return isCondition ? ElementFunction{[](X x) { return x[0] * x[1]; }} : ElementFunction();
      })
      .Case([&](arith::OrIOp) -> ElementFunction {
        return isCondition ? ElementFunction{[](X x) { return std::max(x[0], x[1]); }} : ElementFunction();
      })
      .Case([&](arith::XOrIOp) -> ElementFunction {
        return isCondition ? ElementFunction{[](X x) { return x[0] != x[1]; }} : ElementFunction();
      })
      .Case([](math::AbsFOp) -> ElementFunction { return {[](X x) { return std::fabs(x[0]); }}; })
      .Case([](math::SqrtOp) -> ElementFunction { return {[](X x) { return std::sqrt(x[0]); }}; })
      .Case([](math::FmaOp) -> ElementFunction {
        // Rounded to double first, it may come out on the other side of a midpoint.
        return {[](X x) { return std::fma(x[0], x[1], x[2]); }, 0x1p-52};
      })
      .Case([=](math::ExpOp) -> ElementFunction { return {[](X x) { return std::exp(x[0]); }, arithmetic}; })
      .Case([=](math::LogOp) -> ElementFunction { return {[](X x) { return std::log(x[0]); }, arithmetic}; })
      .Case([=](math::Log1pOp) -> ElementFunction { return {[](X x) { return std::log1p(x[0]); }, arithmetic}; })
      .Default([](Operation *) { return ElementFunction(); });
}

/// How far the result may be from `exact` for operands that are off by `errors`: the functions are monotone in each
/// operand, so that corners decide.
static double carryErrors(const ElementFunction &function, ArrayRef<double> values, ArrayRef<double> errors,
                          double exact) {
  SmallVector<unsigned> uncertain;
  for (unsigned i = 0; i < errors.size(); ++i)
    if (errors[i] != 0)
      uncertain.push_back(i);
  double carried = 0;
  for (unsigned corner = 0; !uncertain.empty() && corner < 1u << uncertain.size(); ++corner) {
    SmallVector<double> moved(values);
    for (auto [bit, i] : llvm::enumerate(uncertain))
      moved[i] += corner >> bit & 1 ? errors[i] : -errors[i];
    double distance = std::fabs(function.evaluate(moved) - exact);
    if (std::isfinite(distance))
      carried = std::max(carried, distance);
  }
  return carried;
}

bool nag::isReferenceElementwise(Operation *op) {
  return op->getNumResults() == 1 && bool(getFunction(op).evaluate) &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

LogicalResult nag::evaluateElementwise(Operation *op, OperandLookup operands,
                                       SmallVectorImpl<ReferenceTensor> &results) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isCondition = type.getElementType().isInteger(1);
  std::optional<ElementType> element =
      isCondition ? std::optional(ElementType::F32) : getElementType(type.getElementType());
  if (!element || llvm::any_of(op->getOperandTypes(), [](Type operand) { return !isa<RankedTensorType>(operand); }))
    return op->emitOpError("cannot be evaluated by the reference: expected ranked tensors of f64, f32, f16 or bf16");
  ElementFunction function = getFunction(op);
  SmallVector<const ReferenceTensor *> from;
  for (Value operand : op->getOperands()) {
    from.push_back(&operands(operand));
    if (from.back()->getShape() != from.front()->getShape())
      return op->emitOpError("operand ") << from.size() - 1 << " is "
                                         << toString(from.back()->getShape(), from.back()->getType()) << "; expected "
                                         << toString(from.front()->getShape(), from.back()->getType());
  }
  SmallVector<int64_t> shape(from.front()->getShape());
  int64_t width = from.front()->getWidth();
  for (const ReferenceTensor *tensor : from)
    width = std::min(width, tensor->getWidth());
  ReferenceTensor to = results.emplace_back(*element, shape, width);
  SmallVector<double> values(from.size()), errors(from.size());
  for (int64_t row = 0; row < to.getNumRows(); ++row) {
    RowAllowance allowance;
    for (int64_t i = row * width; i < (row + 1) * width; ++i) {
      for (auto [k, tensor] : llvm::enumerate(from)) {
        values[k] = tensor->getStored(i);
        errors[k] = tensor->getStoredError(i);
        allowance.undecided |= tensor->isUndecided(i / tensor->getWidth()) || std::isinf(errors[k]);
      }
      double exact = function.evaluate(values), carried = carryErrors(function, values, errors, exact);
      to.setCarried(i, carried);
      // Every target rounds the exact result of exact operands to the same number.
      bool isSame = function.arithmetic == 0 && llvm::all_of(errors, [](double error) { return error == 0; });
      to.setExact(i, isSame ? roundTo(*element, exact) : exact);
      if (!isSame)
        allowance.units = std::max(1.0, function.arithmetic / getUnit(*element));
    }
    allowance.arithmetic = function.arithmetic;
    to.setAllowance(row, allowance);
  }
  return success();
}
