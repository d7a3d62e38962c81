//===- SimtBackend.cpp - Launches of the run-time library, run on the CPU -----------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Hands launches to the program of their module.

#include "nag/Target/SIMT/SimtBackend.h"

using namespace nag;

/// Our number among those of the driver: cudaErrorLaunchFailure.
static constexpr int kLaunchFailure = 719;

static int32_t fail(llvm::Error error, int code) {
  nag_set_last_error(("simt: " + llvm::toString(std::move(error))).c_str());
  return (NAG_STATUS_DEVICE << 16) | code;
}

SimtBackend::SimtBackend(const SimtOptions &options) : options(options) {
  backend.launch = [](void *self, const nag_kernel_launch *launch) {
    return static_cast<SimtBackend *>(self)->launch(*launch);
  };
  backend.prepare = [](void *self, nag_gpu_module *module) {
    return static_cast<SimtBackend *>(self)->prepare(*module);
  };
  backend.release = [](void *self, nag_gpu_module *module) {
    return static_cast<SimtBackend *>(self)->release(*module);
  };
  backend.self = this;
  before = nag_set_backend(&backend);
}

SimtBackend::~SimtBackend() { nag_set_backend(before); }

void SimtBackend::registerBuffer(SimtBuffer buffer) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[module, program] : programs)
    program->registerBuffer(buffer);
  buffers.push_back(std::move(buffer));
}

void SimtBackend::clearBuffers() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[module, program] : programs)
    program->clearBuffers();
  buffers.clear();
}

void SimtBackend::setSeed(uint64_t seed) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[module, program] : programs)
    program->setSeed(seed);
  options.seed = seed;
}

void SimtBackend::setFloor(llvm::StringRef kernel, SimtFloor floor) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[module, program] : programs)
    program->setFloor(kernel, floor);
  floors[kernel.str()] = floor;
}

static void append(SimtReport &to, const SimtReport &from) {
  to.findings.insert(to.findings.end(), from.findings.begin(), from.findings.end());
  to.kernels.insert(to.kernels.end(), from.kernels.begin(), from.kernels.end());
}

SimtReport SimtBackend::getReport() {
  std::lock_guard<std::mutex> lock(mutex);
  SimtReport all = past;
  all.seed = options.seed;
  all.l2Bytes = options.l2Bytes;
  for (auto &[module, program] : programs)
    append(all, program->getReport());
  return all;
}

llvm::Expected<SimtProgram &> SimtBackend::getProgram(nag_gpu_module &module) {
  std::unique_ptr<SimtProgram> &program = programs[&module];
  if (program)
    return *program;
  llvm::StringRef image(static_cast<const char *>(module.image), static_cast<size_t>(module.image_size));
  llvm::Expected<std::unique_ptr<SimtProgram>> made = SimtProgram::create(image, options);
  if (!made) {
    programs.erase(&module);
    return made.takeError();
  }
  program = std::move(*made);
  for (const SimtBuffer &buffer : buffers)
    program->registerBuffer(buffer);
  for (auto &[kernel, floor] : floors)
    program->setFloor(kernel, floor);
  return *program;
}

int32_t SimtBackend::prepare(nag_gpu_module &module) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::Expected<SimtProgram &> program = getProgram(module);
  return program ? NAG_STATUS_OK : fail(program.takeError(), NAG_DEVICE_BAD_MODULE);
}

int32_t SimtBackend::release(nag_gpu_module &module) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = programs.find(&module);
  if (found == programs.end())
    return NAG_STATUS_OK;
  append(past, found->second->getReport());
  programs.erase(found);
  return NAG_STATUS_OK;
}

int32_t SimtBackend::launch(const nag_kernel_launch &launch) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::Expected<SimtProgram &> program = getProgram(*launch.module);
  if (!program)
    return fail(program.takeError(), NAG_DEVICE_BAD_MODULE);
  auto toDim = [](auto *extents) {
    simt::Dim3 dim;
    dim.x = static_cast<uint32_t>(extents[0]);
    dim.y = static_cast<uint32_t>(extents[1]);
    dim.z = static_cast<uint32_t>(extents[2]);
    return dim;
  };
  simt::Dim3 grid = toDim(launch.grid);
  if (launch.is_persistent)
    grid.x = static_cast<uint32_t>(std::min<int64_t>(launch.grid[0], options.residentBlocks));
  llvm::ArrayRef<void *> params(launch.params, static_cast<size_t>(launch.num_params));
  if (llvm::Error error = program->launch(launch.kernel->name, grid, toDim(launch.block),
                                          static_cast<uint32_t>(launch.dynamic_shared), params))
    return fail(std::move(error), kLaunchFailure);
  return NAG_STATUS_OK;
}
