//===- Launch.cpp - What compiled entries call --------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Checks a launch and hands it to the back end; keeps the text of the last error.

#include "CudaLaunch.h"

#include "nag/Runtime/CudaDriver.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

using namespace nag;

/// In the first dimension of a grid.
static constexpr int64_t kMostBlocks = 0x7fffffff;

static std::atomic<const nag_backend *> currentBackend{nullptr};

static std::string &lastError() {
  static thread_local std::string text;
  return text;
}

const char *nag_last_error() { return lastError().c_str(); }
void nag_set_last_error(const char *text) { lastError() = text; }

const nag_backend *nag_set_backend(const nag_backend *backend) { return currentBackend.exchange(backend); }

static int32_t verify(const nag_gpu_module &module) {
  if (module.abi_version == NAG_ABI_VERSION)
    return NAG_STATUS_OK;
  return failWithDevice(NAG_DEVICE_BAD_MODULE, "the entry was compiled for version " +
                                                   std::to_string(module.abi_version) +
                                                   " of the calling convention, this run-time library has version " +
                                                   std::to_string(NAG_ABI_VERSION));
}

/// Checks a launch, fills in what the module says of its kernel, and hands it on.
static int32_t launchKernel(nag_kernel_launch launch, int32_t kernel) {
  const nag_gpu_module &module = *launch.module;
  if (int32_t status = verify(module))
    return status;
  if (kernel < 0 || static_cast<uint32_t>(kernel) >= module.num_kernels)
    return failWithDevice(NAG_DEVICE_BAD_MODULE, "the module has no kernel number " + std::to_string(kernel));
  const int64_t *grid = launch.grid, limits[] = {kMostBlocks, 0xffff, 0xffff};
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return NAG_STATUS_OK;
  launch.kernel = &module.kernels[kernel];
  for (int i = 0; i < 3; ++i) {
    if (grid[i] < 0 || grid[i] > limits[i]) {
      lastError() = std::string("kernel ") + launch.kernel->name + ": a grid of " + std::to_string(grid[i]) +
                    " blocks in dimension " + std::to_string(i) + " exceeds the limit of " + std::to_string(limits[i]);
      return NAG_STATUS_MAKE(NAG_STATUS_TOO_MANY_ROWS, NAG_STATUS_NONE, NAG_STATUS_NONE);
    }
  }
  launch.num_params = static_cast<int32_t>(std::strlen(launch.kernel->params));
  if (const nag_backend *backend = currentBackend.load())
    return backend->launch(backend->self, &launch);
  return launchByCuda(launch);
}

int32_t nag_launch(nag_gpu_module *module, int32_t kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                   int32_t block_x, int32_t block_y, int32_t block_z, int32_t dynamic_shared, void *stream,
                   void **params) {
  return launchKernel({module,
                       nullptr,
                       {grid_x, grid_y, grid_z},
                       {block_x, block_y, block_z},
                       dynamic_shared,
                       stream,
                       params,
                       /*num_params=*/0,
                       /*is_persistent=*/0},
                      kernel);
}

int32_t nag_launch_persistent(nag_gpu_module *module, int32_t kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                              int32_t block_x, int32_t block_y, int32_t block_z, int32_t dynamic_shared, void *stream,
                              void **params) {
  // The device holds fewer at once than it can launch.
  return launchKernel({module,
                       nullptr,
                       {std::min(grid_x, kMostBlocks), grid_y, grid_z},
                       {block_x, block_y, block_z},
                       dynamic_shared,
                       stream,
                       params,
                       /*num_params=*/0,
                       /*is_persistent=*/1},
                      kernel);
}

int32_t nag_prepare(nag_gpu_module *module) {
  if (int32_t status = verify(*module))
    return status;
  if (const nag_backend *backend = currentBackend.load())
    return backend->prepare ? backend->prepare(backend->self, module) : NAG_STATUS_OK;
  return prepareForCuda(*module);
}

int32_t nag_release(nag_gpu_module *module) {
  if (int32_t status = verify(*module))
    return status;
  if (const nag_backend *backend = currentBackend.load())
    return backend->release ? backend->release(backend->self, module) : NAG_STATUS_OK;
  return releaseFromCuda(*module);
}
