//===- CudaDriver.h - The functions of the CUDA driver, loaded when first needed ------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Declares what we use of the CUDA driver API, so that neither its header nor its library is needed to build.

#ifndef NAG_RUNTIME_CUDADRIVER_H
#define NAG_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace nag {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;

/// Numbers of the driver API that we name.
enum : int {
  kCudaSuccess = 0,
  kCudaErrorNoDevice = 100,

  kDeviceMultiprocessorCount = 16,
  kDeviceL2CacheSize = 38,
  kDeviceComputeCapabilityMajor = 75,
  kDeviceComputeCapabilityMinor = 76,

  kFuncMaxDynamicSharedSize = 8,
  kStreamNonBlocking = 1,
};

// Every function: its name here, its symbol in the library (the version that matches the types), its parameters.
#define NAG_CUDA_FUNCTIONS(X)                                                                                          \
  X(init, "cuInit", (unsigned))                                                                                        \
  X(getErrorName, "cuGetErrorName", (CUresult, const char **))                                                         \
  X(getErrorString, "cuGetErrorString", (CUresult, const char **))                                                     \
  X(deviceGetCount, "cuDeviceGetCount", (int *))                                                                       \
  X(deviceGet, "cuDeviceGet", (CUdevice *, int))                                                                       \
  X(deviceGetName, "cuDeviceGetName", (char *, int, CUdevice))                                                         \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CUdevice))                                                \
  X(deviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, CUdevice))                                                       \
  X(devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                                       \
  X(ctxGetDevice, "cuCtxGetDevice", (CUdevice *))                                                                      \
  X(ctxGetCurrent, "cuCtxGetCurrent", (CUcontext *))                                                                   \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext))                                                                \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext *))                                                                \
  X(moduleLoadDataEx, "cuModuleLoadDataEx", (CUmodule *, const void *, unsigned, int *, void **))                      \
  X(moduleUnload, "cuModuleUnload", (CUmodule))                                                                        \
  X(moduleGetFunction, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))                                  \
  X(funcSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))                                                    \
  X(occupancyMaxActiveBlocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int *, CUfunction, int, size_t))         \
  X(launchKernel, "cuLaunchKernel",                                                                                    \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **))    \
  X(memAlloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                                                \
  X(memFree, "cuMemFree_v2", (CUdeviceptr))                                                                            \
  X(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))                            \
  X(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))                                  \
  X(memsetD8Async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                                  \
  X(streamCreate, "cuStreamCreate", (CUstream *, unsigned))                                                            \
  X(streamDestroy, "cuStreamDestroy_v2", (CUstream))                                                                   \
  X(streamSynchronize, "cuStreamSynchronize", (CUstream))                                                              \
  X(streamGetCtx, "cuStreamGetCtx", (CUstream, CUcontext *))                                                           \
  X(eventCreate, "cuEventCreate", (CUevent *, unsigned))                                                               \
  X(eventDestroy, "cuEventDestroy_v2", (CUevent))                                                                      \
  X(eventRecord, "cuEventRecord", (CUevent, CUstream))                                                                 \
  X(eventSynchronize, "cuEventSynchronize", (CUevent))                                                                 \
  X(eventElapsedTime, "cuEventElapsedTime", (float *, CUevent, CUevent))

// What older drivers lack; null there.
#define NAG_CUDA_OPTIONAL_FUNCTIONS(X)                                                                                 \
  X(ctxGetId, "cuCtxGetId", (CUcontext, unsigned long long *))                                                         \
  X(funcLoad, "cuFuncLoad", (CUfunction))

/// The driver's functions under our names.
class CudaDriver {
public:
#define NAG_CUDA_MEMBER(NAME, SYMBOL, PARAMETERS) CUresult(*NAME) PARAMETERS = nullptr;
  NAG_CUDA_FUNCTIONS(NAG_CUDA_MEMBER)
  NAG_CUDA_OPTIONAL_FUNCTIONS(NAG_CUDA_MEMBER)
#undef NAG_CUDA_MEMBER

  /// Opens the library at `path`, as dlopen takes it, finds its functions, and calls cuInit. On failure returns null,
  /// with `error` for people and `code` as NAG_STATUS_DEVICE_CODE. The library stays loaded until the process ends.
  static std::unique_ptr<CudaDriver> load(const std::string &path, std::string &error, int &code);

  /// The driver of this process: libcuda.so.1, or what NAG_CUDA_DRIVER names. Loaded by the first call, whose outcome
  /// stands. Null, with the thread's last error set and `status` filled, where there is none.
  static const CudaDriver *get(int32_t &status);

  /// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
  std::string describe(CUresult result) const;
};

/// NAG_STATUS_OK for success; else sets the thread's last error to "WHAT: " and what the driver calls `result`, and
/// returns the status.
int32_t checkCuda(const CudaDriver &driver, CUresult result, std::string_view what);

/// Sets the thread's last error and returns NAG_STATUS_DEVICE with `code`.
int32_t failWithDevice(int code, const std::string &text);

/// Makes a context current for as long as it lives.
class CudaContextScope {
public:
  explicit CudaContextScope(const CudaDriver &driver) : driver(driver) {}
  ~CudaContextScope();
  CudaContextScope(const CudaContextScope &) = delete;
  CudaContextScope &operator=(const CudaContextScope &) = delete;

  /// Chooses the context of `stream`; without one the current context; without either the primary context of device 0.
  int32_t enter(CUstream stream);
  /// Enters a given context.
  int32_t enter(CUcontext context);

  CUcontext get() const { return context; }

private:
  const CudaDriver &driver;
  CUcontext context = nullptr;
  bool isPushed = false;
};

/// The primary context of a device, retained once a process and never released.
int32_t getPrimaryContext(const CudaDriver &driver, int device, CUcontext &context);

} // namespace nag

#endif // NAG_RUNTIME_CUDADRIVER_H
