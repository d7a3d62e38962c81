//===- Report.h - What is known about compiled kernels --------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The report on the kernels of a compilation: how they are spread over the machine, what they take of it, and how many
// bytes they cannot help but move.

#ifndef NAG_COMPILER_REPORT_H
#define NAG_COMPILER_REPORT_H

#include "nag/Target/CUDA/Occupancy.h"
#include "nag/Target/CUDA/Ptxas.h"

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir {
class ModuleOp;
namespace gpu {
class GPUModuleOp;
} // namespace gpu
} // namespace mlir

namespace nag {

/// What one function on a GPU takes of one chip.
struct ChipUse {
  const Chip *chip;
  KernelResources resources;
  Occupancy occupancy;
};

/// A function on a GPU that carries out a kernel.
struct FunctionReport {
  std::string name;
  /// Bytes that one access to a row takes; more than one number where operands differ in type.
  llvm::SmallVector<int64_t> accessBytes;
  /// Whether rows may start anywhere, not only where the widest accesses may.
  bool anyAlignment = false;
  std::vector<ChipUse> uses;
};

struct ScheduleReport {
  std::string kind;
  int64_t threadsPerRow;
  int64_t rowsPerBlock;
  /// Whether blocks go from row to row, and the bytes of shared memory that they ask for at launch.
  bool isPersistent;
  int64_t dynamicSharedBytes;
  /// Why it is this one.
  std::string reason;
};

/// One `row.kernel`.
struct KernelReport {
  std::string entry;
  std::string name;
  /// Elements of a row; 0 where the kernel sees numbers only.
  int64_t width;
  /// Rows and numbers of one token, each input read once and each output written once.
  int64_t readBytesPerToken = 0;
  int64_t writtenBytesPerToken = 0;
  /// What all tokens share, counted once.
  int64_t tableBytes = 0;

  // On a GPU only.
  std::optional<ScheduleReport> schedule;
  llvm::SmallVector<int64_t> rowElementBytes;
  std::vector<FunctionReport> functions;
};

struct Report {
  /// "cpu" or "cuda".
  std::string target;
  /// The processor or the chips.
  std::vector<std::string> machines;
  std::vector<KernelReport> kernels;
  /// Why there are no registers, spills and occupancies in the report of a GPU's kernels; empty if there are.
  std::string whyNoResources;
};

/// The kernels of a module, which are `row.kernel`s still, in their order. Of a GPU's it is said how their schedules
/// fit a chip whose blocks can have `maxSharedBytes` of shared memory.
std::vector<KernelReport> describeKernels(mlir::ModuleOp module, int64_t maxSharedBytes = 0);

/// Adds the functions that `kernels` have become.
void addFunctions(mlir::gpu::GPUModuleOp module, std::vector<KernelReport> &kernels);

/// Adds what the functions take of the chip that `cubin` is for. Fails if one of them is not in the cubin.
mlir::LogicalResult addResources(const Cubin &cubin, std::vector<KernelReport> &kernels, EmitError emitError);

void printText(const Report &report, llvm::raw_ostream &stream);
void printJson(const Report &report, llvm::raw_ostream &stream);

} // namespace nag

#endif // NAG_COMPILER_REPORT_H
