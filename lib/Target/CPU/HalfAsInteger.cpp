//===- HalfAsInteger.cpp - 16-bit floats move as integers ---------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Gives every 16-bit float outside of instructions that compute with it an integer type, so that moving one never
// converts it.

#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUHALFASINTEGER
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

namespace {

bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// f16, bf16 and their constants to i16, wherever they occur in types and attributes.
AttrTypeReplacer makeReplacer() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatType type) -> std::optional<Type> {
    if (isHalf(type))
      return IntegerType::get(type.getContext(), 16);
    return std::nullopt;
  });
  replacer.addReplacement([](FloatAttr attr) -> std::optional<Attribute> {
    if (isHalf(attr.getType()))
      return IntegerAttr::get(IntegerType::get(attr.getContext(), 16), attr.getValue().bitcastToAPInt());
    return std::nullopt;
  });
  replacer.addReplacement([](DenseElementsAttr attr) -> std::optional<Attribute> {
    if (isHalf(attr.getElementType()))
      return attr.bitcast(IntegerType::get(attr.getContext(), 16));
    return std::nullopt;
  });
  return replacer;
}

struct HalfAsInteger : nag::impl::NagCpuHalfAsIntegerBase<HalfAsInteger> {
  using NagCpuHalfAsIntegerBase::NagCpuHalfAsIntegerBase;

  void runOnOperation() override {
    // Instructions that compute with them keep their types, between bitcasts.
    struct Use {
      Operation *op;
      unsigned operand;
      Type type;
    };
    SmallVector<Use> operands;
    SmallVector<std::pair<Value, Type>> results;
    getOperation().walk([&](Operation *op) {
      if (!isa<LLVM::FPExtOp, LLVM::FPTruncOp, LLVM::CallIntrinsicOp>(op))
        return;
      for (OpOperand &operand : op->getOpOperands())
        if (isHalf(getElementTypeOrSelf(operand.get())))
          operands.push_back({op, operand.getOperandNumber(), operand.get().getType()});
      for (Value result : op->getResults())
        if (isHalf(getElementTypeOrSelf(result)))
          results.emplace_back(result, result.getType());
    });

    AttrTypeReplacer replacer = makeReplacer();
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);

    for (auto [op, operand, half] : operands) {
      OpBuilder builder(op);
      op->setOperand(operand, LLVM::BitcastOp::create(builder, op->getLoc(), half, op->getOperand(operand)));
    }
    for (auto [result, half] : results) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(result);
      Type integer = result.getType();
      result.setType(half);
      auto bits = LLVM::BitcastOp::create(builder, result.getLoc(), integer, result);
      result.replaceAllUsesExcept(bits, bits);
    }
  }
};

} // namespace
