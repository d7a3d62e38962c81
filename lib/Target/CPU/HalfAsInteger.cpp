//===- HalfAsInteger.cpp - 16-bit floats move as integers ---------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Gives every 16-bit float outside of a conversion instruction an integer type, so that moving one never converts it.

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
    // The conversions that are instructions keep their types, between bitcasts.
    SmallVector<std::pair<Operation *, Type>> conversions;
    getOperation().walk([&](Operation *op) {
      if (isa<LLVM::FPExtOp>(op) && isHalf(getElementTypeOrSelf(op->getOperand(0).getType())))
        conversions.emplace_back(op, op->getOperand(0).getType());
      else if (isa<LLVM::FPTruncOp>(op) && isHalf(getElementTypeOrSelf(op->getResult(0).getType())))
        conversions.emplace_back(op, op->getResult(0).getType());
    });

    AttrTypeReplacer replacer = makeReplacer();
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);

    for (auto [op, half] : conversions) {
      OpBuilder builder(op);
      if (isa<LLVM::FPExtOp>(op)) {
        op->setOperand(0, LLVM::BitcastOp::create(builder, op->getLoc(), half, op->getOperand(0)));
        continue;
      }
      Value result = op->getResult(0);
      Type integer = result.getType();
      builder.setInsertionPointAfter(op);
      result.setType(half);
      auto bits = LLVM::BitcastOp::create(builder, op->getLoc(), integer, result);
      result.replaceAllUsesExcept(bits, bits);
    }
  }
};

} // namespace
