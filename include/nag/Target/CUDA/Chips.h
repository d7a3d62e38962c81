//===- Chips.h - NVIDIA chips and what they offer -----------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// The table of chips that the CUDA target compiles for, with the limits that schedules and launches depend on.
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_TARGET_CUDA_CHIPS_H
#define NAG_TARGET_CUDA_CHIPS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace nag {

/// How a function of this library reports what went wrong: the caller knows where that belongs in the source.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// A chip, by the name that LLVM and ptxas know it by. Sizes are in bytes.
struct Chip {
  llvm::StringLiteral name;
  /// The first PTX version that knows the chip, times ten: 78 is PTX 7.8.
  unsigned ptxVersion;
  unsigned maxThreadsPerSM;
  unsigned maxBlocksPerSM;
  unsigned sharedBytesPerSM;
  /// What a block may have at most, after the launch has opted in to more than `maxStaticSharedBytes`.
  unsigned maxSharedBytesPerBlock;

  // Equal on every chip of the table.
  static constexpr unsigned warpSize = 32;
  static constexpr unsigned maxThreadsPerBlock = 1024;
  static constexpr unsigned maxStaticSharedBytes = 48 * 1024;
  static constexpr unsigned registersPerSM = 64 * 1024;
  static constexpr unsigned maxRegistersPerBlock = 64 * 1024;
  static constexpr unsigned maxRegistersPerThread = 255;

  /// The name without "sm_", as fatbinary wants it: "90a".
  llvm::StringRef getArch() const { return name.drop_front(3); }

  /// Ten times the compute capability: 90.
  unsigned getNumber() const;
};

/// All chips, in the order of their numbers.
llvm::ArrayRef<Chip> getChips();

/// The chip of that name. An unknown name is one error that lists the known ones.
mlir::FailureOr<const Chip *> lookupChip(llvm::StringRef name, EmitError emitError);

} // namespace nag

#endif // NAG_TARGET_CUDA_CHIPS_H
