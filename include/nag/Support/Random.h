//===- Random.h - Random numbers that are the same on every machine -------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Seeded random numbers that are the same on every machine, compiler and thread count.

#ifndef NAG_SUPPORT_RANDOM_H
#define NAG_SUPPORT_RANDOM_H

#include <cstdint>

namespace nag {

/// xoshiro256** (Blackman, Vigna 2018), its state filled by SplitMix64. A generator is cheap to make: one for each row
/// of each argument makes a row depend on neither the number of rows nor the order in which they are filled.
class Random {
public:
  explicit Random(uint64_t seed, uint64_t stream = 0, uint64_t row = 0);

  uint64_t bits();
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return double(bits() >> 11) * 0x1p-53; }
  /// Mean 0, variance 1: the sum of twelve uniform numbers, shifted. It is not quite a normal distribution (nothing
  /// lies beyond 6), but it takes no function of libm, whose last bit differs between machines.
  double normal();

private:
  uint64_t state[4];
};

} // namespace nag

#endif // NAG_SUPPORT_RANDOM_H
