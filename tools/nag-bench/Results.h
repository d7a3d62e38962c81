//===- Results.h - What was measured, and how it is shown -----------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_TOOLS_NAGBENCH_RESULTS_H
#define NAG_TOOLS_NAGBENCH_RESULTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace nag {

/// One benchmark: a row of a table, and an element of the JSON.
struct BenchResult {
  std::string name; ///< Target, kernel and case, by slashes.
  uint64_t iterations = 0;
  double milliseconds = 0; ///< The median of the iterations; 0 where no time was taken.
  /// Further numbers by their names, in the order in which they are shown.
  std::vector<std::pair<std::string, double>> counters;
};

/// What was measured in one way: a table with a column for each counter.
struct BenchTable {
  std::string title;
  std::vector<std::string> notes;
  std::vector<BenchResult> results;
};

void printTable(const BenchTable &table, llvm::raw_ostream &os);

/// In the form of Google Benchmark, so that its tools read it. `context` are further entries of that name.
void printJson(llvm::ArrayRef<BenchTable> tables, llvm::ArrayRef<std::pair<std::string, std::string>> context,
               llvm::raw_ostream &os);

} // namespace nag

#endif // NAG_TOOLS_NAGBENCH_RESULTS_H
