//===- CudaDriver.cpp - The functions of the CUDA driver, loaded when first needed --------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Opens the driver's library and says what is wrong where that cannot be done.

#include "nag/Runtime/CudaDriver.h"

#include "nag/Runtime/Runtime.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace nag;

static constexpr char kDefaultLibrary[] = "libcuda.so.1";
static constexpr char kLibraryVariable[] = "NAG_CUDA_DRIVER";

std::string CudaDriver::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != kCudaSuccess || !name)
    name = "unknown error";
  if (getErrorString(result, &text) != kCudaSuccess || !text)
    text = "the driver has no text for it";
  return std::string(name) + " (" + std::to_string(result) + "): " + text;
}

std::unique_ptr<CudaDriver> CudaDriver::load(const std::string &path, std::string &error, int &code) {
  code = NAG_DEVICE_NO_DRIVER;
  // Local: its symbols are for us alone, and a framework that has loaded it already gets the same one.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    error = "no CUDA driver: " + path + " not found or not loadable (" + (reason ? reason : "no reason given") +
            "); install NVIDIA's driver, or name its library in " + kLibraryVariable;
    return nullptr;
  }
  auto driver = std::make_unique<CudaDriver>();
  const char *missing = nullptr;
  auto find = [&](const char *symbol, bool isOptional) {
    void *address = dlsym(library, symbol);
    if (!address && !isOptional && !missing)
      missing = symbol;
    return address;
  };
#define NAG_CUDA_FIND(NAME, SYMBOL, PARAMETERS)                                                                        \
  driver->NAME = reinterpret_cast<CUresult(*) PARAMETERS>(find(SYMBOL, /*isOptional=*/false));
#define NAG_CUDA_FIND_OPTIONAL(NAME, SYMBOL, PARAMETERS)                                                               \
  driver->NAME = reinterpret_cast<CUresult(*) PARAMETERS>(find(SYMBOL, /*isOptional=*/true));
  NAG_CUDA_FUNCTIONS(NAG_CUDA_FIND)
  NAG_CUDA_OPTIONAL_FUNCTIONS(NAG_CUDA_FIND_OPTIONAL)
#undef NAG_CUDA_FIND
#undef NAG_CUDA_FIND_OPTIONAL
  if (missing) {
    error = "the CUDA driver " + path + " lacks the function " + missing + ": it is too old, or not NVIDIA's driver";
    dlclose(library);
    return nullptr;
  }
  if (CUresult result = driver->init(0)) {
    code = result;
    error = (result == kCudaErrorNoDevice ? "no CUDA device: cuInit: " : "the CUDA driver cannot be used: cuInit: ") +
            driver->describe(result);
    return nullptr;
  }
  return driver;
}

const CudaDriver *CudaDriver::get(int32_t &status) {
  // Never destroyed: entries may be called while the process ends.
  struct Outcome {
    std::unique_ptr<CudaDriver> driver;
    std::string error;
    int code = 0;
  };
  static const Outcome &outcome = *[] {
    auto *outcome = new Outcome;
    const char *given = std::getenv(kLibraryVariable);
    outcome->driver = load(given && *given ? given : kDefaultLibrary, outcome->error, outcome->code);
    return outcome;
  }();
  status = outcome.driver ? NAG_STATUS_OK : failWithDevice(outcome.code, outcome.error);
  return outcome.driver.get();
}

int32_t nag::failWithDevice(int code, const std::string &text) {
  nag_set_last_error(text.c_str());
  return (NAG_STATUS_DEVICE << 16) | (code & 0xffff);
}

int32_t nag::checkCuda(const CudaDriver &driver, CUresult result, std::string_view what) {
  if (result == kCudaSuccess)
    return NAG_STATUS_OK;
  return failWithDevice(result, std::string(what) + ": " + driver.describe(result));
}

extern "C" int32_t nag_device_count(int32_t *count) {
  *count = 0;
  int32_t status;
  const CudaDriver *driver = CudaDriver::get(status);
  if (!driver)
    return status;
  int found = 0;
  status = checkCuda(*driver, driver->deviceGetCount(&found), "cuDeviceGetCount");
  *count = found;
  return status;
}

extern "C" int32_t nag_get_device_info(int32_t index, nag_device_info *info) {
  *info = nag_device_info{};
  int32_t status;
  const CudaDriver *driver = CudaDriver::get(status);
  if (!driver)
    return status;
  CUdevice device = 0;
  if ((status = checkCuda(*driver, driver->deviceGet(&device, index), "CUDA device " + std::to_string(index))))
    return status;
  if ((status = checkCuda(*driver, driver->deviceGetName(info->name, sizeof(info->name), device), "cuDeviceGetName")))
    return status;
  size_t bytes = 0;
  if ((status = checkCuda(*driver, driver->deviceTotalMem(&bytes, device), "cuDeviceTotalMem")))
    return status;
  info->memory_bytes = static_cast<int64_t>(bytes);
  auto getAttribute = [&](int attribute, int32_t &value) {
    if (!status)
      status = checkCuda(*driver, driver->deviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute");
  };
  int32_t l2 = 0;
  getAttribute(kDeviceComputeCapabilityMajor, info->major);
  getAttribute(kDeviceComputeCapabilityMinor, info->minor);
  getAttribute(kDeviceMultiprocessorCount, info->multiprocessors);
  getAttribute(kDeviceL2CacheSize, l2);
  info->l2_bytes = l2;
  return status;
}
