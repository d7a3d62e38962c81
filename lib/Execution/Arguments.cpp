//===- Arguments.cpp - What the arguments of an entry are, and their values ---------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Roles by use, and random values by role.

#include "nag/Execution/Arguments.h"

#include "nag/Dialect/Nag/IR/NagDialect.h"
#include "nag/Support/Random.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Parallel.h"

#include <cmath>

using namespace mlir;
using namespace nag;

/// Functions that call each other without end have no roles.
static constexpr int kMaxDepth = 16;

static bool isCast(Operation *op) { return isa<tensor::CastOp, arith::ExtFOp, arith::TruncFOp>(op); }

/// The role that one use gives to its operand.
static Role getRole(OpOperand &use) {
  Value value = use.get();
  return llvm::TypeSwitch<Operation *, Role>(use.getOwner())
      .Case([](SplitOp) { return Role::Stream; })
      .Case([&](MergeOp op) { return value == op.getDirection() ? Role::Direction : Role::LogNorm; })
      .Case([](CenterOp) { return Role::Branch; })
      .Case([&](OrthogonalizeOp op) { return value == op.getCentered() ? Role::Branch : Role::Direction; })
      .Case([](ScaleOp) { return Role::Branch; })
      .Case([&](ModulateOp op) {
        return value == op.getDirection() ? Role::Direction
               : value == op.getBeta()    ? Role::Beta
               : value == op.getW()       ? Role::W
               : value == op.getB()       ? Role::Bias
                                          : Role::Logits;
      })
      .Case([&](RotateOp op) {
        return value == op.getStream()    ? op.getLogNorm() ? Role::Direction : Role::Stream
               : value == op.getLogNorm() ? Role::LogNorm
               : value == op.getUnit()    ? Role::Unit
               : value == op.getAlpha()   ? Role::Alpha
                                          : Role::Modulator;
      })
      .Case([&](UpdateOp op) {
        return value == op.getStream()           ? op.isLaneForm() ? Role::Direction : Role::Stream
               : value == op.getLogNorm()        ? Role::LogNorm
               : value == op.getBranch()         ? Role::Branch
               : value == op.getAlpha()          ? Role::Alpha
               : value == op.getGivenModulator() ? Role::Modulator
               : value == op.getBeta()           ? Role::Beta
               : value == op.getW()              ? Role::W
               : value == op.getB()              ? Role::Bias
                                                 : Role::Logits;
      })
      .Default([](Operation *) { return Role::Other; });
}

static func::FuncOp getCallee(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

static Role findRole(Value value, int depth) {
  // Uses are listed last first; the first one in the program counts.
  SmallVector<OpOperand *> uses = llvm::map_to_vector(value.getUses(), [](OpOperand &use) { return &use; });
  for (OpOperand *use : llvm::reverse(uses)) {
    Role role = getRole(*use);
    Operation *owner = use->getOwner();
    if (isCast(owner) && depth) {
      role = findRole(owner->getResult(0), depth - 1);
    } else if (auto call = dyn_cast<func::CallOp>(owner); call && depth) {
      func::FuncOp callee = getCallee(call);
      if (callee && !callee.isExternal())
        role = findRole(callee.getArgument(use->getOperandNumber()), depth - 1);
    }
    if (role != Role::Other)
      return role;
  }
  return Role::Other;
}

Role nag::findRole(Value value) { return ::findRole(value, kMaxDepth); }

bool nag::isRows(Role role) {
  return role == Role::Stream || role == Role::Direction || role == Role::Branch || role == Role::Unit;
}

static bool isRowResult(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isRows(findRole(value));
  if (isCast(op))
    return isRowResult(op->getOperand(0), depth);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    func::FuncOp callee = getCallee(call);
    if (!depth || !callee || callee.isExternal())
      return false;
    Operation *terminator = callee.getBody().back().getTerminator();
    return isRowResult(terminator->getOperand(cast<OpResult>(value).getResultNumber()), depth - 1);
  }
  return isa<NagDialect>(op->getDialect()) && cast<RankedTensorType>(value.getType()).getRank() ==
                                                  cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
}

bool nag::isRowResult(Value value) { return ::isRowResult(value, kMaxDepth); }

llvm::StringRef nag::getName(Role role) {
  static constexpr llvm::StringLiteral names[] = {"other",     "stream", "direction", "log_norm", "branch", "unit",
                                                  "modulator", "alpha",  "beta",      "w",        "b",      "logits"};
  return names[unsigned(role)];
}

Distribution Distribution::of(Role role) {
  switch (role) {
  case Role::Alpha:
    return {Constant, .7, 0, false};
  case Role::Beta:
    return {Constant, .5, 0, false};
  case Role::W:
    return {Normal, .02, 0, false};
  case Role::Modulator:
    return {Uniform, 0, 1, false};
  case Role::Direction:
  case Role::Unit:
    return {Normal, 1, 0, true};
  default:
    return {Normal, 1, 0, false};
  }
}

std::optional<Distribution> Distribution::parse(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  Distribution distribution;
  SmallVector<double> numbers;
  for (StringRef part : ArrayRef(parts).drop_front())
    // Also NaN and infinities, which tests ask for.
    if (!llvm::to_float(part, numbers.emplace_back()))
      return std::nullopt;
  if (parts[0] == "normal" && numbers.size() <= 1)
    distribution.kind = Normal;
  else if (parts[0] == "uniform" && numbers.size() == 2)
    distribution.kind = Uniform;
  else if (parts[0] == "constant" && numbers.size() == 1)
    distribution.kind = Constant;
  else
    return std::nullopt;
  if (!numbers.empty())
    distribution.first = numbers[0];
  if (numbers.size() > 1)
    distribution.second = numbers[1];
  return distribution;
}

void nag::fillRandom(HostTensor &tensor, const Distribution &distribution, uint64_t seed, uint64_t argument) {
  int64_t width = tensor.getWidth();
  llvm::parallelFor(0, size_t(tensor.getNumRows()), [&](size_t row) {
    Random random(seed, argument, row);
    std::vector<double> values(static_cast<size_t>(width));
    double squares = 0;
    for (double &value : values) {
      switch (distribution.kind) {
      case Distribution::Normal:
        value = distribution.first * random.normal();
        break;
      case Distribution::Uniform:
        value = distribution.first + (distribution.second - distribution.first) * random.uniform();
        break;
      case Distribution::Constant:
        value = distribution.first;
        break;
      }
      squares += value * value;
    }
    double factor = distribution.normalized && squares > 0 ? std::sqrt(double(width) / squares) : 1;
    for (int64_t i = 0; i < width; ++i)
      tensor.set(int64_t(row) * width + i, values[size_t(i)] * factor);
  });
}
