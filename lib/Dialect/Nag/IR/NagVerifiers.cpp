//===- NagVerifiers.cpp - Verifiers of nag operations, by the constraint numbers of NagOps.td ---------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Nag/IR/NagDialect.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nag;

namespace {

/// Checks operands and results of one operation against its rows, naming both sides in what it reports.
class RowChecker {
public:
  RowChecker(Operation *op, Value rows, StringRef name)
      : op(op), rows(cast<RankedTensorType>(rows.getType())), name(name) {}

  /// (C1) Rank at least 1 and a static width of at least 1.
  LogicalResult checkRows() {
    if (rows.getRank() < 1)
      return op->emitOpError() << "(C1) expected " << name << " of rank at least 1, [tokens..., d], got " << rows;
    if (rows.isDynamicDim(rows.getRank() - 1) || rows.getShape().back() < 1)
      return op->emitOpError() << "(C1) expected " << name << " with a static last dimension of at least 1, got "
                               << rows;
    return success();
  }

  /// Other rows of the same tokens and width.
  LogicalResult checkSameShape(StringRef constraint, Value value, StringRef other) {
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(verifyCompatibleShape(type, rows)) || type.getRank() != rows.getRank() ||
        type.getShape().back() != rows.getShape().back())
      return op->emitOpError() << "(" << constraint << ") expected " << other << " of the shape of " << name << ", "
                               << rows << ", got " << type;
    if (type.getElementType().isF64() != rows.getElementType().isF64())
      return op->emitOpError() << "(" << constraint << ") expected " << other << " and " << name
                               << " to be both f64 or neither, got " << type << " and " << rows;
    return success();
  }

  /// The same, in an element type that is `name`'s or a narrower one.
  LogicalResult checkNotWider(StringRef constraint, Value value, StringRef other) {
    if (failed(checkSameShape(constraint, value, other)))
      return failure();
    Type theirs = cast<RankedTensorType>(value.getType()).getElementType(), ours = rows.getElementType();
    if (theirs != ours && theirs.getIntOrFloatBitWidth() >= ours.getIntOrFloatBitWidth())
      return op->emitOpError() << "(" << constraint << ") expected " << other << " in the element type of " << name
                               << ", " << ours << ", or a narrower one, got " << theirs;
    return success();
  }

  LogicalResult checkSameType(StringRef constraint, Value value, StringRef other, Type type, StringRef reference) {
    if (value.getType() == type)
      return success();
    return op->emitOpError() << "(" << constraint << ") expected " << other << " of the type of " << reference << ", "
                             << type << ", got " << value.getType();
  }

  /// One number for each token.
  LogicalResult checkTokenScalars(StringRef constraint, Value value, StringRef other) {
    if (!value)
      return success();
    auto type = cast<RankedTensorType>(value.getType());
    auto expected = RankedTensorType::get(rows.getShape().drop_back(), arithmetic());
    if (failed(verifyCompatibleShape(type, expected)) || type.getRank() != expected.getRank() ||
        type.getElementType() != arithmetic())
      return op->emitOpError() << "(" << constraint << ") expected " << other << " to be " << expected
                               << ", the leading dimensions of " << name << " in the arithmetic type, got " << type;
    return success();
  }

  LogicalResult checkArithmetic(StringRef constraint, Value value, StringRef other) {
    Type type = cast<RankedTensorType>(value.getType()).getElementType();
    if (type == arithmetic())
      return success();
    return op->emitOpError() << "(" << constraint << ") expected " << other << " in the arithmetic type of "
                             << rows.getElementType() << " rows, " << arithmetic() << ", got " << type;
  }

  /// The preferred directions: [C, d], in one of `types` or the arithmetic type.
  LogicalResult checkDirections(StringRef constraint, Value w, ArrayRef<Type> types) {
    auto type = cast<RankedTensorType>(w.getType());
    int64_t d = rows.getShape().back();
    if (type.isDynamicDim(0) || type.getDimSize(0) < 1)
      return op->emitOpError() << "(" << constraint << ") expected w of shape [C, " << d
                               << "] with a static C of at least 1, got " << type;
    if (type.getDimSize(1) != d)
      return op->emitOpError() << "(" << constraint << ") expected w of shape [C, " << d << "] to match the width of "
                               << name << ", " << rows << ", got " << type;
    llvm::SmallSetVector<Type, 4> allowed(types.begin(), types.end());
    allowed.insert(arithmetic());
    if (!allowed.contains(type.getElementType())) {
      InFlightDiagnostic error = op->emitOpError() << "(" << constraint << ") expected w with elements of ";
      llvm::interleave(allowed, [&](Type element) { error << element; }, [&] { error << " or "; });
      return error << ", got " << type.getElementType();
    }
    return success();
  }

  /// [C], one number for each preferred direction.
  LogicalResult checkPerDirection(StringRef constraint, Value value, StringRef other, Value w) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t count = cast<RankedTensorType>(w.getType()).getDimSize(0);
    if (type.getDimSize(0) != count)
      return op->emitOpError() << "(" << constraint << ") expected " << other << " of shape [" << count
                               << "], one for each row of w, " << w.getType() << ", got " << type;
    return checkArithmetic(constraint, value, other);
  }

  LogicalResult checkTolerance(StringRef constraint, std::optional<APFloat> tol) {
    if (!tol || (tol->isFinite() && !tol->isNegative()))
      return success();
    return op->emitOpError() << "(" << constraint << ") expected tol to be finite and not negative, got "
                             << tol->convertToDouble();
  }

