//===- PrintReport.cpp - What is known about compiled kernels -----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Prints a report for a reader, aligned, and for a program, as JSON with stable keys.

#include "nag/Compiler/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace nag;
using llvm::raw_ostream;

static std::string joinNumbers(llvm::ArrayRef<int64_t> numbers) {
  return llvm::join(llvm::map_range(numbers, [](int64_t number) { return std::to_string(number); }), ", ");
}

//===--------------------------------------------------------------------------------------------------------------===//
// Text
//===--------------------------------------------------------------------------------------------------------------===//

/// Prints rows of cells with two blanks between columns: the first two columns to the left, numbers to the right.
static void printTable(llvm::ArrayRef<std::vector<std::string>> rows, raw_ostream &stream) {
  std::vector<size_t> widths(rows.front().size());
  for (const std::vector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const std::vector<std::string> &row : rows) {
    std::string line = "  ";
    for (auto [i, width, cell] : llvm::enumerate(widths, row)) {
      std::string blanks(width - cell.size(), ' ');
      line += i < 2 ? cell + blanks + "  " : blanks + cell + "  ";
    }
    stream << llvm::StringRef(line).rtrim() << "\n";
  }
}

static void printFunctions(const KernelReport &kernel, raw_ostream &stream) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"function", "chip", "access bytes", "registers", "shared bytes", "spill loads", "spill stores",
                  "stack", "blocks/SM", "warps/SM", "limited by"});
  for (const FunctionReport &function : kernel.functions) {
    std::string access = joinNumbers(function.accessBytes);
    for (const ChipUse &use : function.uses) {
      const KernelResources &taken = use.resources;
      uint64_t sharedBytes = taken.staticSharedBytes + static_cast<uint64_t>(kernel.schedule->dynamicSharedBytes);
      rows.push_back({function.name, use.chip->name.str(), access, std::to_string(taken.registers),
                      std::to_string(sharedBytes), std::to_string(taken.spillLoadBytes),
                      std::to_string(taken.spillStoreBytes), std::to_string(taken.stackFrameBytes),
                      std::to_string(use.occupancy.blocksPerSM), std::to_string(use.occupancy.warpsPerSM),
                      stringifyOccupancyLimit(use.occupancy.limit).str()});
    }
    if (function.uses.empty())
      rows.push_back({function.name, "", access, "", "", "", "", "", "", "", ""});
  }
  if (llvm::all_of(kernel.functions, [](const FunctionReport &function) { return function.uses.empty(); }))
    for (std::vector<std::string> &row : rows)
      row.resize(3);
  printTable(rows, stream);
}

void nag::printText(const Report &report, raw_ostream &stream) {
  stream << "target " << report.target << ": " << llvm::join(report.machines, ", ") << "\n";
  for (const KernelReport &kernel : report.kernels) {
    stream << "\nentry " << kernel.entry << ", kernel " << kernel.name << ", ";
    if (kernel.width)
      stream << "rows of " << kernel.width << "\n";
    else
      stream << "numbers only\n";
    stream << "  bytes a token moves at least: " << kernel.readBytesPerToken + kernel.writtenBytesPerToken << " ("
           << kernel.readBytesPerToken << " read, " << kernel.writtenBytesPerToken
           << " written); tables, once: " << kernel.tableBytes << "\n";
    if (const std::optional<ScheduleReport> &schedule = kernel.schedule) {
      stream << "  schedule " << schedule->kind << ": " << schedule->threadsPerRow << " threads a row, "
             << schedule->rowsPerBlock << (schedule->rowsPerBlock == 1 ? " row" : " rows") << " a block; a grid of ";
      if (schedule->isPersistent)
        stream << "as many blocks as the device holds at once, which go from row to row\n";
      else if (schedule->rowsPerBlock == 1)
        stream << "as many blocks as tokens\n";
      else
        stream << "tokens / " << schedule->rowsPerBlock << " blocks, rounded up\n";
      stream << "  why: " << schedule->reason << "\n";
    }
    if (!kernel.functions.empty())
      printFunctions(kernel, stream);
  }
  if (!report.whyNoResources.empty())
    stream << "\nregisters, shared memory, spills and occupancy are not known: " << report.whyNoResources << "\n";
}

//===--------------------------------------------------------------------------------------------------------------===//
// JSON
//===--------------------------------------------------------------------------------------------------------------===//

static llvm::json::Value toJson(const ChipUse &use) {
  const KernelResources &taken = use.resources;
  return llvm::json::Object{
      {"chip", use.chip->name.str()},
      {"registers", taken.registers},
      {"static_shared_bytes", taken.staticSharedBytes},
      {"spill_load_bytes", taken.spillLoadBytes},
      {"spill_store_bytes", taken.spillStoreBytes},
      {"stack_bytes", taken.stackFrameBytes},
      {"blocks_per_sm", use.occupancy.blocksPerSM},
      {"warps_per_sm", use.occupancy.warpsPerSM},
      {"limited_by", stringifyOccupancyLimit(use.occupancy.limit).str()},
  };
}

static llvm::json::Value toJson(const FunctionReport &function) {
  llvm::json::Array uses;
  for (const ChipUse &use : function.uses)
    uses.push_back(toJson(use));
  return llvm::json::Object{
      {"name", function.name},
      {"access_bytes", llvm::json::Array(function.accessBytes)},
      {"any_alignment", function.anyAlignment},
      {"chips", std::move(uses)},
  };
}

static llvm::json::Value toJson(const KernelReport &kernel) {
  llvm::json::Object object{
      {"entry", kernel.entry},
      {"kernel", kernel.name},
      {"width", kernel.width},
      {"bytes_per_token", kernel.readBytesPerToken + kernel.writtenBytesPerToken},
      {"read_bytes_per_token", kernel.readBytesPerToken},
      {"written_bytes_per_token", kernel.writtenBytesPerToken},
      {"table_bytes", kernel.tableBytes},
  };
  if (!kernel.schedule)
    return object;
  object["schedule"] = kernel.schedule->kind;
  object["threads_per_row"] = kernel.schedule->threadsPerRow;
  object["rows_per_block"] = kernel.schedule->rowsPerBlock;
  object["persistent"] = kernel.schedule->isPersistent;
  object["dynamic_shared_bytes"] = kernel.schedule->dynamicSharedBytes;
  object["reason"] = kernel.schedule->reason;
  object["threads_per_block"] = kernel.schedule->threadsPerRow * kernel.schedule->rowsPerBlock;
  llvm::json::Array functions;
  for (const FunctionReport &function : kernel.functions)
    functions.push_back(toJson(function));
  object["functions"] = std::move(functions);
  return object;
}

void nag::printJson(const Report &report, raw_ostream &stream) {
  llvm::json::Array kernels;
  for (const KernelReport &kernel : report.kernels)
    kernels.push_back(toJson(kernel));
  llvm::json::Object object{
      {"version", 1},
      {"target", report.target},
      {"machines", llvm::json::Array(report.machines)},
      {"kernels", std::move(kernels)},
  };
  if (!report.whyNoResources.empty())
    object["why_no_resources"] = report.whyNoResources;
  stream << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
}
