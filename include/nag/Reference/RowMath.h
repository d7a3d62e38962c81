//===- RowMath.h - The equations of a sub-layer, row by row ---------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The equations of a NAG sub-layer for one row, with the first-order effect of errors in the operands. `Real` has
// enough exponent range for the squares of all values of the storage types it serves, so that nothing needs scaling:
// double up to f32, long double for f64.

#ifndef NAG_REFERENCE_ROWMATH_H
#define NAG_REFERENCE_ROWMATH_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace nag {

static_assert(std::numeric_limits<long double>::max_exponent > 4 * std::numeric_limits<double>::max_exponent,
              "the reference needs a long double in which squares of doubles neither overflow nor underflow");

/// The values of a row, and bounds of what another evaluation's values may differ by: none where they are exact.
template <class Real> struct Row {
  std::vector<Real> x;
  std::vector<Real> e;
  /// Errors are too large for first-order bounds, or decide what the row is.
  bool undecided = false;

  size_t size() const { return x.size(); }
  Real error(size_t i) const { return e.empty() ? Real(0) : e[i]; }
};

/// Pairwise, so that rounding grows with the logarithm of the length.
template <class Real, class Term> Real sum(size_t begin, size_t end, const Term &term) {
  if (end - begin <= 16) {
    Real total = 0;
    for (size_t i = begin; i < end; ++i)
      total += term(i);
    return total;
  }
  size_t middle = begin + (end - begin) / 2;
  return sum<Real>(begin, middle, term) + sum<Real>(middle, end, term);
}

template <class Real, class Term> Real mean(size_t size, const Term &term) {
  return sum<Real>(0, size, term) / Real(size);
}

template <class Real> Real rms(const std::vector<Real> &x) {
  return x.empty() ? Real(0) : std::sqrt(mean<Real>(x.size(), [&](size_t i) { return x[i] * x[i]; }));
}

/// The error of a sum whose terms have errors of at most `term(i)`. They are roundings of single elements, so they do
/// not all point the same way: four times the root of their squares is beyond what independent errors of that size can
/// reach in practice, and a sum of a few terms is bounded by its worst case.
template <class Real, class Term> Real sumOfErrors(size_t size, const Term &term) {
  Real worst = sum<Real>(0, size, term);
  return std::min(worst, 4 * std::sqrt(sum<Real>(0, size, [&](size_t i) { return term(i) * term(i); })));
}

/// The error of rms(x) > 0.
template <class Real> Real errorOfRms(const Row<Real> &row, Real norm) {
  if (row.e.empty())
    return 0;
  return sumOfErrors<Real>(row.size(), [&](size_t i) { return row.e[i] * std::fabs(row.x[i]); }) /
         (Real(row.size()) * norm);
}

/// The relative error of a quotient by a number with relative error `q`; too large an error is reported in `undecided`.
template <class Real> Real amplify(Real q, bool &undecided) {
  // Written so that a NaN, which has no error worth a bound, decides nothing.
  if (q > Real(0.25)) {
    undecided = true;
    return Real(1);
  }
  return Real(1) / (Real(1) - std::max(q, Real(0)));
}

/// Eq. 3-5: x / rms(x), and a zero row where x is one.
template <class Real> Row<Real> normalize(const Row<Real> &row, Real &norm, Real &normError) {
  Row<Real> out;
  out.undecided = row.undecided;
  norm = rms(row.x);
  normError = 0;
  out.x.resize(row.size());
  if (norm == 0) {
    out.undecided |= rms(row.e) > 0;
    return out;
  }
  normError = errorOfRms(row, norm);
  for (size_t i = 0; i < row.size(); ++i)
    out.x[i] = row.x[i] / norm;
  if (row.e.empty())
    return out;
  Real factor = amplify(normError / norm, out.undecided) / norm;
  out.e.resize(row.size());
  for (size_t i = 0; i < row.size(); ++i)
    out.e[i] = (row.e[i] + std::fabs(out.x[i]) * normError) * factor;
  return out;
}

/// f_c = f - mean(f).
template <class Real> Row<Real> center(const Row<Real> &f) {
  Row<Real> out;
  out.undecided = f.undecided;
  Real average = mean<Real>(f.size(), [&](size_t i) { return f.x[i]; });
  out.x.resize(f.size());
  for (size_t i = 0; i < f.size(); ++i)
    out.x[i] = f.x[i] - average;
  if (f.e.empty())
    return out;
  Real averageError = sumOfErrors<Real>(f.size(), [&](size_t i) { return f.e[i]; }) / Real(f.size());
  out.e.resize(f.size());
  for (size_t i = 0; i < f.size(); ++i)
    out.e[i] = f.e[i] + averageError;
  return out;
}

/// Eq. 10-11: P = f_c - (<f_c, D> / <D, D>) D, and f_c where D is zero.
template <class Real> Row<Real> orthogonalize(const Row<Real> &fc, const Row<Real> &direction) {
  Row<Real> out;
  out.undecided = fc.undecided || direction.undecided;
  size_t d = fc.size();
  Real dd = sum<Real>(0, d, [&](size_t i) { return direction.x[i] * direction.x[i]; });
  Real fd = sum<Real>(0, d, [&](size_t i) { return fc.x[i] * direction.x[i]; });
  Real c = dd == 0 ? Real(0) : fd / dd;
  out.x.resize(d);
  for (size_t i = 0; i < d; ++i)
    out.x[i] = fc.x[i] - c * direction.x[i];
  if (fc.e.empty() && direction.e.empty())
    return out;

  Real cError = 0;
  if (dd != 0) {
    Real fdError = sumOfErrors<Real>(d, [&](size_t i) { return fc.error(i) * std::fabs(direction.x[i]); }) +
                   sumOfErrors<Real>(d, [&](size_t i) { return direction.error(i) * std::fabs(fc.x[i]); });
    Real ddError = 2 * sumOfErrors<Real>(d, [&](size_t i) { return direction.error(i) * std::fabs(direction.x[i]); });
    cError = (fdError + std::fabs(c) * ddError) / dd * amplify(ddError / dd, out.undecided);
  }
  out.e.resize(d);
  for (size_t i = 0; i < d; ++i)
    out.e[i] = fc.error(i) + cError * std::fabs(direction.x[i]) + std::fabs(c) * direction.error(i);
  return out;
}

