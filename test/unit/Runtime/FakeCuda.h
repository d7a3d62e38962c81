//===- FakeCuda.h - What the stand-in for the CUDA driver records -------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The calls that the fake driver has seen, and what it is told to answer.

#ifndef NAG_TEST_UNIT_RUNTIME_FAKECUDA_H
#define NAG_TEST_UNIT_RUNTIME_FAKECUDA_H

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

struct FakeLaunch {
  void *context, *function, *stream;
  unsigned grid[3], block[3], sharedBytes;
  /// The first 8 bytes of each parameter; as many as the test's kernels have.
  std::vector<uint64_t> params;
};

struct FakeCuda {
  std::mutex mutex;
  /// Names of the functions called, in order, queries of the current context left out.
  std::vector<std::string> calls;
  std::vector<FakeLaunch> launches;
  /// The next calls of a function, by name, return this error.
  std::map<std::string, int> fail;
  /// Contexts of streams.
  std::map<void *, void *> streamContexts;
  /// Unique numbers of contexts, where they are not their addresses.
  std::map<void *, unsigned long long> contextIds;
  /// Images that were loaded, with the context each time.
  std::vector<std::pair<void *, const void *>> loads;
  /// Modules that were unloaded, with the context each time.
  std::vector<void *> unloads;
  std::vector<std::pair<int, int>> functionAttributes;
  /// What a kernel does.
  std::function<void(void **params)> run;
  /// How many parameters of a launch to record.
  size_t numParams = 0;
  int numDevices = 2;
  int64_t numAllocations = 0;

  int count(const std::string &name) const {
    int n = 0;
    for (const std::string &call : calls)
      n += call == name;
    return n;
  }
};

#endif // NAG_TEST_UNIT_RUNTIME_FAKECUDA_H
