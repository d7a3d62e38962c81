//===- Ptxas.h - From PTX to cubin and fatbin ---------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Assembles PTX with the toolkit's ptxas, reads what each kernel takes of the chip, and packs fat binaries.
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_TARGET_CUDA_PTXAS_H
#define NAG_TARGET_CUDA_PTXAS_H

#include "nag/Target/CUDA/Toolkit.h"
#include "llvm/ADT/SmallVector.h"

namespace nag {

/// What one kernel takes, as ptxas reports it. Registers are per thread, shared memory per block.
struct KernelResources {
  std::string name;
  unsigned registers = 0;
  unsigned barriers = 0;
  uint64_t staticSharedBytes = 0;
  uint64_t stackFrameBytes = 0;
  uint64_t spillStoreBytes = 0;
  uint64_t spillLoadBytes = 0;
  uint64_t constantBytes = 0;
};

/// Machine code for one chip.
struct Cubin {
  const Chip *chip;
  std::string image;
  /// In the order of the kernels' names.
  llvm::SmallVector<KernelResources> kernels;
  /// All that ptxas printed, warnings among it.
  std::string report;
};

struct PtxasOptions {
  unsigned optLevel = 3;
  /// Further arguments, passed on as they are.
  llvm::SmallVector<std::string> extraArguments;
};

/// Assembles `ptx` for `chip`.
mlir::FailureOr<Cubin> assemble(llvm::StringRef ptx, const Chip &chip, const Toolkit &toolkit, EmitError emitError,
                                const PtxasOptions &options = {});

/// Packs cubins, and PTX for chips to come if `ptx` is not empty, into one fat binary. `ptxChip` is what the PTX was
/// compiled for; a driver compiles it for any chip from there on. A chip may have one cubin.
mlir::FailureOr<std::string> makeFatbin(llvm::ArrayRef<Cubin> cubins, llvm::StringRef ptx, const Chip *ptxChip,
                                        const Toolkit &toolkit, EmitError emitError);

/// The kernels' resources in the output of `ptxas -v`, in the order of their names. Fails if the text holds a kernel
/// without its register count, which means that ptxas has changed its ways.
mlir::FailureOr<llvm::SmallVector<KernelResources>> parsePtxasReport(llvm::StringRef report, EmitError emitError);

} // namespace nag

#endif // NAG_TARGET_CUDA_PTXAS_H