/// The tolerance of the live-row guard.
struct Guard {
  double tolerance;
  /// The tolerance at which rounding noise is told from signal, where the target forms P itself; 0 where P is given.
  double noise;
};

/// Eq. 12: u = P / rms(P); zero where P is, or where rms(P) <= tol rms(f).
template <class Real> Row<Real> scale(const Row<Real> &p, const Row<Real> &f, Guard guard, bool &live, Real &k) {
  Row<Real> out;
  out.undecided = p.undecided || f.undecided;
  size_t d = p.size();
  Real size = rms(p.x), against = rms(f.x), sizeError = rms(p.e), againstError = rms(f.e);
  // A NaN is live: it must come out.
  live = !(size == 0) && !(size <= Real(guard.tolerance) * against);
  if (std::isnan(against))
    live = true;
  k = live ? against / size : Real(1);

  Real low = guard.tolerance < guard.noise ? Real(0) : Real(guard.tolerance) / 8;
  Real high = 8 * Real(std::max(guard.tolerance, guard.noise));
  bool certainlyZero = size == 0 && sizeError == 0 && (guard.noise == 0 || against == 0);
  if (!certainlyZero && size + sizeError >= low * (against - againstError) &&
      size - sizeError <= high * (against + againstError))
    out.undecided = true;

  out.x.resize(d);
  if (!live)
    return out;
  for (size_t i = 0; i < d; ++i)
    out.x[i] = p.x[i] / size;
  if (p.e.empty())
    return out;
  // Where errors are not small against P, its direction is undecided.
  amplify(sizeError / size, out.undecided);
  Real normError = errorOfRms(p, size), factor = amplify(normError / size, out.undecided) / size;
  out.e.resize(d);
  for (size_t i = 0; i < d; ++i)
    out.e[i] = (p.e[i] + std::fabs(out.x[i]) * normError) * factor;
  return out;
}

/// A number and a bound of its error.
template <class Real> struct Number {
  Real x = 0;
  Real e = 0;
};

/// The parameters of a modulator.
template <class Real> struct ModulatorParameters {
  Number<Real> beta;
  std::vector<Row<Real>> w;
  Row<Real> b, logits;
  /// The largest Euclidean norm of a row of w.
  Real largestNorm = 0;
};

template <class Real> Real logSumExp(const std::vector<Real> &x) {
  Real largest = x[0];
  for (Real value : x)
    if (std::isnan(value) || value > largest)
      largest = value;
  if (!std::isfinite(largest))
    return largest;
  return largest + std::log(sum<Real>(0, x.size(), [&](size_t i) { return std::exp(x[i] - largest); }));
}

/// Eq. 13: m = (sum_i p_i sigmoid(<D, w_i> + b_i))^beta with p = softmax(logits), in logarithms. The error is the one
/// that operands bring in.
template <class Real> Number<Real> modulate(const Row<Real> &direction, const ModulatorParameters<Real> &parameters) {
  size_t count = parameters.w.size(), d = direction.size();
  Real normalizer = logSumExp(parameters.logits.x);
  std::vector<Real> terms(count);
  Real termError = 0;
  for (size_t i = 0; i < count; ++i) {
    const Row<Real> &w = parameters.w[i];
    Real t = sum<Real>(0, d, [&](size_t j) { return direction.x[j] * w.x[j]; }) + parameters.b.x[i];
    Real logSigmoid = t >= 0 ? -std::log1p(std::exp(-t)) : t - std::log1p(std::exp(t));
    terms[i] = parameters.logits.x[i] - normalizer + logSigmoid;
    // log sigmoid has a slope of at most 1, and so has log of a mixture in each of its terms; a logit moves two.
    Real error = parameters.b.error(i) + 2 * parameters.logits.error(i);
    if (!direction.e.empty())
      error += sumOfErrors<Real>(d, [&](size_t j) { return direction.e[j] * std::fabs(w.x[j]); });
    if (!w.e.empty())
      error +=
          sumOfErrors<Real>(d, [&](size_t j) { return w.e[j] * (std::fabs(direction.x[j]) + direction.error(j)); });
    termError = std::max(termError, error);
  }
  Real logMixture = logSumExp(terms);
  const Number<Real> &beta = parameters.beta;
  Number<Real> m;
  // 0^0 is 1, as everywhere that beta is 0.
  m.x = std::exp(beta.x == 0 && std::isinf(logMixture) ? Real(0) : beta.x * logMixture);
  Real exponentError =
      (std::fabs(beta.x) + beta.e) * termError + (beta.e > 0 ? beta.e * std::fabs(logMixture) : Real(0));
  m.e = exponentError > 0 ? m.x * std::expm1(exponentError) : Real(0);
  return m;
}

} // namespace nag

#endif // NAG_REFERENCE_ROWMATH_H
