//===- MemoryBandwidth.h - How fast this machine moves memory -------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The yardsticks of a kernel that is bound by memory: a copy, a = b, and a triad, a = b + s c, by all threads, of
// arrays that no cache holds.

#ifndef NAG_EXECUTION_MEMORYBANDWIDTH_H
#define NAG_EXECUTION_MEMORYBANDWIDTH_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace nag {

class MemoryBandwidth {
public:
  /// Takes the memory and writes it, so that the pages are there before anything is measured.
  static llvm::Expected<MemoryBandwidth> create();

  /// Measures each yardstick once, by stores through the caches and past them. Afterwards the caches hold the arrays.
  void measure();

  /// Medians of what was measured, in GB/s of what must move (a store through the caches moves more: the line is read
  /// first). Of the two ways to store, the one that is faster on this machine.
  double getCopy() const { return std::max(getMedian(copies[0]), getMedian(copies[1])); }
  double getTriad() const { return std::max(getMedian(triads[0]), getMedian(triads[1])); }

  unsigned getNumThreads() const { return threads; }
  /// The sizes of all last-level caches together; 0 where the system does not tell.
  uint64_t getCacheBytes() const { return cacheBytes; }

  /// Threads of OpenMP spin for a while after a parallel loop, which takes processors away from what is measured next.
  /// To be called before OpenMP is loaded; a KMP_BLOCKTIME of the user's stays.
  static void letOpenMPThreadsSleep();

  static double getMedian(std::vector<double> values);

private:
  MemoryBandwidth() = default;
  void runThreads(llvm::function_ref<void(uint64_t begin, uint64_t end)> part);
  double time(bool isTriad, bool isPastCaches);

  struct Free {
    void operator()(float *memory) const;
  };
  using Array = std::unique_ptr<float[], Free>;

  Array a, b, c;
  uint64_t elements = 0, cacheBytes = 0;
  unsigned threads = 1;
  /// By stores through the caches, and past them.
  std::vector<double> copies[2], triads[2];
};

} // namespace nag

#endif // NAG_EXECUTION_MEMORYBANDWIDTH_H
