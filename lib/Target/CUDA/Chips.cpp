//===- Chips.cpp - NVIDIA chips and what they offer ---------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// The chips that both LLVM's NVPTX back end and ptxas 13 know, from compute capability 8.0 on.
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Target/CUDA/Chips.h"
#include "llvm/ADT/STLExtras.h"

using namespace nag;

static constexpr unsigned KiB = 1024;

// Limits from the table "Technical Specifications per Compute Capability" of the CUDA programming guide. A chip with an
// "a" gives up compatibility with later chips for instructions of its own.
static const Chip chips[] = {
    // name, PTX, threads/SM, blocks/SM, shared/SM, shared/block
    {"sm_80", 70, 2048, 32, 164 * KiB, 163 * KiB},  {"sm_86", 71, 1536, 16, 100 * KiB, 99 * KiB},
    {"sm_87", 74, 1536, 16, 164 * KiB, 163 * KiB},  {"sm_89", 78, 1536, 24, 100 * KiB, 99 * KiB},
    {"sm_90", 78, 2048, 32, 228 * KiB, 227 * KiB},  {"sm_90a", 80, 2048, 32, 228 * KiB, 227 * KiB},
    {"sm_100", 86, 2048, 32, 228 * KiB, 227 * KiB}, {"sm_100a", 86, 2048, 32, 228 * KiB, 227 * KiB},
    {"sm_103", 88, 2048, 32, 228 * KiB, 227 * KiB}, {"sm_103a", 88, 2048, 32, 228 * KiB, 227 * KiB},
    {"sm_110", 90, 1536, 24, 228 * KiB, 227 * KiB}, {"sm_110a", 90, 1536, 24, 228 * KiB, 227 * KiB},
    {"sm_120", 87, 1536, 24, 100 * KiB, 99 * KiB},  {"sm_120a", 87, 1536, 24, 100 * KiB, 99 * KiB},
    {"sm_121", 88, 1536, 24, 100 * KiB, 99 * KiB},  {"sm_121a", 88, 1536, 24, 100 * KiB, 99 * KiB},
};

llvm::ArrayRef<Chip> nag::getChips() { return chips; }

unsigned Chip::getNumber() const {
  unsigned number = 0;
  llvm::StringRef arch = getArch();
  arch.consumeInteger(10, number);
  return number;
}

mlir::FailureOr<const Chip *> nag::lookupChip(llvm::StringRef name, EmitError emitError) {
  for (const Chip &chip : chips)
    if (chip.name == name)
      return &chip;
  mlir::InFlightDiagnostic diagnostic = emitError();
  diagnostic << "unknown chip '" << name << "'; known chips are ";
  llvm::interleaveComma(chips, diagnostic, [&](const Chip &chip) { diagnostic << chip.name; });
  return diagnostic;
}
