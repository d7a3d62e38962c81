//===- Lowered.h - What is known about kernels that were compiled for the host --------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Describes a device module after its translation for the host: kernels, shared memory, and the places in the code that
// a finding or a count is about.

#ifndef NAG_TARGET_SIMT_LOWERED_H
#define NAG_TARGET_SIMT_LOWERED_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nag::simt {

/// An instruction that touches memory or other threads. Generated code names it by its index.
struct Site {
  enum Kind : uint8_t {
    Load,
    Store,
    Atomic,
    AsyncCopy,
    MatrixLoad,
    MatrixProduct,
    Shuffle,
    Vote,
    Barrier,
    WarpBarrier,
    Other
  };
  Kind kind = Other;
  /// What one thread accesses, in pieces as the GPU's instructions do it.
  uint32_t pieceBytes = 0, pieces = 1;
  /// What the instruction promises about the address.
  uint32_t alignment = 1;
  /// The intrinsic's name or the instruction's.
  std::string name;
  std::string function;
  /// file:line:column, where the module carries it.
  std::string location;

  uint32_t bytes() const { return pieceBytes * pieces; }
  bool reads() const { return kind == Load || kind == Atomic || kind == AsyncCopy || kind == MatrixLoad; }
  bool writes() const { return kind == Store || kind == Atomic; }
};

/// Instructions by kind, as counted.
enum class InstructionKind : uint8_t {
  Float,
  Fma,
  Special,
  Integer,
  Convert,
  Load,
  Store,
  Atomic,
  Shuffle,
  Barrier,
  Control,
  Other,
};
constexpr unsigned kNumInstructionKinds = 12;
const char *getName(InstructionKind kind);
using InstructionCounts = std::array<uint64_t, kNumInstructionKinds>;

struct SharedVariable {
  std::string name;
  uint64_t offset, bytes;
};

struct LoweredKernel {
  /// The host's function of it, `void (void **params)`.
  std::string wrapper;
  unsigned numParams = 0;
  /// The block size that the kernel was compiled for; 0 where it does not say.
  uint32_t maxThreads = 0;
};

/// A variable in global or constant memory of the module.
struct ModuleVariable {
  std::string name;
  uint64_t bytes;
  bool isConstant;
};

struct LoweredModule {
  std::map<std::string, LoweredKernel> kernels;
  std::vector<Site> sites;
  /// What runs when basic block i runs once.
  std::vector<InstructionCounts> blocks;
  /// Counts of basic blocks, which the generated code increments.
  std::vector<uint64_t> blockVisits;
  std::vector<SharedVariable> shared;
  std::vector<ModuleVariable> globals;
  /// Bytes of static shared memory, with gaps between the variables; dynamic shared memory begins there.
  uint64_t staticShared = 0;
};

} // namespace nag::simt

#endif // NAG_TARGET_SIMT_LOWERED_H
