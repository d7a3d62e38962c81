//===- RowOps.cpp - Builders and interfaces of row operations -----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace nag::row;

/// The bare keyword: `row.reduce add %x`.
static ParseResult parseReduceKind(OpAsmParser &parser, ReduceKindAttr &kind) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<ReduceKind> value = symbolizeReduceKind(keyword);
  if (!value)
    return parser.emitError(loc, "expected a kind of reduction, add or umax, got '") << keyword << "'";
  kind = ReduceKindAttr::get(parser.getContext(), *value);
  return success();
}

static void printReduceKind(OpAsmPrinter &printer, Operation *, ReduceKindAttr kind) {
  printer << stringifyReduceKind(kind.getValue());
}

/// A constant that brings its type along: `127 : i32`.
static ParseResult parseTypedValue(OpAsmParser &parser, TypedAttr &value, Type &type) {
  if (parser.parseAttribute(value))
    return failure();
  type = value.getType();
  return success();
}

static void printTypedValue(OpAsmPrinter &printer, Operation *, TypedAttr value, Type) { printer << value; }

#define GET_OP_CLASSES
#include "nag/Dialect/Row/IR/RowOps.cpp.inc"

//===--------------------------------------------------------------------------------------------------===//
// KernelOp
//===--------------------------------------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, ValueRange inputs, ValueRange outputs,
                     TypeRange argumentTypes) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.kernel_name = builder.getStringAttr(name);
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()), static_cast<int32_t>(outputs.size())};
  state.addOperands(inputs);
  state.addOperands(outputs);
  for (Value output : outputs)
    if (isa<RankedTensorType>(output.getType()))
      state.addTypes(output.getType());

  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  block->addArguments(argumentTypes, SmallVector<Location>(argumentTypes.size(), state.location));
  YieldOp::create(builder, state.location);
}

int64_t KernelOp::getWidth() {
  for (BlockArgument argument : getBody().getArguments())
    if (auto row = dyn_cast<RowType>(argument.getType()); row && !row.getShape().empty())
      return row.getShape().front();
  return 0;
}

Value KernelOp::getTokenOperand() {
  for (BlockArgument argument : getBody().getArguments())
    if (isa<RowType>(argument.getType()))
      return getOperandOf(argument);
  return {};
}

int64_t KernelOp::getTokenRank() {
  for (BlockArgument argument : getBody().getArguments())
    if (auto row = dyn_cast<RowType>(argument.getType()))
      return cast<ShapedType>(getOperandOf(argument).getType()).getRank() - row.getShape().size();
  return 0;
}

MutableOperandRange KernelOp::getDpsInitsMutable() { return getOutputsMutable(); }

void KernelOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // On tensors the kernel is a pure function of its operands; the stores in its region are to its results.
  for (OpOperand &operand : getInputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand, SideEffects::DefaultResource::get());
  for (OpOperand &operand : getOutputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand, SideEffects::DefaultResource::get());
}

//===--------------------------------------------------------------------------------------------------===//
// MapOp
//===--------------------------------------------------------------------------------------------------===//

void MapOp::build(OpBuilder &builder, OperationState &state, Type elementType, ValueRange inputs,
                  function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  state.addOperands(inputs);
  state.addTypes(VecType::get(builder.getContext(), cast<VecType>(inputs.front().getType()).getWidth(), elementType));

  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (Value input : inputs)
    block->addArgument(cast<VecType>(input.getType()).getElementType(), state.location);
  YieldOp::create(builder, state.location, body(builder, state.location, block->getArguments()));
}
