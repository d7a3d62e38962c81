//===- Operations.cpp - Exact evaluation of one operation ---------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Casts and constants, and the way from an operation to its evaluation.

#include "nag/Reference/Operations.h"

#include "nag/Dialect/Nag/IR/NagDialect.h"
#include "nag/Reference/RowMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Parallel.h"

using namespace mlir;
using namespace nag;

/// arith.extf and arith.truncf on tensors: the stored value, rounded once where it gets narrower.
static LogicalResult evaluateCast(Operation *op, OperandLookup operands, SmallVectorImpl<ReferenceTensor> &results) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<ElementType> element = type ? getElementType(type.getElementType()) : std::nullopt;
  if (!element)
    return op->emitOpError("cannot be evaluated by the reference: expected a ranked tensor of f64, f32, f16 or bf16");
  const ReferenceTensor &from = operands(op->getOperand(0));
  ReferenceTensor to = results.emplace_back(*element, from.getShape(), from.getWidth());
  bool narrows = getPrecision(*element) < getPrecision(from.getType());
  int64_t width = from.getWidth();
  llvm::parallelFor(0, size_t(from.getNumRows()), [&](size_t row) {
    std::vector<double> values(static_cast<size_t>(width));
    for (int64_t i = 0; i < width; ++i) {
      int64_t index = int64_t(row) * width + i;
      values[size_t(i)] = from.getStored(index);
      double error = from.getStoredError(index);
      // Every target rounds an exact operand to the same bits.
      to.setExact(index, from.isExact() ? roundTo(*element, values[size_t(i)]) : values[size_t(i)]);
      to.setCarried(index, std::isfinite(error) ? error : 0);
    }
    double scale = rms(values);
    RowAllowance allowance;
    allowance.scale = std::isfinite(scale) ? scale : 0;
    if (narrows && !from.isExact())
      allowance.units = 1;
    allowance.undecided = from.isUndecided(int64_t(row));
    to.setAllowance(int64_t(row), allowance);
  });
  return success();
}

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
          .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *op) { return evaluateCast(op, operands, results); })
          .Case([&](arith::ConstantOp op) { return evaluateConstant(op, results); })
          .Default([&](Operation *op) -> LogicalResult {
            if (isa<NagDialect>(op->getDialect()))
              return evaluateNagOperation(op, operands, results);
            return op->emitOpError(
                "cannot be evaluated by the reference, which knows the operations of the nag dialect, "
                "tensor.cast, arith.constant, arith.extf, arith.truncf and func.call");
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
