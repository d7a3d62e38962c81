//===- Module.h - A parsed module and its arguments for reference tests ---------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Parses a module and makes tensors of literal values, for the tests of the reference.

#ifndef NAG_TEST_UNIT_REFERENCE_MODULE_H
#define NAG_TEST_UNIT_REFERENCE_MODULE_H

#include "nag/Dialect/Nag/IR/NagDialect.h"
#include "nag/Reference/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace nag::test {

using Values = std::vector<double>;

inline ReferenceTensor makeTensor(ElementType type, llvm::ArrayRef<int64_t> shape, const Values &values) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(type, shape));
  EXPECT_EQ(size_t(tensor.getNumElements()), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(int64_t(i), values[i]);
  return ReferenceTensor(std::make_shared<const HostTensor>(std::move(tensor)));
}

class Module {
public:
  explicit Module(llvm::StringRef text) {
    context.loadDialect<NagDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::tensor::TensorDialect>();
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return mlir::success();
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << errors;
  }

  /// The results of the function @f; none, with a text in `errors`, where it fails.
  std::vector<ReferenceTensor> run(llvm::ArrayRef<ReferenceTensor> arguments) {
    auto results = evaluateReference(module->lookupSymbol<mlir::func::FuncOp>("f"), arguments);
    if (mlir::failed(results))
      return {};
    return {results->begin(), results->end()};
  }

  std::string errors;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

inline Values getExact(const ReferenceTensor &tensor) {
  Values values;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    values.push_back(tensor.getExact(i));
  return values;
}

inline void expectNear(const ReferenceTensor &tensor, const Values &expected, double relative) {
  Values actual = getExact(tensor);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], relative * std::abs(expected[i])) << "element " << i;
}

/// The parameters of a modulator that is 1/2 everywhere: C = 1, w = 0, b = 0, logits = 0, beta = 1.
inline std::vector<ReferenceTensor> makeNeutral(ElementType type, ElementType arithmetic, int64_t d) {
  return {makeTensor(arithmetic, {}, {1}), makeTensor(type, {1, d}, Values(size_t(d))),
          makeTensor(arithmetic, {1}, {0}), makeTensor(arithmetic, {1}, {0})};
}

} // namespace nag::test

#endif // NAG_TEST_UNIT_REFERENCE_MODULE_H
