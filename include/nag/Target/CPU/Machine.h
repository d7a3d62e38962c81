//===- Machine.h - The processor that code is made for ------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Turns the CPU options into a processor with known features and an LLVM target machine, or into one clear error.

#ifndef NAG_TARGET_CPU_MACHINE_H
#define NAG_TARGET_CPU_MACHINE_H

#include "nag/Target/CPU/Options.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <vector>

namespace llvm {
class MCSubtargetInfo;
class Target;
class TargetMachine;
} // namespace llvm

namespace nag {

class CpuMachine {
public:
  /// The processor that `options` name; the error of an unknown one says its name and where the known ones are listed.
  static llvm::Expected<CpuMachine> resolve(const CpuOptions &options);

  /// The names that `cpu` may have, `native` first.
  static std::vector<std::string> knownCpus();

  const llvm::Triple &getTriple() const { return triple; }
  llvm::StringRef getCpu() const { return cpu; }
  llvm::StringRef getFeatures() const { return features; }

  /// Whether the processor has a feature, by LLVM's name for it ("f16c").
  bool has(llvm::StringRef feature) const;
  /// Whether f32 -> f16 and f16 -> f32 are instructions.
  bool convertsF16() const;
  /// Whether f32 -> bf16 is an instruction that rounds to nearest even. It flushes subnormal results.
  bool convertsBF16() const;
  /// Whether there is an instruction that adds products of pairs of bf16 to f32.
  bool hasBF16Dot() const;
  /// Whether a * b + c, rounded once, is an instruction.
  bool hasFma() const;
  /// The widest vector register, in bits.
  unsigned vectorBits() const;
  /// The features that code for this processor may use and the machine we run on lacks, comma separated.
  std::string missingOnHost() const;

  std::unique_ptr<llvm::TargetMachine> createTargetMachine(unsigned optLevel, bool jit = false) const;

private:
  llvm::Triple triple;
  std::string cpu;
  std::string features;
  const llvm::Target *target = nullptr;
  std::shared_ptr<llvm::MCSubtargetInfo> subtarget;
};

} // namespace nag

#endif // NAG_TARGET_CPU_MACHINE_H
