//===- TokenGroup.cpp - Tokens that are worked on together --------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "TokenGroup.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nag::row;

Value TokenGroup::createBuffer(MemRefType type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  return memref::AllocaOp::create(b, type);
}

void TokenGroup::define(Token &token, Value original, Value value) {
  token.scalars.map(original, value);
  numbers[original] = {value, token.place, Value()};
}

void TokenGroup::require(Token &token, Value original) {
  if (token.scalars.contains(original))
    return;
  if (Value value = shared.lookupOrNull(original))
    return token.scalars.map(original, value);
  Number &number = numbers.find(original)->second;
  if (!number.buffer) {
    number.buffer = createBuffer(MemRefType::get(size, number.value.getType()));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(number.value);
    memref::StoreOp::create(b, number.value, number.buffer, number.place);
  }
  token.scalars.map(original, memref::LoadOp::create(b, number.buffer, token.place).getResult());
}

void TokenGroup::defineForAll(Value original, ArrayRef<Value> values) {
  Value buffer = createBuffer(MemRefType::get(size, values.front().getType()));
  for (auto [place, value] : llvm::enumerate(values))
    memref::StoreOp::create(b, value, buffer, arith::ConstantIndexOp::create(b, place).getResult());
  numbers[original] = {Value(), Value(), buffer};
}
