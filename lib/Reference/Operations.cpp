//===- Operations.cpp - Exact evaluation of one operation ---------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Constants, and the way from an operation to its evaluation.

#include "nag/Reference/Operations.h"

#include "nag/Dialect/Nag/IR/NagDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nag;

static LogicalResult evaluateConstant(arith::ConstantOp op, SmallVectorImpl<ReferenceTensor> &results) {
  auto values = dyn_cast<DenseFPElementsAttr>(op.getValue());
  std::optional<ElementType> element = values ? getElementType(values.getElementType()) : std::nullopt;
  if (!element)
    return op.emitOpError("cannot be evaluated by the reference: expected a dense tensor of f64, f32, f16 or bf16");
  llvm::Expected<HostTensor> tensor = HostTensor::create(*element, values.getType().getShape());
  if (!tensor)
    return op.emitOpError(llvm::toString(tensor.takeError()));
  int64_t index = 0;
  for (const APFloat &value : values.getValues<APFloat>())
    tensor->set(index++, value.convertToDouble());
  results.emplace_back(std::make_shared<const HostTensor>(std::move(*tensor)));
  return success();
}

bool nag::isCompatibleShape(Type type, ArrayRef<int64_t> shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && succeeded(mlir::verifyCompatibleShape(tensor.getShape(), shape));
}

LogicalResult nag::evaluateOperation(Operation *op, OperandLookup operands, SmallVectorImpl<ReferenceTensor> &results) {
  LogicalResult evaluated =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](tensor::CastOp op) {
            results.push_back(operands(op.getSource()));
            return success();
          })
          .Case([&](arith::ConstantOp op) { return evaluateConstant(op, results); })
          .Default([&](Operation *op) -> LogicalResult {
            if (isa<NagDialect>(op->getDialect()))
              return evaluateNagOperation(op, operands, results);
            if (isReferenceElementwise(op))
              return evaluateElementwise(op, operands, results);
            return op->emitOpError(
                "cannot be evaluated by the reference, which knows the operations of the nag dialect, "
                "element-wise ones of arith and math, tensor.cast, arith.constant and func.call");
          });
  if (failed(evaluated))
    return failure();
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    if (!isCompatibleShape(result.getType(), results[index].getShape()))
      return op->emitOpError("result ") << index << " would be "
                                        << toString(results[index].getShape(), results[index].getType())
                                        << "; expected " << result.getType();
  return success();
}
