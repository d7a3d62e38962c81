//===- NagOperations.cpp - Exact evaluation of nag operations -----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Every `nag` operation as a loop over rows around the equations of RowMath.h.

#include "nag/Reference/Operations.h"

#include "nag/Dialect/Nag/IR/NagDialect.h"
#include "nag/Reference/RowMath.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Parallel.h"

using namespace mlir;
using namespace nag;

namespace {

/// How far the squared norm of a stored direction may be from 1: what a storage rounding of each element can do.
double getStoredDirectionTolerance(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return 0x1p-7;
  case ElementType::F16:
    return 0x1p-10;
  case ElementType::F32:
    return 0x1p-20;
  case ElementType::F64:
    return 0x1p-48;
  }
  return 0;
}

/// The stream before its rotation, and what it is rotated by.
template <class Real> struct Rotation {
  Row<Real> stream, hat, unit;
  Number<Real> norm, alpha, m;
  bool live = true;
  Real k = 1;

  Number<Real> amount() const {
    if (!live)
      return {};
    return {alpha.x * m.x, std::fabs(alpha.x) * m.e + alpha.e * (std::fabs(m.x) + m.e)};
  }
};

/// Evaluates in `Real` the operations on rows.
template <class Real> class RowEvaluator {
public:
  RowEvaluator(OperandLookup operands, SmallVectorImpl<ReferenceTensor> &results)
      : operands(operands), results(results) {}

  void evaluate(SplitOp op) {
    const ReferenceTensor &residual = operands(op.getResidual());
    ReferenceTensor direction = makeRows(op.getDirection(), residual), logNorm = makeNumbers(op.getLogNorm(), residual);
    forEachRow(residual, [&](int64_t row) {
      Number<Real> norm;
      Row<Real> hat = normalize(loadRow(residual, row), norm.x, norm.e);
      storeRow(direction, row, hat);
      storeLogNorm(logNorm, row, {std::log(norm.x), norm.e == 0 ? Real(0) : norm.e / norm.x}, hat.undecided);
    });
  }

  void evaluate(MergeOp op) {
    const ReferenceTensor &direction = operands(op.getDirection()), &logNorm = operands(op.getLogNorm());
    ReferenceTensor residual = makeRows(op.getResidual(), direction);
    forEachRow(direction, [&](int64_t row) {
      Number<Real> norm, s = loadNumber(logNorm, row);
      Row<Real> out = normalize(loadRow(direction, row), norm.x, norm.e);
      out.undecided |= isUndecided(logNorm, row);
      Real factor = std::exp(s.x), factorError = s.e == 0 ? Real(0) : std::expm1(s.e);
      for (size_t i = 0; i < out.size(); ++i) {
        // A zero direction gives a zero row, whatever s is; within a row, an overflow of exp(s) makes no NaN of a zero.
        bool zero = norm.x == 0 || (out.x[i] == 0 && std::isfinite(s.x));
        Real x = zero ? Real(0) : factor * out.x[i];
        if (!out.e.empty() || factorError != 0) {
          out.e.resize(out.size());
          out.e[i] = factor * out.e[i] * (1 + factorError) + std::fabs(x) * factorError;
        }
        out.x[i] = x;
      }
      storeRow(residual, row, out);
    });
  }

  void evaluate(CenterOp op) {
    const ReferenceTensor &branch = operands(op.getBranch());
    ReferenceTensor centered = makeRows(op.getCentered(), branch);
    forEachRow(branch, [&](int64_t row) {
      Row<Real> f = loadRow(branch, row);
      storeRow(centered, row, center(f), rms(f.x));
    });
  }

  void evaluate(OrthogonalizeOp op) {
    const ReferenceTensor &centered = operands(op.getCentered()), &direction = operands(op.getDirection());
    ReferenceTensor orthogonal = makeRows(op.getOrthogonal(), centered);
    forEachRow(centered, [&](int64_t row) {
      Row<Real> fc = loadRow(centered, row);
      storeRow(orthogonal, row, orthogonalize(fc, loadRow(direction, row)), rms(fc.x));
    });
  }

  void evaluate(ScaleOp op) {
    const ReferenceTensor &orthogonal = operands(op.getOrthogonal()), &branch = operands(op.getBranch());
    ReferenceTensor unit = makeRows(op.getUnit(), orthogonal);
    Guard guard = {getTolerance(op.getTol(), op.getOrthogonal()), 0};
    forEachRow(orthogonal, [&](int64_t row) {
      bool live;
      Real k;
      storeRow(unit, row, scale(loadRow(orthogonal, row), loadRow(branch, row), guard, live, k));
    });
  }

  void evaluate(ModulateOp op) {
    const ReferenceTensor &direction = operands(op.getDirection());
    ReferenceTensor modulator = makeNumbers(op.getModulator(), direction);
    ModulatorParameters<Real> parameters = loadParameters(op.getBeta(), op.getW(), op.getB(), op.getLogits());
    forEachRow(direction, [&](int64_t row) {
      Number<Real> norm;
      Row<Real> hat = normalize(loadRow(direction, row), norm.x, norm.e);
      storeModulator(modulator, row, modulate(hat, parameters), parameters, hat.undecided);
    });
  }

  void evaluate(RotateOp op) {
    const ReferenceTensor &stream = operands(op.getStream()), &unit = operands(op.getUnit());
    const ReferenceTensor *logNorm = lookup(op.getLogNorm()), *modulator = lookup(op.getModulator());
    ReferenceTensor rotated = makeRows(op.getRotated(), stream), rotatedLogNorm;
    if (logNorm)
      rotatedLogNorm = makeNumbers(op.getRotatedLogNorm(), stream);
    Number<Real> alpha = loadNumber(operands(op.getAlpha()), 0);
    forEachRow(stream, [&](int64_t row) {
      Rotation<Real> rotation = loadRotation(stream, row);
      rotation.unit = loadRow(unit, row);
      rotation.alpha = alpha;
      rotation.m = modulator ? loadNumber(*modulator, row) : Number<Real>{1, 0};
      rotation.unit.undecided |= modulator && isUndecided(*modulator, row);
      rotation.live = rotation.norm.x != 0 && llvm::any_of(rotation.unit.x, [](Real x) { return x != 0; });
      rotate(rotation, row, logNorm, rotated, logNorm ? &rotatedLogNorm : nullptr);
    });
  }

  void evaluate(UpdateOp op) {
    const ReferenceTensor &stream = operands(op.getStream()), &branch = operands(op.getBranch());
    const ReferenceTensor *logNorm = lookup(op.getLogNorm()), *given = lookup(op.getGivenModulator());
    ReferenceTensor updated = makeRows(op.getUpdated(), stream), updatedLogNorm, modulator;
    if (logNorm)
      updatedLogNorm = makeNumbers(op.getUpdatedLogNorm(), stream);
    ModulatorParameters<Real> parameters;
    bool computed = op.computesModulator();
    if (computed) {
      modulator = makeNumbers(op.getModulator(), stream);
      parameters = loadParameters(op.getBeta(), op.getW(), op.getB(), op.getLogits());
    }
    Number<Real> alpha = loadNumber(operands(op.getAlpha()), 0);
    Guard guard = {getTolerance(op.getTol(), op.getStream()), getTolerance(std::nullopt, op.getStream())};

    forEachRow(stream, [&](int64_t row) {
      Rotation<Real> rotation = loadRotation(stream, row);
      Row<Real> f = loadRow(branch, row);
      rotation.unit = scale(orthogonalize(center(f), rotation.hat), f, guard, rotation.live, rotation.k);
      if (rotation.norm.x == 0) {
        // Without a direction there is no rotation, whatever the branch holds.
        rotation.live = false;
        rotation.unit = Row<Real>{std::vector<Real>(f.size()), {}, rotation.hat.undecided};
      }
      rotation.alpha = alpha;
      rotation.m = {1, 0};
      if (given) {
        rotation.m = loadNumber(*given, row);
        rotation.unit.undecided |= isUndecided(*given, row);
      }
      if (computed) {
        rotation.m = modulate(rotation.hat, parameters);
        storeModulator(modulator, row, rotation.m, parameters, rotation.hat.undecided);
        rotation.m.e += std::fabs(rotation.m.x) * getModulatorPromise(parameters);
      }
      rotate(rotation, row, logNorm, updated, logNorm ? &updatedLogNorm : nullptr);
    });
  }

private:
  //===--------------------------------------------------------------------------------------------------===//
  // Rotation of one row
  //===--------------------------------------------------------------------------------------------------===//

  Rotation<Real> loadRotation(const ReferenceTensor &stream, int64_t row) {
    Rotation<Real> rotation;
    rotation.stream = loadRow(stream, row);
    rotation.hat = normalize(rotation.stream, rotation.norm.x, rotation.norm.e);
    return rotation;
  }

  /// Eq. 14-17. Appends the results: the row, and the log-norm in lane form.
  void rotate(const Rotation<Real> &rotation, int64_t row, const ReferenceTensor *logNorm, ReferenceTensor &out,
              ReferenceTensor *outLogNorm) {
    if (!logNorm)
      return rotateResidual(rotation, row, out);
    Number<Real> a = rotation.amount(), s = loadNumber(*logNorm, row);
    bool undecided = rotation.unit.undecided || isUndecided(*logNorm, row);
    rotateDirection(rotation, row, out, undecided);
    if (!rotation.live)
      return storeLogNorm(*outLogNorm, row, s, undecided, /*passes=*/true);
    s.x += std::log1p(a.x * a.x) / 2;
    s.e += std::fabs(a.x) * a.e / (1 + a.x * a.x);
    storeLogNorm(*outLogNorm, row, s, undecided);
  }

  /// R' = R + rho a u.
  void rotateResidual(const Rotation<Real> &rotation, int64_t row, ReferenceTensor &out) {
    Row<Real> result = rotation.stream;
    result.undecided |= rotation.unit.undecided;
    if (!rotation.live)
      return passRow(out, row, result);
    Number<Real> a = rotation.amount();
    const Row<Real> &u = rotation.unit;
    result.e.resize(u.size());
    for (size_t i = 0; i < u.size(); ++i) {
      result.x[i] += rotation.norm.x * a.x * u.x[i];
      result.e[i] += std::fabs(a.x * u.x[i]) * rotation.norm.e +
                     rotation.norm.x * (std::fabs(a.x) * u.error(i) + a.e * (std::fabs(u.x[i]) + u.error(i)));
    }
    storeRow(out, row, result, rotation.k * rms(result.x));
  }

  /// D' = (D + a u) / sqrt(1 + a^2).
  void rotateDirection(const Rotation<Real> &rotation, int64_t row, ReferenceTensor &out, bool undecided) {
    if (!rotation.live)
      return passDirection(rotation, row, out, undecided);
    Number<Real> a = rotation.amount();
    const Row<Real> &u = rotation.unit;
    Row<Real> result = rotation.hat;
    result.undecided |= undecided;
    result.e.resize(u.size());
    Real norm = std::sqrt(1 + a.x * a.x);
    for (size_t i = 0; i < u.size(); ++i) {
      result.x[i] = (result.x[i] + a.x * u.x[i]) / norm;
      result.e[i] = (result.e[i] + std::fabs(a.x) * u.error(i) + a.e * (std::fabs(u.x[i]) + u.error(i))) / norm +
                    std::fabs(result.x[i] * a.x) * a.e / (norm * norm);
    }
    storeRow(out, row, result, rotation.k * rms(result.x));
  }

  /// A direction that is not rotated: as it is where it was stored as a direction, else normalised.
  void passDirection(const Rotation<Real> &rotation, int64_t row, ReferenceTensor &out, bool undecided) {
    Row<Real> stored = rotation.stream, hat = rotation.hat;
    stored.undecided |= undecided;
    hat.undecided |= undecided;
    Real norm = rotation.norm.x, tolerance = Real(getStoredDirectionTolerance(out.getType()));
    if (norm == 0)
      return passRow(out, row, stored);
    Real deviation = std::fabs(norm * norm - 1), doubt = tolerance / 4 + 2 * norm * rotation.norm.e;
    if (deviation + doubt <= tolerance)
      return passRow(out, row, stored);
    if (deviation - doubt <= tolerance) {
      // Rounding decides between the two, which are close.
      hat.e.resize(hat.size());
      for (size_t i = 0; i < hat.size(); ++i)
        hat.e[i] = std::max(hat.e[i], stored.error(i)) + std::fabs(hat.x[i] - stored.x[i]);
    }
    storeRow(out, row, hat);
  }

  //===--------------------------------------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------------------------------------===//

  const ReferenceTensor *lookup(Value value) { return value ? &operands(value) : nullptr; }

  static bool isUndecided(const ReferenceTensor &tensor, int64_t index) {
    return tensor.isUndecided(index / tensor.getWidth());
  }

  Row<Real> loadRow(const ReferenceTensor &tensor, int64_t row) {
    int64_t width = tensor.getShape().back();
    Row<Real> out;
    out.x.resize(size_t(width));
    for (int64_t i = 0; i < width; ++i)
      out.x[size_t(i)] = Real(tensor.getStored(row * width + i));
    if (tensor.isExact())
      return out;
    out.undecided = isUndecided(tensor, row * width);
    out.e.resize(size_t(width));
    for (int64_t i = 0; i < width; ++i)
      out.e[size_t(i)] = Real(tensor.getStoredError(row * width + i));
    if (llvm::all_of(out.e, [](Real e) { return e == 0; }))
      out.e.clear();
    // On the edge of overflow nothing can be said of what follows.
    out.undecided |= llvm::any_of(out.e, [](Real e) { return std::isinf(e); });
    return out;
  }

  Number<Real> loadNumber(const ReferenceTensor &tensor, int64_t index) {
    return {Real(tensor.getStored(index)), Real(tensor.getStoredError(index))};
  }

  ModulatorParameters<Real> loadParameters(Value beta, Value w, Value b, Value logits) {
    ModulatorParameters<Real> parameters;
    parameters.beta = loadNumber(operands(beta), 0);
    parameters.b = loadRow(operands(b), 0);
    parameters.logits = loadRow(operands(logits), 0);
    const ReferenceTensor &directions = operands(w);
    for (int64_t i = 0; i < directions.getShape().front(); ++i) {
      parameters.w.push_back(loadRow(directions, i));
      const std::vector<Real> &row = parameters.w.back().x;
      parameters.largestNorm = std::max(parameters.largestNorm, rms(row) * std::sqrt(Real(row.size())));
    }
    return parameters;
  }

  static double getTolerance(std::optional<APFloat> tol, Value rows) {
    if (tol)
      return tol->convertToDouble();
    return cast<RankedTensorType>(rows.getType()).getElementType().isF64() ? 0x1p-48 : 0x1p-20;
  }

  //===--------------------------------------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------------------------------------===//

  static ElementType elementType(Value value) {
    return *getElementType(cast<RankedTensorType>(value.getType()).getElementType());
  }

  /// Appends a result. A copy shares its contents, so that rows are filled after it is appended.
  ReferenceTensor make(Value result, ArrayRef<int64_t> shape, int64_t width) {
    return results.emplace_back(elementType(result), shape, width);
  }
  ReferenceTensor makeRows(Value result, const ReferenceTensor &like) {
    return make(result, like.getShape(), like.getShape().back());
  }
  ReferenceTensor makeNumbers(Value result, const ReferenceTensor &rows) {
    return make(result, rows.getShape().drop_back(), 1);
  }

  static void forEachRow(const ReferenceTensor &rows, function_ref<void(int64_t)> evaluateRow) {
    llvm::parallelFor(0, size_t(rows.getNumElements() / rows.getShape().back()),
                      [&](size_t row) { evaluateRow(int64_t(row)); });
  }

  void setRow(ReferenceTensor &out, int64_t row, const Row<Real> &values, RowAllowance allowance) {
    allowance.undecided = values.undecided;
    int64_t width = int64_t(values.size());
    for (int64_t i = 0; i < width; ++i) {
      double error = double(values.error(size_t(i)));
      out.setExact(row * width + i, double(values.x[size_t(i)]));
      // Where a value is not finite neither is its error, and it is compared by its class alone.
      out.setCarried(row * width + i, std::isfinite(error) ? error : 0);
    }
    out.setAllowance(row, allowance);
  }

  void storeRow(ReferenceTensor &out, int64_t row, const Row<Real> &values, Real source) {
    setRow(out, row, values, getRowAllowance(out.getType(), double(rms(values.x)), double(source)));
  }
  void storeRow(ReferenceTensor &out, int64_t row, const Row<Real> &values) {
    storeRow(out, row, values, rms(values.x));
  }

  /// A row that is not live passes bit for bit.
  void passRow(ReferenceTensor &out, int64_t row, const Row<Real> &values) {
    RowAllowance allowance;
    double scale = double(rms(values.x));
    allowance.scale = std::isfinite(scale) ? scale : 0;
    setRow(out, row, values, allowance);
  }

  void storeNumber(ReferenceTensor &out, int64_t row, Number<Real> number, RowAllowance allowance) {
    out.setExact(row, double(number.x));
    out.setCarried(row, std::isfinite(number.e) ? double(number.e) : 0);
    out.setAllowance(row, allowance);
  }

  /// s: absolute 2^-21 max(1, |s|), in f64 2^-49.
  void storeLogNorm(ReferenceTensor &out, int64_t row, Number<Real> s, bool undecided, bool passes = false) {
    RowAllowance allowance;
    allowance.scale = 1;
    allowance.arithmetic = passes ? 0 : out.getType() == ElementType::F64 ? 0x1p-49 : 0x1p-21;
    allowance.units = allowance.arithmetic / getUnit(out.getType());
    allowance.undecided = undecided;
    storeNumber(out, row, s, allowance);
  }

  /// m: relative 2^-20 (1 + beta) (1 + max |w_i|), in f64 2^-48.
  static Real getModulatorPromise(const ModulatorParameters<Real> &parameters) {
    Real base = std::is_same_v<Real, double> ? 0x1p-20 : 0x1p-48;
    Real promise = base * (1 + std::fabs(parameters.beta.x)) * (1 + parameters.largestNorm);
    // With an infinite beta m is 0, 1, infinite or a NaN, which have no error to be relative to.
    return std::isfinite(promise) ? promise : 0;
  }

  void storeModulator(ReferenceTensor &out, int64_t row, Number<Real> m, const ModulatorParameters<Real> &parameters,
                      bool undecided) {
    RowAllowance allowance;
    allowance.arithmetic = double(getModulatorPromise(parameters));
    allowance.units = allowance.arithmetic / getUnit(out.getType());
    allowance.undecided = undecided;
    storeNumber(out, row, m, allowance);
  }

  OperandLookup operands;
  SmallVectorImpl<ReferenceTensor> &results;
};

} // namespace

