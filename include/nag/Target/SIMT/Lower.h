//===- Lower.h - From a module for the NVPTX back end to one for the host -------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Turns device code into host code that does the same for one thread.

#ifndef NAG_TARGET_SIMT_LOWER_H
#define NAG_TARGET_SIMT_LOWER_H

#include "nag/Target/SIMT/Lowered.h"

#include "llvm/Support/Error.h"

namespace llvm {
class DataLayout;
class Module;
class Triple;
} // namespace llvm

namespace nag::simt {

struct LowerOptions {
  /// Report accesses to the observer.
  bool watch = false;
  /// Count basic blocks.
  bool count = false;
};

/// Changes `module` in place. Everything stays what the code generator for the GPU was given, but for intrinsics,
/// shared memory, 16-bit floats that a host has no instructions for, and the hooks. An error names what is not known.
llvm::Expected<LoweredModule> lowerToHost(llvm::Module &module, const llvm::Triple &host,
                                          const llvm::DataLayout &layout, const LowerOptions &options);

// The parts of it.

/// Arithmetic on bf16 becomes arithmetic on f32 with one rounding; conversions become integer operations.
void expandHalf(llvm::Module &module);

/// Inserts a counter into each basic block, and notes what the block holds. Generated code has the address of
/// `lowered.blockVisits`, which must not be resized.
void countInstructions(llvm::Module &module, LoweredModule &lowered);

/// Has every access of memory that may be another thread's business ask the observer where to go.
void watchAccesses(llvm::Module &module, LoweredModule &lowered);

} // namespace nag::simt

#endif // NAG_TARGET_SIMT_LOWER_H
