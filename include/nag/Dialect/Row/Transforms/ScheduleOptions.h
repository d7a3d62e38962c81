//===- ScheduleOptions.h - What users may say about schedules -------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Free of MLIR, for the options of tools.

#ifndef NAG_DIALECT_ROW_TRANSFORMS_SCHEDULEOPTIONS_H
#define NAG_DIALECT_ROW_TRANSFORMS_SCHEDULEOPTIONS_H

#include <cstdint>
#include <string>

namespace nag::row {

/// Whether the blocks of a GPU's grid stay and go from row to row: where the cost model finds that it pays, never, or
/// always.
enum class PersistentGrid { Auto, Off, On };

/// Shared memory that a block has on every chip without being asked for.
inline constexpr int64_t kDefaultSharedBytes = 48 * 1024;

/// What a user wants of the schedules of a GPU's kernels.
struct ScheduleOptions {
  /// warp, block or stream; empty lets the cost model choose.
  std::string kind;
  PersistentGrid persistent = PersistentGrid::Auto;
  /// Whether contractions of 16-bit rows go to tensor cores, in an order of sums of their own.
  bool tensorCores = false;
};

} // namespace nag::row

#endif // NAG_DIALECT_ROW_TRANSFORMS_SCHEDULEOPTIONS_H
