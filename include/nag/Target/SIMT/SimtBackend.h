//===- SimtBackend.h - Launches of the run-time library, run on the CPU ---------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Serves nag_launch: compiled entries run their kernels here instead of on a GPU, with the same parameters.

#ifndef NAG_TARGET_SIMT_SIMTBACKEND_H
#define NAG_TARGET_SIMT_SIMTBACKEND_H

#include "nag/Runtime/Runtime.h"
#include "nag/Target/SIMT/SimtProgram.h"

#include <map>
#include <mutex>

namespace nag {

/// The back end of this process as long as it lives. A module's image must be the bitcode of its kernels
/// (CompiledKernels::llvmBitcode). A launch returns when the kernel has ended.
class SimtBackend {
public:
  explicit SimtBackend(const SimtOptions &options);
  ~SimtBackend();
  SimtBackend(const SimtBackend &) = delete;
  SimtBackend &operator=(const SimtBackend &) = delete;

  /// Of all kernels that are launched from now on.
  void registerBuffer(SimtBuffer buffer);
  void clearBuffers();
  void setSeed(uint64_t seed);
  void setFloor(llvm::StringRef kernel, SimtFloor floor);

  /// What all launches of all modules have shown.
  SimtReport getReport();

private:
  llvm::Expected<SimtProgram &> getProgram(nag_gpu_module &module);
  int32_t launch(const nag_kernel_launch &launch);
  int32_t prepare(nag_gpu_module &module);
  int32_t release(nag_gpu_module &module);

  SimtOptions options;
  nag_backend backend;
  const nag_backend *before;
  std::mutex mutex;
  std::vector<SimtBuffer> buffers;
  std::map<std::string, SimtFloor> floors;
  std::map<nag_gpu_module *, std::unique_ptr<SimtProgram>> programs;
  /// Of modules that have been released.
  SimtReport past;
};

} // namespace nag

#endif // NAG_TARGET_SIMT_SIMTBACKEND_H
