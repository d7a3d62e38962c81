//===- Options.h - What a user may choose about CPU code ----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// The options that every step of the CPU target reads: which processor, threads or not, which tools to link with.

#ifndef NAG_TARGET_CPU_OPTIONS_H
#define NAG_TARGET_CPU_OPTIONS_H

#include <string>

namespace nag {

struct CpuOptions {
  /// `native`, or a name LLVM knows: x86-64, x86-64-v3, znver4, sapphirerapids, ...
  std::string cpu = "native";
  /// Features on top of those of the processor, as LLVM writes them: "+avx512bf16,-f16c".
  std::string features;
  /// Spread the outermost scf.parallel over OpenMP threads; otherwise loops are serial.
  bool openmp = true;
  /// LLVM's optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// Program that links a shared library: a C compiler driver or an ELF linker. Empty: the first one found.
  std::string linker;
  /// Path of LLVM's OpenMP runtime (libomp.so). Empty: the first one found.
  std::string ompLibrary;
};

} // namespace nag

#endif // NAG_TARGET_CPU_OPTIONS_H
