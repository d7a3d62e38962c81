//===- Evaluator.cpp - Exact evaluation of functions of nag operations --------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Walks a function in order, once with values and once with shapes alone.

#include "nag/Reference/Evaluator.h"

#include "nag/Dialect/Nag/IR/NagDialect.h"
#include "nag/Reference/Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace nag;

namespace {

/// Walks functions whose values are each a `T`, and keeps a value for as long as it has uses to come.
template <class T> class Walker {
public:
  /// Evaluates one operation: looks up operands, appends results.
  using Step = function_ref<LogicalResult(Operation *, function_ref<const T &(Value)>, SmallVectorImpl<T> &)>;

  explicit Walker(Step step) : step(step) {}

  FailureOr<SmallVector<T>> call(func::FuncOp function, ArrayRef<T> arguments) {
    if (function.isExternal())
      return function.emitError("function '") << function.getName() << "' has no body to evaluate";
    if (!llvm::hasSingleElement(function.getBody()))
      return function.emitError("function '")
             << function.getName() << "' branches; the reference evaluates functions of one block";
    if (llvm::is_contained(active, function))
      return function.emitError("function '") << function.getName() << "' calls itself";
    active.push_back(function);

    Block &body = function.getBody().front();
    DenseMap<Value, T> values;
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
      values.try_emplace(argument, value);
    auto lookup = [&](Value value) -> const T & { return values.find(value)->second; };

    for (Operation &op : body.without_terminator()) {
      SmallVector<T> results;
      if (auto callOp = dyn_cast<func::CallOp>(op)) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(&op, callOp.getCalleeAttr());
        SmallVector<T> operands = llvm::map_to_vector(op.getOperands(), lookup);
        FailureOr<SmallVector<T>> called = call(callee, operands);
        if (failed(called))
          return failure();
        results = std::move(*called);
      } else if (failed(step(&op, lookup, results))) {
        return failure();
      }
      for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
        values.try_emplace(result, std::move(value));
      for (Value operand : op.getOperands())
        if (!isUsedAfter(operand, &op))
          values.erase(operand);
    }
    active.pop_back();
    return llvm::map_to_vector(body.getTerminator()->getOperands(), lookup);
  }

private:
  static bool isUsedAfter(Value value, Operation *op) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return op->isBeforeInBlock(user); });
  }

  Step step;
  SmallVector<func::FuncOp> active;
};

} // namespace

FailureOr<SmallVector<ReferenceTensor>> nag::evaluateReference(func::FuncOp function,
                                                               ArrayRef<ReferenceTensor> arguments) {
  if (function.getNumArguments() != arguments.size())
    return function.emitError("expected ") << function.getNumArguments() << " arguments, got " << arguments.size();
  for (auto [index, type, argument] : llvm::enumerate(function.getArgumentTypes(), arguments)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!isCompatibleShape(type, argument.getShape()) || getElementType(tensor.getElementType()) != argument.getType())
      return function.emitError("argument ")
             << index << " is " << toString(argument.getShape(), argument.getType()) << "; expected " << type;
  }
  return Walker<ReferenceTensor>(evaluateOperation).call(function, arguments);
}

/// Results of `nag` operations have the leading dimensions of their first operand, and its last where ranks are equal.
static LogicalResult inferShapes(Operation *op, function_ref<const SmallVector<int64_t> &(Value)> operands,
                                 SmallVectorImpl<SmallVector<int64_t>> &results) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto type = dyn_cast<RankedTensorType>(constant.getType())) {
      results.emplace_back(type.getShape());
      return success();
    }
  } else if (isa<tensor::CastOp>(op) || isReferenceElementwise(op)) {
    results.push_back(operands(op->getOperand(0)));
    return success();
  } else if (isa<NagDialect>(op->getDialect())) {
    ArrayRef<int64_t> rows = operands(op->getOperand(0));
    for (Type type : op->getResultTypes())
      results.emplace_back(rows.take_front(size_t(cast<RankedTensorType>(type).getRank())));
    return success();
  }
  return op->emitOpError("has result shapes that the reference cannot tell");
}

FailureOr<SmallVector<SmallVector<int64_t>>> nag::inferResultShapes(func::FuncOp function,
                                                                    ArrayRef<SmallVector<int64_t>> arguments) {
  return Walker<SmallVector<int64_t>>(inferShapes).call(function, arguments);
}
