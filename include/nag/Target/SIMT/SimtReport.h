//===- SimtReport.h - What a run of GPU kernels on the CPU has shown ------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Findings of the checker and figures of the counters, as data, as text and as JSON.

#ifndef NAG_TARGET_SIMT_SIMTREPORT_H
#define NAG_TARGET_SIMT_SIMTREPORT_H

#include "nag/Target/SIMT/Lowered.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace nag {

enum class FindingKind : uint8_t {
  OutOfBoundsRead,
  OutOfBoundsWrite,
  Misaligned,
  UninitializedRead,
  RaceInBlock,
  RaceBetweenBlocks,
  InactiveLane,
  DivergentBarrier,
  WriteToInput,
};
const char *getName(FindingKind kind);

/// One fault. The same fault of the same instruction at the same buffer is one finding, with the first that was seen.
struct Finding {
  FindingKind kind;
  std::string kernel;
  /// The buffer or shared variable; empty where there is none.
  std::string buffer;
  /// Where in the buffer: the byte, and the row and column where the buffer has rows (else -1).
  int64_t byteOffset = 0, row = -1, column = -1;
  /// The block and the thread in it, and the other party of a race (-1: there is none).
  uint32_t block[3] = {0, 0, 0};
  int64_t thread = -1, otherThread = -1, otherBlock = -1;
  /// The instruction, and file:line:column where the module has it.
  std::string instruction, location;
  std::string detail;
  uint64_t occurrences = 1;

  std::string toString() const;
};

/// Accesses of one kernel to one buffer, in one direction.
struct TrafficCounts {
  /// Instructions of a warp, and those of threads.
  uint64_t warpAccesses = 0, threadAccesses = 0;
  /// What the threads asked for, and how much of it is different bytes within a warp's instruction.
  uint64_t askedBytes = 0, uniqueBytes = 0;
  /// 32-byte sectors of warps' instructions.
  uint64_t sectors = 0;
  /// Of those, sectors that no access had touched before; that L2 still had; and that it had lost.
  uint64_t firstSectors = 0, hitSectors = 0, lostSectors = 0;
  /// Thread accesses by width: 1, 2, 4, 8, 16 bytes.
  uint64_t widths[5] = {0, 0, 0, 0, 0};

  /// Of every byte moved, the share that was asked for.
  double usedShare() const { return sectors ? double(uniqueBytes) / double(32 * sectors) : 1; }
};

struct BufferCounts {
  std::string name;
  TrafficCounts reads, writes;
  /// Different bytes that were read, and written.
  uint64_t readFloor = 0, writeFloor = 0;
};

struct KernelCounts {
  std::string name;
  uint64_t launches = 0, blocks = 0, threads = 0;
  /// Rows of the buffers that have one for each token; 0 where there are none.
  uint64_t tokens = 0;
  /// Those that were touched, by name.
  std::vector<BufferCounts> buffers;
  uint64_t sharedAccesses = 0, sharedWavefronts = 0, bankConflicts = 0;
  uint64_t barriers = 0, warpExchanges = 0, warpBarriers = 0;
  simt::InstructionCounts instructions = {};

  /// What the row program says that must move; 0 where nobody has told.
  uint64_t programFloor = 0;

  /// Through memory beyond L2.
  uint64_t movedBytes() const;
  /// The row program's floor, or else the different bytes that were touched.
  uint64_t floorBytes() const;
};

struct SimtReport {
  std::vector<Finding> findings;
  std::vector<KernelCounts> kernels;
  uint64_t seed = 0, l2Bytes = 0;

  void printFindings(llvm::raw_ostream &os) const;
  void printCounts(llvm::raw_ostream &os) const;
  void printJson(llvm::raw_ostream &os) const;
};

} // namespace nag

#endif // NAG_TARGET_SIMT_SIMTREPORT_H
