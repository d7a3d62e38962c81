//===- NagOps.cpp - Result types and shapes of nag operations -----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Nag/IR/NagDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace nag;

#define GET_OP_CLASSES
#include "nag/Dialect/Nag/IR/NagOps.cpp.inc"

//===--------------------------------------------------------------------------------------------------===//
// Result types
//===--------------------------------------------------------------------------------------------------===//

/// [tokens...] in the arithmetic type, for rows [tokens..., d]. Rows of rank 0 have no such type; the verifier says so,
/// in words that inference does not have.
static FailureOr<RankedTensorType> getTokenScalarsType(std::optional<Location> location, Value rows) {
  auto type = dyn_cast<RankedTensorType>(rows.getType());
  if (!type || !isa<FloatType>(type.getElementType()))
    return emitOptionalError(location, "expected rows as a ranked tensor of floats, got ", rows.getType());
  ArrayRef<int64_t> tokens = type.getRank() ? type.getShape().drop_back() : ArrayRef<int64_t>();
  return RankedTensorType::get(tokens, getArithmeticType(type.getElementType()));
}

/// Row results may be asked for in another element type than the inferred one. Verifiers say what is wrong with
/// results, their number included, in terms of the operation, so that nothing is left to the interface.
#define NAG_RESULT_TYPES(OP)                                                                                           \
  bool OP::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }                                              \
  LogicalResult OP::inferReturnTypes(MLIRContext *, [[maybe_unused]] std::optional<Location> location, Adaptor op,     \
                                     SmallVectorImpl<Type> &types)

NAG_RESULT_TYPES(SplitOp) {
  FailureOr<RankedTensorType> scalars = getTokenScalarsType(location, op.getResidual());
  if (failed(scalars))
    return failure();
  types.assign({op.getResidual().getType(), *scalars});
  return success();
}

NAG_RESULT_TYPES(MergeOp) {
  types.push_back(op.getDirection().getType());
  return success();
}

NAG_RESULT_TYPES(CenterOp) {
  types.push_back(op.getBranch().getType());
  return success();
}

NAG_RESULT_TYPES(OrthogonalizeOp) {
  types.push_back(op.getCentered().getType());
  return success();
}

NAG_RESULT_TYPES(ScaleOp) {
  types.push_back(op.getOrthogonal().getType());
  return success();
}

NAG_RESULT_TYPES(ModulateOp) {
  FailureOr<RankedTensorType> scalars = getTokenScalarsType(location, op.getDirection());
  if (failed(scalars))
    return failure();
  types.push_back(*scalars);
  return success();
}

NAG_RESULT_TYPES(RotateOp) {
  types.push_back(op.getStream().getType());
  if (Value logNorm = op.getLogNorm())
    types.push_back(logNorm.getType());
  return success();
}

NAG_RESULT_TYPES(UpdateOp) {
  types.push_back(op.getStream().getType());
  if (Value logNorm = op.getLogNorm())
    types.push_back(logNorm.getType());
  if (op.getW()) {
    FailureOr<RankedTensorType> scalars = getTokenScalarsType(location, op.getStream());
    if (failed(scalars))
      return failure();
    types.push_back(*scalars);
  }
  return success();
}

//===--------------------------------------------------------------------------------------------------===//
// Result shapes
//===--------------------------------------------------------------------------------------------------===//

/// Every result has the leading dimensions of the first operand, and its last one where the ranks are equal.
static LogicalResult reifyFromFirstOperand(OpBuilder &builder, Operation *op, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> rows = tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(0));
  for (Type type : op->getResultTypes())
    shapes.push_back(SmallVector<OpFoldResult>(ArrayRef(rows).take_front(cast<RankedTensorType>(type).getRank())));
  return success();
}

#define NAG_RESULT_SHAPES(OP)                                                                                          \
  LogicalResult OP::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {                       \
    return reifyFromFirstOperand(builder, *this, shapes);                                                              \
  }

NAG_RESULT_SHAPES(SplitOp)
NAG_RESULT_SHAPES(MergeOp)
NAG_RESULT_SHAPES(CenterOp)
NAG_RESULT_SHAPES(OrthogonalizeOp)
NAG_RESULT_SHAPES(ScaleOp)
NAG_RESULT_SHAPES(ModulateOp)
NAG_RESULT_SHAPES(RotateOp)
NAG_RESULT_SHAPES(UpdateOp)
