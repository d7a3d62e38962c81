//===- CompileOptions.h - What a compilation is asked for -----------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The options of one compilation, and how they are read from text and checked before anything is compiled.

#ifndef NAG_COMPILER_COMPILEOPTIONS_H
#define NAG_COMPILER_COMPILEOPTIONS_H

#include "nag/Dialect/Row/Transforms/ScheduleOptions.h"
#include "nag/Target/CPU/Options.h"
#include "nag/Target/CUDA/Serialize.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace mlir {
class PassManager;
} // namespace mlir

namespace nag {

enum class Target { CPU, CUDA };

/// The product of a compilation. `Row` is the entries with their row programs, `MLIR` the module before it goes down to
/// LLVM, `None` nothing but the report.
enum class Emit { Row, MLIR, LLVMIR, PTX, Cubin, Fatbin, Assembly, Object, Shared, Header, None };

struct CompileOptions {
  Target target = Target::CPU;
  Emit emit = Emit::Object;
  /// What the user calls the product: the soname of a library, the include guard of a header.
  std::string name = "kernels";
  bool report = false;

  CpuOptions cpu;
  /// `cuda.chip` is not used: `chips` are the chips to compile for, one except for a fat binary, a report or MLIR.
  CudaOptions cuda;
  llvm::SmallVector<std::string> chips = {"sm_90"};
  /// The schedules of a GPU's kernels.
  row::ScheduleOptions schedule;
  /// Whether kernels that walk the same rows become one.
  bool fuse = true;
  /// Whether streams in residual form become lanes where that moves fewer rows.
  bool lanes = false;

  /// Called on every pass manager before it runs, for timing and printing.
  std::function<mlir::LogicalResult(mlir::PassManager &)> configurePasses;
};

/// Sets target and product from what the user said of them, each of which may be empty: a product is guessed from the
/// suffix of `outputPath`, then from the target (an object, PTX); a target from the product if only one has it.
llvm::Error chooseTargetAndEmit(llvm::StringRef target, llvm::StringRef emit, llvm::StringRef outputPath,
                                CompileOptions &options);

/// Reads "sm_80,sm_90" into `options.chips`.
llvm::Error parseChips(llvm::StringRef list, CompileOptions &options);

/// Whether the options fit each other, this machine and what the targets know. An error names the option by the name
/// that nagc has for it.
llvm::Error verifyOptions(const CompileOptions &options);

/// Whether the product is bytes, not text.
bool isBinary(Emit emit);

} // namespace nag

#endif // NAG_COMPILER_COMPILEOPTIONS_H
