//===- TokenGroup.h - Tokens that are worked on together ----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOCPU_TOKENGROUP_H
#define NAG_LIB_CONVERSION_ROWTOCPU_TOKENGROUP_H

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag::row {

/// One token while code for it is emitted.
struct Token {
  llvm::SmallVector<mlir::Value> indices; ///< One for each dimension of tokens.
  mlir::Value place;                      ///< In its group; null where that is one token.
  mlir::IRMapping scalars;                ///< The numbers of the program that are at hand.
};

/// The tokens of one iteration of the loop over tokens. More than one go through the program in phases: each phase is a
/// loop over them, and numbers that a later phase uses wait in a buffer with a place for each.
class TokenGroup {
public:
  /// The group is emitted in `block`, from its start.
  TokenGroup(mlir::ImplicitLocOpBuilder &builder, mlir::Block *block, int64_t size)
      : b(builder), block(block), size(size) {}

  int64_t getSize() const { return size; }

  /// Numbers that are the same for every token of the group.
  mlir::IRMapping shared;

  /// Gives the number `original` of the program its value for `token`.
  void define(Token &token, mlir::Value original, mlir::Value value);
  /// Whether `token` has the number `original`, or can get it from an earlier phase.
  bool isKnown(const Token &token, mlir::Value original) const {
    return token.scalars.contains(original) || shared.contains(original) || numbers.contains(original);
  }
  /// Makes sure that `token` has the number `original`, which an earlier phase may have defined.
  void require(Token &token, mlir::Value original);
  /// A buffer for as long as the group is worked on.
  mlir::Value createBuffer(mlir::MemRefType type);
  /// Defines `original`, of which `values` has one for each place.
  void defineForAll(mlir::Value original, llvm::ArrayRef<mlir::Value> values);

private:
  struct Number {
    mlir::Value value, place; ///< Of the phase that computes it.
    mlir::Value buffer;       ///< Null until a later phase asks.
  };
  mlir::ImplicitLocOpBuilder &b;
  mlir::Block *block;
  int64_t size;
  llvm::DenseMap<mlir::Value, Number> numbers;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOCPU_TOKENGROUP_H
