//===- RowVerifiers.cpp - Verifiers of row operations, by the constraint numbers of RowOps.td ---------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace nag::row;

//===--------------------------------------------------------------------------------------------------===//
// KernelOp
//===--------------------------------------------------------------------------------------------------===//

/// Whether `argument` can stand for what one token sees of an operand of type `operand`.
static bool fits(Type argument, ShapedType operand) {
  if (auto row = dyn_cast<RowType>(argument))
    return row.getElementType() == operand.getElementType() &&
           operand.getRank() >= static_cast<int64_t>(row.getShape().size()) &&
           operand.getShape().take_back(row.getShape().size()) == row.getShape();
  if (auto table = dyn_cast<TableType>(argument))
    return table.getElementType() == operand.getElementType() && operand.getShape() == table.getShape();
  return false;
}

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// Whether `op` computes small things from small things, the same for all who hold a part of the row.
static bool isScalarCode(Operation &op) {
  auto isSmall = [](Type type) { return isScalar(type) || isa<VectorType>(type); };
  return isMemoryEffectFree(&op) && op.getNumRegions() == 0 && llvm::all_of(op.getOperandTypes(), isSmall) &&
         llvm::all_of(op.getResultTypes(), isSmall);
}

LogicalResult KernelOp::verify() {
  if (getOutputs().empty())
    return emitOpError("(C4) expected at least one output");
  for (Value operand : getOperands())
    if (isa<TensorType>(operand.getType()) != isa<TensorType>(getOutputs().front().getType()))
      return emitOpError("(C7) expected operands that are all tensors or all memrefs, got ")
             << operand.getType() << " beside " << getOutputs().front().getType();
  if (getNumResults() != 0) {
    if (getResultTypes() != TypeRange(getOutputs()))
      return emitOpError("(C4) expected results of the types of the outputs, ")
             << TypeRange(getOutputs()) << ", got " << getResultTypes();
  } else if (isa<TensorType>(getOutputs().front().getType())) {
    return emitOpError("(C4) expected a result for every output on tensors");
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getNumOperands())
    return emitOpError("(C1) expected a block argument for each of ")
           << getNumOperands() << " operands, got " << block.getNumArguments();

  // What is known of the token dimensions; a size that one operand leaves open, another one may fix.
  std::optional<SmallVector<int64_t>> tokens;
  int64_t width = getWidth();
  for (BlockArgument argument : block.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto operand = cast<ShapedType>(getOperandOf(argument).getType());
    if (!fits(argument.getType(), operand))
      return emitOpError("(C1) expected block argument #")
             << index << " to be a row or a table of operand " << operand << ", got " << argument.getType();
    auto row = dyn_cast<RowType>(argument.getType());
    if (!row) {
      if (index >= getInputs().size())
        return emitOpError("(C4) expected block argument #")
               << index << ", an output, to be a row, got " << argument.getType();
      continue;
    }
    ArrayRef<int64_t> leading = operand.getShape().drop_back(row.getShape().size());
    if (!tokens)
      tokens.emplace(leading);
    if (failed(verifyCompatibleShape(*tokens, leading)))
      return emitOpError("(C2) expected the token dimensions of operand #")
             << index << ", " << operand << ", to match those of the operands before it";
    for (auto [known, size] : llvm::zip(*tokens, leading))
      if (ShapedType::isDynamic(known))
        known = size;
    if (!row.getShape().empty() && row.getShape().front() != width)
      return emitOpError("(C3) expected rows of width ") << width << ", got " << row << " as block argument #" << index;
  }

  SmallVector<int64_t> stores(getOutputs().size(), 0);
  for (Operation &op : block.without_terminator()) {
    for (Type type : llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()))
      if (auto vec = dyn_cast<VecType>(type); vec && vec.getWidth() != width)
        return op.emitOpError("(C3) expected row vectors of the kernel's width ") << width << ", got " << vec;
    if (auto store = dyn_cast<StoreOp>(op)) {
      auto destination = dyn_cast<BlockArgument>(store.getDestination());
      if (!destination || destination.getArgNumber() < getInputs().size())
        return store.emitOpError("(C1) expected an output of the kernel as destination");
      ++stores[destination.getArgNumber() - getInputs().size()];
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      auto source = dyn_cast<BlockArgument>(load.getSource());
      if (!source || source.getArgNumber() >= getInputs().size())
        return load.emitOpError("(C1) expected an input of the kernel as source");
    } else if (!isa_and_nonnull<RowDialect>(op.getDialect()) && !isScalarCode(op)) {
      return op.emitOpError("(C5) is not allowed in a row.kernel: expected an operation without memory effects and "
                            "regions on scalars and small vectors");
    }
  }
  for (auto [index, count] : llvm::enumerate(stores))
    if (count != 1)
      return emitOpError("(C6) expected exactly one store to output #") << index << ", got " << count;
  return success();
}

//===--------------------------------------------------------------------------------------------------===//
// Access
//===--------------------------------------------------------------------------------------------------===//

