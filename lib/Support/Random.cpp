//===- Random.cpp - Random numbers that are the same on every machine ---------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The generator's steps and how it is seeded.

#include "nag/Support/Random.h"

using namespace nag;

static uint64_t rotateLeft(uint64_t x, int count) { return (x << count) | (x >> (64 - count)); }

/// SplitMix64: one step of its state, and the scrambled output.
static uint64_t splitMix(uint64_t &x) {
  x += 0x9e3779b97f4a7c15;
  uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Random::Random(uint64_t seed, uint64_t stream, uint64_t row) {
  // Each number is scrambled before the next is added, so that (seed, stream, row) do not run into each other.
  uint64_t x = seed;
  x = splitMix(x) + stream;
  x = splitMix(x) + row;
  for (uint64_t &word : state)
    word = splitMix(x);
}

uint64_t Random::bits() {
  uint64_t result = rotateLeft(state[1] * 5, 7) * 9;
  uint64_t shifted = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = rotateLeft(state[3], 45);
  return result;
}

double Random::normal() {
  // Two uniform numbers of 32 bits from each draw; their sum is exact in 36 bits.
  int64_t sum = -(int64_t(6) << 32);
  for (int i = 0; i < 6; ++i) {
    uint64_t draw = bits();
    sum += int64_t(draw >> 32) + int64_t(draw & 0xffffffff);
  }
  // Twelve numbers are cut off downwards by half a step each, on average.
  return double(sum + 6) * 0x1p-32;
}