private:
  FloatType arithmetic() { return getArithmeticType(rows.getElementType()); }

  Operation *op;
  RankedTensorType rows;
  StringRef name;
};

} // namespace

LogicalResult SplitOp::verify() {
  RowChecker check(*this, getResidual(), "residual");
  if (failed(check.checkRows()) || failed(check.checkNotWider("C2", getDirection(), "direction")))
    return failure();
  return check.checkTokenScalars("C3", getLogNorm(), "log_norm");
}

LogicalResult MergeOp::verify() {
  RowChecker check(*this, getDirection(), "direction");
  if (failed(check.checkRows()) || failed(check.checkTokenScalars("C2", getLogNorm(), "log_norm")))
    return failure();
  return check.checkSameShape("C3", getResidual(), "residual");
}

LogicalResult CenterOp::verify() {
  RowChecker check(*this, getBranch(), "branch");
  if (failed(check.checkRows()))
    return failure();
  return check.checkSameShape("C2", getCentered(), "centered");
}

LogicalResult OrthogonalizeOp::verify() {
  RowChecker check(*this, getCentered(), "centered");
  if (failed(check.checkRows()) || failed(check.checkSameShape("C2", getDirection(), "direction")))
    return failure();
  return check.checkSameShape("C3", getOrthogonal(), "orthogonal");
}

LogicalResult ScaleOp::verify() {
  RowChecker check(*this, getOrthogonal(), "orthogonal");
  if (failed(check.checkRows()) || failed(check.checkSameShape("C2", getBranch(), "branch")) ||
      failed(check.checkSameShape("C3", getUnit(), "unit")))
    return failure();
  return check.checkTolerance("C4", getTol());
}

LogicalResult ModulateOp::verify() {
  RowChecker check(*this, getDirection(), "direction");
  SmallVector<Type, 3> types{getDirection().getType().getElementType()};
  if (types.front().isF32())
    types.append({BFloat16Type::get(getContext()), Float16Type::get(getContext())});
  if (failed(check.checkRows()) || failed(check.checkDirections("C2", getW(), types)) ||
      failed(check.checkPerDirection("C3", getB(), "b", getW())) ||
      failed(check.checkPerDirection("C3", getLogits(), "logits", getW())) ||
      failed(check.checkArithmetic("C3", getBeta(), "beta")))
    return failure();
  return check.checkTokenScalars("C4", getModulator(), "modulator");
}

LogicalResult RotateOp::verify() {
  RowChecker check(*this, getStream(), "stream");
  if (failed(check.checkRows()) || failed(check.checkSameShape("C2", getUnit(), "unit")) ||
      failed(check.checkTokenScalars("C3", getLogNorm(), "log_norm")) ||
      failed(check.checkTokenScalars("C3", getModulator(), "modulator")) ||
      failed(check.checkArithmetic("C3", getAlpha(), "alpha")) ||
      failed(check.checkSameType("C4", getRotated(), "rotated", getStream().getType(), "stream")))
    return failure();
  if (bool(getLogNorm()) != bool(getRotatedLogNorm()))
    return emitOpError("(C4) expected a rotated_log_norm if and only if there is a log_norm");
  if (getLogNorm())
    return check.checkSameType("C4", getRotatedLogNorm(), "rotated_log_norm", getLogNorm().getType(), "log_norm");
  return success();
}

LogicalResult UpdateOp::verify() {
  RowChecker check(*this, getStream(), "stream");
  if (failed(check.checkRows()) || failed(check.checkNotWider("C2", getBranch(), "branch")) ||
      failed(check.checkTokenScalars("C3", getLogNorm(), "log_norm")) ||
      failed(check.checkTokenScalars("C3", getGivenModulator(), "given_modulator")) ||
      failed(check.checkArithmetic("C3", getAlpha(), "alpha")))
    return failure();

  bool parameters[] = {bool(getBeta()), bool(getW()), bool(getB()), bool(getLogits())};
  if (!llvm::all_equal(parameters))
    return emitOpError("(C4) expected beta, w, b and logits together or none of them");
  if (getW() && getGivenModulator())
    return emitOpError("(C4) expected a modulator that is given or one that is computed, not both");
  if (getW()) {
    Type types[] = {getStream().getType().getElementType(), getBranch().getType().getElementType()};
    if (failed(check.checkDirections("C5", getW(), types)) ||
        failed(check.checkPerDirection("C6", getB(), "b", getW())) ||
        failed(check.checkPerDirection("C6", getLogits(), "logits", getW())) ||
        failed(check.checkArithmetic("C6", getBeta(), "beta")))
      return failure();
  }

  if (failed(check.checkSameType("C7", getUpdated(), "updated", getStream().getType(), "stream")))
    return failure();
  size_t expected = size_t(isLaneForm()) + size_t(computesModulator());
  if (getTokenScalars().size() != expected)
    return emitOpError("(C7) expected ") << 1 + expected << " result(s), updated"
                                         << (isLaneForm() ? ", updated_log_norm" : "")
                                         << (computesModulator() ? ", modulator" : "") << ", got " << getNumResults();
  if (getLogNorm() &&
      failed(check.checkSameType("C7", getUpdatedLogNorm(), "updated_log_norm", getLogNorm().getType(), "log_norm")))
    return failure();
  if (failed(check.checkTokenScalars("C7", getModulator(), "modulator")))
    return failure();
  return check.checkTolerance("C8", getTol());
}