/// Whether a value of `type` is what `reference` holds, in an element type of at least its width.
static bool holds(Type reference, Type type) {
  // A matrix is contracted with, never held.
  if (auto table = dyn_cast<TableType>(reference); table && table.getShape().size() > 1)
    return false;
  Type element = isa<VecType>(type) ? cast<VecType>(type).getElementType() : getElementTypeOrSelf(type);
  Type stored =
      isa<RowType>(reference) ? cast<RowType>(reference).getElementType() : cast<TableType>(reference).getElementType();
  return isa<Float32Type, Float64Type>(element) &&
         (element == stored || element.getIntOrFloatBitWidth() > stored.getIntOrFloatBitWidth()) &&
         getLoadedType(reference, element) == type;
}

/// Whether `type` is what is read of `reference`, or stored to it, as it is stored or as bits.
static bool holdsStored(Type reference, Type type) {
  auto row = dyn_cast<RowType>(reference);
  auto vec = dyn_cast<VecType>(type);
  return row && vec && row.getShape() == ArrayRef(vec.getWidth()) &&
         (vec.getElementType() == row.getElementType() ||
          vec.getElementType().isSignlessInteger(row.getElementType().getIntOrFloatBitWidth()));
}

LogicalResult LoadOp::verify() {
  if (holds(getSource().getType(), getType()) || holdsStored(getSource().getType(), getType()))
    return success();
  if (auto table = dyn_cast<TableType>(getSource().getType()); table && table.getShape().size() > 1)
    return emitOpError("(C2) expected a row, or a table of at most one dimension, got ") << table;
  return emitOpError("(C2) expected a result of the shape of ")
         << getSource().getType()
         << " in f32 or f64, not narrower than what is stored, or of a row what is stored or its bits, got "
         << getType();
}

LogicalResult StoreOp::verify() {
  if (holds(getDestination().getType(), getValue().getType()) ||
      holdsStored(getDestination().getType(), getValue().getType()))
    return success();
  return emitOpError("(C2) expected a value of the shape of ")
         << getDestination().getType()
         << " in f32 or f64, not narrower than what is stored, or of a row what is stored or its bits, got "
         << getValue().getType();
}

//===--------------------------------------------------------------------------------------------------===//
// Computation
//===--------------------------------------------------------------------------------------------------===//

LogicalResult MapOp::verify() {
  for (Value input : getInputs())
    if (cast<VecType>(input.getType()).getWidth() != getType().getWidth())
      return emitOpError("(C1) expected operands of the width of the result, ")
             << getType() << ", got " << input.getType();
  return success();
}

LogicalResult MapOp::verifyRegions() {
  Block &block = getBody().front();
  auto elementTypes =
      llvm::map_range(getInputs(), [](Value input) -> Type { return cast<VecType>(input.getType()).getElementType(); });
  if (!llvm::equal(block.getArgumentTypes(), elementTypes))
    return emitOpError("(C1) expected a block argument of the element type of each operand");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != 1 || yield.getOperand(0).getType() != getType().getElementType())
    return emitOpError("(C1) expected the region to yield one ") << getType().getElementType();
  for (Operation &op : block.without_terminator())
    if ((!OpTrait::hasElementwiseMappableTraits(&op) && !op.hasTrait<OpTrait::ConstantLike>()) ||
        !llvm::all_of(op.getOperandTypes(), isScalar) || !llvm::all_of(op.getResultTypes(), isScalar))
      return op.emitOpError("(C2) is not an elementwise operation on scalars");
  return success();
}

LogicalResult NarrowOp::verify() {
  VecType from = getInput().getType(), to = getType();
  if (!from.getElementType().isF32() || !isa<BFloat16Type, Float16Type>(to.getElementType()) ||
      from.getWidth() != to.getWidth())
    return emitOpError("(C1) expected f32 to become bf16 or f16 of the same width, got ") << from << " -> " << to;
  return success();
}

LogicalResult ReduceOp::verify() {
  Type elementType = getInput().getType().getElementType();
  if (getType() != getSumType(elementType))
    return emitOpError("(C1) expected a result of type ") << getSumType(elementType) << ", got " << getType();
  bool isFloat = isa<FloatType>(elementType);
  if (isFloat != (getKind() == ReduceKind::Add))
    return emitOpError("(C2) expected ") << (isFloat ? "add" : "umax") << " for elements of " << elementType;
  if (!getFactor())
    return success();
  if (getKind() != ReduceKind::Add)
    return emitOpError("(C3) expected no 'times' beside ") << stringifyReduceKind(getKind());
  if (getFactor().getType() != getInput().getType())
    return emitOpError("(C3) expected a factor of type ") << getInput().getType() << ", got " << getFactor().getType();
  return success();
}

LogicalResult ExpectOp::verify() {
  if (getValue().getType() != getType())
    return emitOpError("(C1) expected a value of type ") << getType() << ", got " << getValue().getType();
  return success();
}

LogicalResult ContractOp::verify() {
  ArrayRef<int64_t> shape = getTable().getType().getShape();
  VecType input = getInput().getType();
  if (shape.size() != 2 || shape[1] != input.getWidth())
    return emitOpError("(C1) expected a table of [C, ") << input.getWidth() << "], got " << getTable().getType();
  auto expected = VectorType::get(shape.front(), getSumType(input.getElementType()));
  if (getType() != expected)
    return emitOpError("(C2) expected a result of type ") << expected << ", got " << getType();
  return success();
}
