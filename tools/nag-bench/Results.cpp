//===- Results.cpp - What was measured, and how it is shown -------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Results.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Threading.h"

#include "llvm/Support/Chrono.h"

using namespace nag;

/// Four digits are enough for people; counts are shown whole.
static std::string formatNumber(double value) {
  if (value == static_cast<double>(static_cast<int64_t>(value)) && std::abs(value) < 1e9)
    return std::to_string(static_cast<int64_t>(value));
  return llvm::formatv("{0}", llvm::format(std::abs(value) < 1000 ? "%.4g" : "%.0f", value)).str();
}

void nag::printTable(const BenchTable &table, llvm::raw_ostream &os) {
  os << table.title << "\n";
  for (const std::string &note : table.notes)
    os << "  " << note << "\n";
  if (table.results.empty()) {
    os << "\n";
    return;
  }
  bool isTimed = llvm::any_of(table.results, [](const BenchResult &result) { return result.milliseconds > 0; });
  std::vector<std::vector<std::string>> rows(1, {"benchmark"});
  if (isTimed)
    rows[0].push_back("ms");
  for (const auto &counter : table.results.front().counters)
    rows[0].push_back(counter.first);
  for (const BenchResult &result : table.results) {
    rows.push_back({result.name});
    if (isTimed)
      rows.back().push_back(formatNumber(result.milliseconds));
    for (const auto &counter : result.counters)
      rows.back().push_back(formatNumber(counter.second));
  }
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (auto [i, cell] : llvm::enumerate(row)) {
      if (widths.size() <= i)
        widths.push_back(0);
      widths[i] = std::max(widths[i], cell.size());
    }
  for (const auto &row : rows) {
    os << "  " << llvm::left_justify(row.front(), static_cast<unsigned>(widths.front()));
    for (size_t i = 1; i < row.size(); ++i)
      os << "  " << llvm::right_justify(row[i], static_cast<unsigned>(widths[i]));
    os << "\n";
  }
  os << "\n";
}

void nag::printJson(llvm::ArrayRef<BenchTable> tables, llvm::ArrayRef<std::pair<std::string, std::string>> context,
                    llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attributeObject("context", [&] {
      json.attribute("date", llvm::formatv("{0:%Y-%m-%dT%H:%M:%S}", std::chrono::system_clock::now()).str());
      json.attribute("executable", "nag-bench");
      json.attribute("num_cpus", llvm::hardware_concurrency().compute_thread_count());
      json.attribute("library_build_type", "release");
      for (const auto &[key, value] : context)
        json.attribute(key, value);
    });
    json.attributeArray("benchmarks", [&] {
      for (const BenchTable &table : tables)
        for (const BenchResult &result : table.results)
          json.object([&] {
            json.attribute("name", result.name);
            json.attribute("run_name", result.name);
            json.attribute("run_type", "iteration");
            json.attribute("repetitions", 1);
            json.attribute("repetition_index", 0);
            json.attribute("threads", 1);
            json.attribute("iterations", static_cast<int64_t>(result.iterations));
            json.attribute("real_time", result.milliseconds);
            json.attribute("cpu_time", result.milliseconds);
            json.attribute("time_unit", "ms");
            for (const auto &[key, value] : result.counters)
              json.attribute(key, value);
          });
    });
  });
  os << "\n";
}
