//===- CopyBandwidth.h - How fast this machine copies memory --------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The yardstick of a CPU kernel that is bound by memory: a plain copy, measured in the same process between its runs.

#ifndef NAG_EXECUTION_MEMORYBANDWIDTH_H
#define NAG_EXECUTION_MEMORYBANDWIDTH_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nag {

/// Copies one buffer to another, both of them at least 64 MiB and 4 times the last-level caches, with as many threads
/// as a kernel has: OMP_NUM_THREADS, or the processors that this process may use. Each thread has a part to itself,
/// which it copies with the C library's memcpy.
class CopyBandwidth {
public:
  /// Takes the memory and copies once, so that the pages are there before anything is measured.
  static llvm::Expected<CopyBandwidth> create();

  /// Copies and measures. Afterwards the caches hold the buffers of the copy.
  void measure();

  /// The median of what was measured in GB/s, where every byte counts twice: it is read and it is written.
  double getMedian() const;
  unsigned getNumThreads() const { return threads; }
  /// The sizes of all last-level caches together; 0 where the system does not tell.
  uint64_t getCacheBytes() const { return cacheBytes; }

  /// Threads of OpenMP spin for a while after a parallel loop, which takes processors away from a copy that comes next.
  /// To be called before OpenMP is loaded; a KMP_BLOCKTIME of the user's stays.
  static void letOpenMPThreadsSleep();

private:
  CopyBandwidth() = default;
  void copy();
  void runThreads(llvm::function_ref<void(uint64_t begin, uint64_t size)> part);

  struct Free {
    void operator()(char *memory) const;
  };
  using Buffer = std::unique_ptr<char[], Free>;

  Buffer from, to;
  uint64_t bytes = 0, cacheBytes = 0;
  unsigned threads = 1;
  std::vector<double> measured;
};

} // namespace nag

#endif // NAG_EXECUTION_MEMORYBANDWIDTH_H
