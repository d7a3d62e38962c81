//===- ElementwiseToRow.cpp - Element-wise operations on tensors as row programs ----------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The pass elementwise-to-row. Each operation is a kernel of its own, which stores what the operation rounds to;
// row-fuse joins them with their neighbours.

#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Nag/IR/NagDialect.h"
#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace nag {
#define GEN_PASS_DEF_ELEMENTWISETOROW
#include "nag/Conversion/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;

//===--------------------------------------------------------------------------------------------------===//
// What is converted
//===--------------------------------------------------------------------------------------------------===//

static Type getElementType(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

/// Whether a kernel can read or write `value`.
static bool isStorable(Value value) {
  return isa<Float32Type, Float64Type, Float16Type, BFloat16Type>(getElementType(value));
}

/// The attribute of a tensor whose elements are all the same.
static Attribute getSplat(Value value) {
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<Attribute>();
  return {};
}

/// Operations whose result is the exact one rounded once, or a function that every target has.
static bool isKnown(Operation *op) {
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    return truncate.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) ==
           arith::RoundingMode::to_nearest_even;
  // In f32, the result of 16-bit operands would be rounded twice.
  if (isa<math::FmaOp>(op))
    return isa<Float32Type, Float64Type>(getElementTypeOrSelf(op->getResult(0)));
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::SelectOp, arith::ExtFOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, math::AbsFOp, math::SqrtOp, math::ExpOp, math::LogOp,
             math::Log1pOp>(op);
}

/// Whether `op` is made of plain ranked tensors, whatever it is.
static bool isOnTensors(Operation *op) {
  return op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(llvm::concat<Value>(SmallVector<Value>(op->getOperands()), SmallVector<Value>(op->getResults())),
                      [](Value value) {
                        auto type = dyn_cast<RankedTensorType>(value.getType());
                        return type && !type.getEncoding() && (isStorable(value) || type.getElementType().isInteger(1));
                      });
}

/// Collects the tensors that are read to compute `op`: its operands, and those of the conditions among them, which no
/// kernel can store.
static LogicalResult collectInputs(Operation *op, llvm::SetVector<Value> &inputs, DenseSet<Operation *> &seen) {
  if (!isKnown(op) || !isOnTensors(op))
    return failure();
  for (Value operand : op->getOperands()) {
    if (getSplat(operand))
      continue;
    if (isStorable(operand)) {
      inputs.insert(operand);
      continue;
    }
    Operation *condition = operand.getDefiningOp();
    if (!condition || (seen.insert(condition).second && failed(collectInputs(condition, inputs, seen))))
      return failure();
  }
  return success();
}

//===--------------------------------------------------------------------------------------------------===//
// Rows and numbers
//===--------------------------------------------------------------------------------------------------===//

/// Tensors [tokens...] of a number for each token, as far as kernels around them tell: a shape alone does not.
static DenseSet<Value> findNumbers(Operation *root) {
  SmallVector<Value> worklist;
  root->walk([&](row::KernelOp kernel) {
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (auto row = dyn_cast<row::RowType>(argument.getType()); row && row.getShape().empty()) {
        worklist.push_back(kernel.getOperandOf(argument));
        if (unsigned index = argument.getArgNumber(); index >= kernel.getInputs().size() && kernel.getNumResults())
          worklist.push_back(kernel.getResult(index - kernel.getInputs().size()));
      }
  });
  DenseSet<Value> numbers;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!numbers.insert(value).second)
      continue;
    auto follow = [&](Operation *op) {
      if (op && isOnTensors(op)) {
        llvm::append_range(worklist, op->getOperands());
        worklist.push_back(op->getResult(0));
      }
    };
    follow(value.getDefiningOp());
    for (Operation *user : value.getUsers())
      follow(user);
  }
  return numbers;
}

//===--------------------------------------------------------------------------------------------------===//
// Programs
//===--------------------------------------------------------------------------------------------------===//

namespace {

/// Writes the program of one element, or of one number.
class ElementProgram {
public:
  ElementProgram(ImplicitLocOpBuilder &b, IRMapping &values) : b(b), values(values) {}