/// Operands that are rows [tokens..., d] and numbers of tokens [tokens...]; absent ones are null.
static LogicalResult checkTokens(Operation *op, OperandLookup operands, ArrayRef<Value> rows, ArrayRef<Value> numbers) {
  ArrayRef<int64_t> shape = operands(rows.front()).getShape();
  auto check = [&](Value value, ArrayRef<int64_t> expected) -> LogicalResult {
    if (!value || operands(value).getShape() == expected)
      return success();
    InFlightDiagnostic diagnostic = op->emitOpError("operand ");
    diagnostic << llvm::find(op->getOperands(), value).getIndex() << " is "
               << toString(operands(value).getShape(), operands(value).getType()) << "; expected "
               << toString(expected, operands(value).getType()) << " for the tokens of operand 0, "
               << toString(shape, operands(rows.front()).getType());
    return diagnostic;
  };
  for (Value value : rows)
    if (failed(check(value, shape)))
      return failure();
  for (Value value : numbers)
    if (failed(check(value, shape.drop_back())))
      return failure();
  return success();
}

template <class Op>
static LogicalResult evaluateRows(Op op, OperandLookup operands, SmallVectorImpl<ReferenceTensor> &results,
                                  ArrayRef<Value> rows, ArrayRef<Value> numbers = {}) {
  if (failed(checkTokens(op, operands, rows, numbers)))
    return failure();
  if (operands(rows.front()).getType() == ElementType::F64)
    RowEvaluator<long double>(operands, results).evaluate(op);
  else
    RowEvaluator<double>(operands, results).evaluate(op);
  return success();
}

