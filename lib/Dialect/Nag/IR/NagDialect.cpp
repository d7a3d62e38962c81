//===- NagDialect.cpp - Registration of the nag dialect -----------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Nag/IR/NagDialect.h"
#include "nag/Dialect/BytecodeVersion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace nag;

#include "nag/Dialect/Nag/IR/NagDialect.cpp.inc"

/// Raised whenever bytecode of before would be read wrongly. 2: operations have a schedule among their properties.
static constexpr uint64_t kBytecodeVersion = 2;

namespace {

/// Operations of this dialect are pure functions of their operands and may be inlined anywhere.
struct NagInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void NagDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "nag/Dialect/Nag/IR/NagOps.cpp.inc"
      >();
  addInterface<NagInlinerInterface>();
  addInterface<nag::BytecodeVersionInterface>(kBytecodeVersion, /*oldest=*/2);
}

FloatType nag::getArithmeticType(Type elementType) {
  if (elementType.isF64())
    return cast<FloatType>(elementType);
  return Float32Type::get(elementType.getContext());
}

double nag::getDefaultTolerance(FloatType arithmeticType) { return arithmeticType.isF64() ? 0x1p-48 : 0x1p-20; }
