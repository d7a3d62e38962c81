//===- CudaLaunch.cpp - Kernels by the CUDA driver ----------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Loads modules, once in each context, and launches their kernels.

#include "CudaLaunch.h"

#include "nag/Runtime/CudaDriver.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace nag;

namespace {

/// Without asking for more, a kernel gets this much shared memory.
constexpr int32_t kDefaultSharedBytes = 48 * 1024;

struct Function {
  CUfunction handle = nullptr;
  int32_t sharedBytes = kDefaultSharedBytes;
  /// Blocks of the last persistent launch's size that the device holds at once; 0 before there was one.
  int64_t residentBlocks = 0;
  int32_t residentThreads = 0, residentSharedBytes = 0;
};

/// A module in one context.
struct LoadedModule {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  std::vector<Function> functions;
};

/// What nag_gpu_module::cache points to.
class ModuleCache {
public:
  /// The cache of a module; made by the first that asks.
  static ModuleCache &of(nag_gpu_module &module) {
    void *cache = __atomic_load_n(&module.cache, __ATOMIC_ACQUIRE);
    if (cache)
      return *static_cast<ModuleCache *>(cache);
    auto *made = new ModuleCache(module);
    if (__atomic_compare_exchange_n(&module.cache, &cache, made, /*weak=*/false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return *made;
    delete made;
    return *static_cast<ModuleCache *>(cache);
  }

  int32_t prepare(const CudaDriver &driver, CUcontext context) {
    std::lock_guard<std::mutex> lock(mutex);
    LoadedModule *loaded = nullptr;
    if (int32_t status = load(driver, context, loaded))
      return status;
    for (uint32_t i = 0; i < module.num_kernels; ++i) {
      if (int32_t status = find(driver, *loaded, i))
        return status;
      // Else the driver may put off loading until the first launch.
      if (driver.funcLoad)
        if (int32_t status = checkCuda(driver, driver.funcLoad(loaded->functions[i].handle), "cuFuncLoad"))
          return status;
    }
    return NAG_STATUS_OK;
  }

  /// The kernel of `launch`, ready to be launched in the current context, which is `context`, and the blocks of the
  /// grid's first dimension.
  int32_t getFunction(const CudaDriver &driver, CUcontext context, const nag_kernel_launch &launch, CUfunction &handle,
                      int64_t &blocks) {
    auto kernel = static_cast<uint32_t>(launch.kernel - module.kernels);
    int32_t sharedBytes = launch.dynamic_shared;
    std::lock_guard<std::mutex> lock(mutex);
    LoadedModule *loaded = nullptr;
    if (int32_t status = load(driver, context, loaded))
      return status;
    if (int32_t status = find(driver, *loaded, kernel))
      return status;
    Function &function = loaded->functions[kernel];
    if (sharedBytes > function.sharedBytes) {
      CUresult result = driver.funcSetAttribute(function.handle, kFuncMaxDynamicSharedSize, sharedBytes);
      if (int32_t status = checkCuda(driver, result,
                                     std::string("kernel ") + module.kernels[kernel].name + ": " +
                                         std::to_string(sharedBytes) + " bytes of shared memory"))
        return status;
      function.sharedBytes = sharedBytes;
    }
    handle = function.handle;
    blocks = launch.grid[0];
    if (!launch.is_persistent)
      return NAG_STATUS_OK;
    if (int32_t status = findResidentBlocks(driver, launch, function))
      return status;
    blocks = std::min(blocks, function.residentBlocks);
    return NAG_STATUS_OK;
  }

  int32_t unload(const CudaDriver &driver) {
    std::lock_guard<std::mutex> lock(mutex);
    int32_t status = NAG_STATUS_OK;
    for (auto &[id, loaded] : modules) {
      // A context that is gone has taken its modules along; its address may belong to another one now.
      unsigned long long now = 0;
      if (getId(driver, loaded.context, now) != NAG_STATUS_OK || now != id)
        continue;
      CudaContextScope scope(driver);
      int32_t result = scope.enter(loaded.context);
      if (!result)
        result = checkCuda(driver, driver.moduleUnload(loaded.module), "cuModuleUnload");
      if (!status)
        status = result;
    }
    modules.clear();
    return status;
  }

private:
  explicit ModuleCache(nag_gpu_module &module) : module(module) {}

  /// What tells a context from a later one at the same address, where the driver can.
  static int32_t getId(const CudaDriver &driver, CUcontext context, unsigned long long &id) {
    id = reinterpret_cast<uintptr_t>(context);
    return driver.ctxGetId ? checkCuda(driver, driver.ctxGetId(context, &id), "cuCtxGetId") : NAG_STATUS_OK;
  }

  int32_t load(const CudaDriver &driver, CUcontext context, LoadedModule *&loaded) {
    unsigned long long id = 0;
    if (int32_t status = getId(driver, context, id))
      return status;
    auto found = modules.find(id);
    if (found != modules.end()) {
      loaded = &found->second;
      return NAG_STATUS_OK;
    }
    if (!module.image)
      return failWithDevice(NAG_DEVICE_BAD_MODULE, "the entry was compiled without code for a GPU");
    CUmodule handle = nullptr;
    if (int32_t status = checkCuda(driver, driver.moduleLoadDataEx(&handle, module.image, 0, nullptr, nullptr),
                                   "the kernels cannot be loaded: cuModuleLoadDataEx"))
      return status;
    loaded = &modules[id];
    loaded->context = context;
    loaded->module = handle;
    loaded->functions.resize(module.num_kernels);
    return NAG_STATUS_OK;
  }

  int32_t find(const CudaDriver &driver, LoadedModule &loaded, uint32_t kernel) {
    Function &function = loaded.functions[kernel];
    if (function.handle)
      return NAG_STATUS_OK;
    const char *name = module.kernels[kernel].name;
    return checkCuda(driver, driver.moduleGetFunction(&function.handle, loaded.module, name),
                     std::string("kernel ") + name + ": cuModuleGetFunction");
  }

  /// How many blocks of a launch the device of the current context holds at once. A block that does not fit is counted
  /// all the same: the driver will say why not.
  int32_t findResidentBlocks(const CudaDriver &driver, const nag_kernel_launch &launch, Function &function) {
    int32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (function.residentBlocks != 0 && function.residentThreads == threads &&
        function.residentSharedBytes == launch.dynamic_shared)
      return NAG_STATUS_OK;
    CUdevice device = 0;
    int multiprocessors = 0, blocks = 0;
    if (int32_t status = checkCuda(driver, driver.ctxGetDevice(&device), "cuCtxGetDevice"))
      return status;
    if (int32_t status =
            checkCuda(driver, driver.deviceGetAttribute(&multiprocessors, kDeviceMultiprocessorCount, device),
                      "cuDeviceGetAttribute"))
      return status;
    auto sharedBytes = static_cast<size_t>(launch.dynamic_shared);
    if (int32_t status =
            checkCuda(driver, driver.occupancyMaxActiveBlocks(&blocks, function.handle, threads, sharedBytes),
                      std::string("kernel ") + launch.kernel->name + ": cuOccupancyMaxActiveBlocksPerMultiprocessor"))
      return status;
    function.residentBlocks = int64_t(multiprocessors) * std::max(blocks, 1);
    function.residentThreads = threads;
    function.residentSharedBytes = launch.dynamic_shared;
    return NAG_STATUS_OK;
  }

  nag_gpu_module &module;
  std::mutex mutex;
  std::map<unsigned long long, LoadedModule> modules;
};

} // namespace

int32_t nag::launchByCuda(const nag_kernel_launch &launch) {
  int32_t status;
  const CudaDriver *driver = CudaDriver::get(status);
  if (!driver)
    return status;
  auto stream = static_cast<CUstream>(launch.stream);
  CudaContextScope scope(*driver);
  if ((status = scope.enter(stream)))
    return status;
  CUfunction function = nullptr;
  int64_t blocks = 0;
  if ((status = ModuleCache::of(*launch.module).getFunction(*driver, scope.get(), launch, function, blocks)))
    return status;
  auto narrow = [](int64_t value) { return static_cast<unsigned>(value); };
  CUresult result = driver->launchKernel(function, narrow(blocks), narrow(launch.grid[1]), narrow(launch.grid[2]),
                                         narrow(launch.block[0]), narrow(launch.block[1]), narrow(launch.block[2]),
                                         narrow(launch.dynamic_shared), stream, launch.params, nullptr);
  if (result == kCudaSuccess)
    return NAG_STATUS_OK;
  return checkCuda(*driver, result, std::string("kernel ") + launch.kernel->name + ": cuLaunchKernel");
}

int32_t nag::prepareForCuda(nag_gpu_module &module) {
  int32_t status;
  const CudaDriver *driver = CudaDriver::get(status);
  if (!driver)
    return status;
  CudaContextScope scope(*driver);
  if ((status = scope.enter(CUstream())))
    return status;
  return ModuleCache::of(module).prepare(*driver, scope.get());
}

int32_t nag::releaseFromCuda(nag_gpu_module &module) {
  void *cache = __atomic_exchange_n(&module.cache, nullptr, __ATOMIC_ACQ_REL);
  // Nothing was loaded: no reason to load the driver.
  if (!cache)
    return NAG_STATUS_OK;
  std::unique_ptr<ModuleCache> owned(static_cast<ModuleCache *>(cache));
  int32_t status;
  const CudaDriver *driver = CudaDriver::get(status);
  return driver ? owned->unload(*driver) : status;
}
