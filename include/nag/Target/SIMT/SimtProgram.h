//===- SimtProgram.h - GPU kernels run on the CPU -------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compiles the device code of a module for the host, and launches its kernels as a CUDA driver would.

#ifndef NAG_TARGET_SIMT_SIMTPROGRAM_H
#define NAG_TARGET_SIMT_SIMTPROGRAM_H

#include "nag/Target/SIMT/Machine.h"
#include "nag/Target/SIMT/SimtReport.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace nag {

struct SimtOptions {
  /// Look for faults.
  bool check = false;
  /// Count accesses and instructions.
  bool count = false;
  /// The order in which threads and blocks run, and what nobody has written: 0 is ascending, any other is by chance.
  uint64_t seed = 0;
  /// Host threads; 0 is one for each processor. Checks and counts take one, so that they are the same each time.
  unsigned hostThreads = 0;
  /// Blocks of a persistent grid: what one multiprocessor holds is taken for one.
  int64_t residentBlocks = 2;
  /// The L2 cache that the counters assume.
  uint64_t l2Bytes = 50 * 1024 * 1024;
};

/// Memory that kernels may touch.
struct SimtBuffer {
  std::string name;
  void *base = nullptr;
  /// From the first byte of the first row to the last byte of the last.
  uint64_t bytes = 0;
  bool isReadOnly = false;
  /// Whether there is something to read before a kernel has written.
  bool isInitialized = true;
  uint64_t elementBytes = 1;
  /// Elements of a row, and bytes from a row to the next; 0 columns where there are no rows.
  uint64_t columns = 0, rowStride = 0;
  /// Whether each token has a row here.
  bool isPerToken = false;
};

/// What a kernel cannot help but move, as the program that it carries out says: for each token, and once a launch.
struct SimtFloor {
  uint64_t bytesPerToken = 0, bytesPerLaunch = 0;
};

class SimtMemory;

/// Device code of one module, ready to run. One thread may use it at a time.
class SimtProgram {
public:
  /// `bitcode` is what the code generator for NVIDIA GPUs is given (CompiledKernels::llvmBitcode). An error names the
  /// intrinsics that are not known.
  static llvm::Expected<std::unique_ptr<SimtProgram>> create(llvm::StringRef bitcode, const SimtOptions &options);
  ~SimtProgram();

  /// Tells the checker of memory. Without any buffer it takes all memory for everybody's.
  void registerBuffer(SimtBuffer buffer);
  /// Forgets all buffers; findings and counts stay.
  void clearBuffers();
  /// Launches from now on run in another order.
  void setSeed(uint64_t seed) { options.seed = report.seed = seed; }
  /// What the counters compare a kernel with.
  void setFloor(llvm::StringRef kernel, SimtFloor floor);

  /// Runs a kernel to its end; params[i] is the address of parameter i. An error is what would have stopped the launch,
  /// or the kernel. Findings are no error.
  llvm::Error launch(llvm::StringRef kernel, simt::Dim3 grid, simt::Dim3 block, uint32_t dynamicShared,
                     llvm::ArrayRef<void *> params);

  /// What all launches so far have shown.
  const SimtReport &getReport() const { return report; }
  bool hasKernel(llvm::StringRef name) const { return lowered.kernels.count(name.str()) != 0; }

private:
  explicit SimtProgram(const SimtOptions &options);
  llvm::Error compile(llvm::StringRef bitcode);
  llvm::Error runBlocks(const simt::LaunchConfig &launch);

  SimtOptions options;
  simt::LoweredModule lowered;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<std::unique_ptr<simt::Machine>> machines;
  unsigned machineThreads = 0;
  uint64_t machineShared = 0;
  std::unique_ptr<SimtMemory> memory;
  SimtReport report;
};

} // namespace nag

#endif // NAG_TARGET_SIMT_SIMTPROGRAM_H
