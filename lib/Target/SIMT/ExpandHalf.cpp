//===- ExpandHalf.cpp - Brain floats on a host --------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// bf16 in integer operations and f32: hosts round it by library calls that may be missing, or with subnormals flushed.

#include "nag/Target/SIMT/Lower.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

class Expander {
public:
  explicit Expander(Instruction &instruction) : op(instruction), b(&instruction) {}

  void expand() {
    if (Value *value = makeValue()) {
      op.replaceAllUsesWith(value);
      op.eraseFromParent();
    }
  }

private:
  static bool isBF16(const Value *value) { return value->getType()->getScalarType()->isBFloatTy(); }

  /// `type` with another element type.
  static Type *like(Type *type, Type *element) {
    auto *vector = dyn_cast<VectorType>(type);
    return vector ? VectorType::get(element, vector->getElementCount()) : element;
  }
  Type *integers(Value *value, unsigned bits) { return like(value->getType(), b.getIntNTy(bits)); }

  Value *toFloat(Value *value) {
    Value *bits = b.CreateZExt(b.CreateBitCast(value, integers(value, 16)), integers(value, 32));
    return b.CreateBitCast(b.CreateShl(bits, 16), like(value->getType(), b.getFloatTy()));
  }

  /// To nearest even; a NaN becomes the GPU's.
  Value *fromFloat(Value *value) {
    Type *words = integers(value, 32);
    Value *bits = b.CreateBitCast(value, words);
    Value *isOdd = b.CreateAnd(b.CreateLShr(bits, 16), ConstantInt::get(words, 1));
    Value *rounded = b.CreateLShr(b.CreateAdd(b.CreateAdd(bits, ConstantInt::get(words, 0x7fff)), isOdd), 16);
    Value *isNan = b.CreateFCmpUNO(value, value);
    Value *result = b.CreateTrunc(b.CreateSelect(isNan, ConstantInt::get(words, 0x7fff), rounded), integers(value, 16));
    return b.CreateBitCast(result, like(value->getType(), b.getBFloatTy()));
  }

  /// f64 to f32 such that rounding on to bf16 gives what one rounding would: towards zero, with the last bit set where
  /// anything was lost.
  Value *roundToOdd(Value *value) {
    Type *floats = like(value->getType(), b.getFloatTy());
    Value *nearest = b.CreateFPTrunc(value, floats);
    Value *back = b.CreateFPExt(nearest, value->getType());
    Value *bits = b.CreateBitCast(nearest, integers(value, 32));
    Type *words = bits->getType();
    auto magnitude = [&](Value *x) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); };
    Value *isTooLarge = b.CreateFCmpOGT(magnitude(back), magnitude(value));
    Value *isInexact = b.CreateFCmpONE(back, value);
    Value *towardsZero = b.CreateSelect(isTooLarge, b.CreateSub(bits, ConstantInt::get(words, 1)), bits);
    Value *odd = b.CreateOr(towardsZero, ConstantInt::get(words, 1));
    return b.CreateBitCast(b.CreateSelect(isInexact, odd, bits), floats);
  }

  Value *withBits(Value *value, function_ref<Value *(Value *)> change) {
    return b.CreateBitCast(change(b.CreateBitCast(value, integers(value, 16))), value->getType());
  }
  Value *constant(Value *bits, uint64_t value) { return ConstantInt::get(bits->getType(), value); }

  Value *makeValue() {
    if (auto *cast = dyn_cast<CastInst>(&op))
      return makeCast(*cast);
    if (auto *compare = dyn_cast<FCmpInst>(&op))
      return isBF16(compare->getOperand(0))
                 ? b.CreateFCmp(compare->getPredicate(), toFloat(op.getOperand(0)), toFloat(op.getOperand(1)))
                 : nullptr;
    if (!isBF16(&op))
      return nullptr;
    if (op.getOpcode() == Instruction::FNeg)
      return withBits(op.getOperand(0), [&](Value *bits) { return b.CreateXor(bits, constant(bits, 0x8000)); });
    if (auto *binary = dyn_cast<BinaryOperator>(&op))
      return fromFloat(b.CreateBinOp(binary->getOpcode(), toFloat(op.getOperand(0)), toFloat(op.getOperand(1))));
    if (auto *call = dyn_cast<IntrinsicInst>(&op))
      return makeIntrinsic(*call);
    return nullptr;
  }

  Value *makeCast(CastInst &cast) {
    Value *from = cast.getOperand(0);
    switch (cast.getOpcode()) {
    case Instruction::FPExt: {
      if (!isBF16(from))
        return nullptr;
      Value *value = toFloat(from);
      return value->getType() == cast.getType() ? value : b.CreateFPExt(value, cast.getType());
    }
    case Instruction::FPTrunc:
      if (!isBF16(&cast))
        return nullptr;
      return fromFloat(from->getType()->getScalarType()->isDoubleTy() ? roundToOdd(from) : from);
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      return isBF16(from) ? b.CreateCast(cast.getOpcode(), toFloat(from), cast.getType()) : nullptr;
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      if (!isBF16(&cast))
        return nullptr;
      return fromFloat(roundToOdd(b.CreateCast(cast.getOpcode(), from, like(from->getType(), b.getDoubleTy()))));
    default:
      return nullptr;
    }
  }

  Value *makeIntrinsic(IntrinsicInst &call) {
    Value *x = call.getArgOperand(0);
    switch (call.getIntrinsicID()) {
    case Intrinsic::fabs:
      return withBits(x, [&](Value *bits) { return b.CreateAnd(bits, constant(bits, 0x7fff)); });
    case Intrinsic::copysign: {
      Value *sign = b.CreateBitCast(call.getArgOperand(1), integers(x, 16));
      return withBits(x, [&](Value *bits) {
        return b.CreateOr(b.CreateAnd(bits, constant(bits, 0x7fff)), b.CreateAnd(sign, constant(bits, 0x8000)));
      });
    }
    case Intrinsic::fma: {
      // The product is exact in f64, and the sum has enough bits there.
      SmallVector<Value *> args;
      for (Value *arg : call.args())
        args.push_back(b.CreateFPExt(toFloat(arg), like(arg->getType(), b.getDoubleTy())));
      return fromFloat(roundToOdd(b.CreateIntrinsic(args[0]->getType(), Intrinsic::fma, args)));
    }
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
    case Intrinsic::minimumnum:
    case Intrinsic::maximumnum:
    case Intrinsic::sqrt:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::round:
    case Intrinsic::roundeven:
    case Intrinsic::exp2: {
      SmallVector<Value *> args;
      for (Value *arg : call.args())
        args.push_back(toFloat(arg));
      return fromFloat(b.CreateIntrinsic(args[0]->getType(), call.getIntrinsicID(), args));
    }
    default:
      return nullptr;
    }
  }

  Instruction &op;
  IRBuilder<> b;
};

} // namespace

void nag::simt::expandHalf(Module &module) {
  SmallVector<Instruction *> work;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      work.push_back(&instruction);
  for (Instruction *instruction : work)
    Expander(*instruction).expand();
}