  /// What is stored for the result of `op`: computed as wide as kernels compute, rounded when it is stored. Sums,
  /// products, quotients and roots of 16-bit floats are the same rounded to f32 in between, which has more than twice
  /// their digits.
  Value compute(Operation *op) {
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return get(value); });
    Type element = getElementType(op->getResult(0));
    Type type = isa<FloatType>(element) ? Type(getArithmeticType(element)) : element;
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      return operands[0].getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
                 ? arith::ExtFOp::create(b, type, operands[0]).getResult()
                 : operands[0];
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      return arith::CmpFOp::create(b, compare.getPredicate(), operands[0], operands[1]);
    // Without attributes: what they allow beyond the exact result rounded would depend on what is fused.
    OperationState state(b.getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(type);
    return b.create(state)->getResult(0);
  }

private:
  Value get(Value tensor) {
    if (Value known = values.lookupOrNull(tensor))
      return known;
    Value value;
    if (Attribute splat = getSplat(tensor))
      value = constant(splat);
    else
      value = compute(tensor.getDefiningOp());
    values.map(tensor, value);
    return value;
  }

  Value constant(Attribute splat) {
    auto number = dyn_cast<FloatAttr>(splat);
    if (!number)
      return arith::ConstantOp::create(b, cast<IntegerAttr>(splat));
    FloatType type = getArithmeticType(number.getType());
    APFloat value = number.getValue();
    bool losesInfo;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return arith::ConstantOp::create(b, FloatAttr::get(type, value));
  }

  ImplicitLocOpBuilder &b;
  IRMapping &values;
};

struct ElementwiseToRow : nag::impl::ElementwiseToRowBase<ElementwiseToRow> {
  void runOnOperation() override {
    DenseSet<Value> numbers = findNumbers(getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (!op->getParentOfType<row::KernelOp>() && isOnTensors(op) && isStorable(op->getResult(0)))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      llvm::SetVector<Value> inputs;
      DenseSet<Operation *> seen;
      if (failed(collectInputs(op, inputs, seen)) || inputs.empty())
        continue;
      convert(rewriter, op, inputs.getArrayRef(), numbers.contains(op->getResult(0)));
    }
  }

private:
  /// Replaces `op` by a kernel, in which it is an operation on rows, or on numbers.
  static void convert(RewriterBase &rewriter, Operation *op, ArrayRef<Value> inputs, bool isNumber) {
    rewriter.setInsertionPoint(op);
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(tensor::DimOp::create(rewriter, loc, inputs.front(), i));
    Value output = tensor::EmptyOp::create(rewriter, loc, type, sizes);

    // Rows have a width that is known.
    isNumber |= type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1) || type.getShape().back() == 0;
    ArrayRef<int64_t> width = isNumber ? ArrayRef<int64_t>() : type.getShape().take_back(1);
    SmallVector<Type> arguments;
    for (Value input : inputs)
      arguments.push_back(row::RowType::get(rewriter.getContext(), width, getElementType(input)));
    arguments.push_back(row::RowType::get(rewriter.getContext(), width, type.getElementType()));

    auto kernel = row::KernelOp::create(rewriter, loc, op->getName().stripDialect(), inputs, output, arguments);
    Block &block = kernel.getBody().front();
    ImplicitLocOpBuilder b(loc, rewriter);
    b.setInsertionPoint(block.getTerminator());
    SmallVector<Value> loaded;
    for (BlockArgument argument : block.getArguments().drop_back()) {
      Type element = getArithmeticType(cast<row::RowType>(argument.getType()).getElementType());
      loaded.push_back(row::LoadOp::create(b, row::getLoadedType(argument.getType(), element), argument));
    }
    row::StoreOp::create(b, computeResult(b, op, inputs, loaded, isNumber), block.getArguments().back());
    rewriter.replaceOp(op, kernel.getResults());
  }

  static Value computeResult(ImplicitLocOpBuilder &b, Operation *op, ArrayRef<Value> inputs, ArrayRef<Value> loaded,
                             bool isNumber) {
    auto compute = [&](ImplicitLocOpBuilder &b, ValueRange elements) {
      IRMapping values;
      values.map(inputs, elements);
      return ElementProgram(b, values).compute(op);
    };
    if (isNumber)
      return compute(b, loaded);
    // A conversion is in the load and the store.
    Type element = getElementType(op->getResult(0)), computed = getArithmeticType(element);
    Type from = cast<row::VecType>(loaded.front().getType()).getElementType();
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) && from.getIntOrFloatBitWidth() >= computed.getIntOrFloatBitWidth())
      return loaded.front();
    return row::MapOp::create(b, b.getLoc(), computed, loaded,
                              [&](OpBuilder &nested, Location loc, ValueRange elements) {
                                ImplicitLocOpBuilder builder(loc, nested);
                                return compute(builder, elements);
                              });
  }
};

} // namespace