LogicalResult nag::evaluateNagOperation(Operation *op, OperandLookup operands,
                                        SmallVectorImpl<ReferenceTensor> &results) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](SplitOp op) { return evaluateRows(op, operands, results, {op.getResidual()}); })
      .Case([&](MergeOp op) { return evaluateRows(op, operands, results, {op.getDirection()}, {op.getLogNorm()}); })
      .Case([&](CenterOp op) { return evaluateRows(op, operands, results, {op.getBranch()}); })
      .Case([&](OrthogonalizeOp op) {
        return evaluateRows(op, operands, results, {op.getCentered(), op.getDirection()});
      })
      .Case([&](ScaleOp op) { return evaluateRows(op, operands, results, {op.getOrthogonal(), op.getBranch()}); })
      .Case([&](ModulateOp op) { return evaluateRows(op, operands, results, {op.getDirection()}); })
      .Case([&](RotateOp op) {
        return evaluateRows(op, operands, results, {op.getStream(), op.getUnit()},
                            {op.getLogNorm(), op.getModulator()});
      })
      .Case([&](UpdateOp op) {
        return evaluateRows(op, operands, results, {op.getStream(), op.getBranch()},
                            {op.getLogNorm(), op.getGivenModulator()});
      })
      .Default([](Operation *op) { return op->emitOpError("cannot be evaluated by the reference"); });
}
