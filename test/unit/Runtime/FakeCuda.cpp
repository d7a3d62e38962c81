//===- FakeCuda.cpp - A stand-in for the CUDA driver's library ----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Records calls; device memory is host memory, and contexts are numbers.

#include "FakeCuda.h"

#include <cstdlib>
#include <cstring>

static FakeCuda state;
static thread_local std::vector<void *> contexts;

static void *handle(uintptr_t number) { return reinterpret_cast<void *>(number); }
static void *current() { return contexts.empty() ? nullptr : contexts.back(); }

/// Notes a call; the error that it must return.
static int note(const char *name) {
  std::lock_guard<std::mutex> lock(state.mutex);
  state.calls.push_back(name);
  auto found = state.fail.find(name);
  return found == state.fail.end() ? 0 : found->second;
}

#define RETURN_IF_FAILING(NAME)                                                                                        \
  if (int error = note(NAME))                                                                                          \
  return error

extern "C" {

FakeCuda *fake_cuda_state() { return &state; }

int cuInit(unsigned) {
#ifdef FAKE_CUDA_NO_DEVICE
  return 100;
#endif
  RETURN_IF_FAILING("cuInit");
  return 0;
}
int cuGetErrorName(int error, const char **name) {
  *name = error == 100 ? "CUDA_ERROR_NO_DEVICE" : error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int error, const char **text) {
  *text = error == 100 ? "no CUDA-capable device is detected" : error == 2 ? "out of memory" : "fake error";
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = state.numDevices;
  return 0;
}
int cuDeviceGet(int *device, int index) {
  *device = index;
  return index < state.numDevices ? 0 : 101;
}
int cuDeviceGetName(char *name, int size, int) {
  std::strncpy(name, "Fake", size_t(size));
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 132 : attribute == 38 ? 52428800 : -1;
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(141) << 30;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  RETURN_IF_FAILING("cuDevicePrimaryCtxRetain");
  *context = handle(0x1000 + uintptr_t(device));
  return 0;
}
int cuCtxGetCurrent(void **context) {
  *context = current();
  return 0;
}
int cuCtxGetDevice(int *device) {
  RETURN_IF_FAILING("cuCtxGetDevice");
  *device = int(reinterpret_cast<uintptr_t>(current()) & 0xff);
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  RETURN_IF_FAILING("cuCtxPushCurrent");
  contexts.push_back(context);
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  *context = current();
  contexts.pop_back();
  return 0;
}
#ifndef FAKE_CUDA_OLD
int cuCtxGetId(void *context, unsigned long long *id) {
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.contextIds.find(context);
  *id = found == state.contextIds.end() ? reinterpret_cast<uintptr_t>(context) : found->second;
  return 0;
}
int cuFuncLoad(void *) {
  RETURN_IF_FAILING("cuFuncLoad");
  return 0;
}
#endif
int cuModuleLoadDataEx(void **module, const void *image, unsigned, int *, void **) {
  RETURN_IF_FAILING("cuModuleLoadDataEx");
  std::lock_guard<std::mutex> lock(state.mutex);
  state.loads.emplace_back(current(), image);
  *module = handle(0x2000 + state.loads.size());
  return 0;
}
int cuModuleUnload(void *) {
  RETURN_IF_FAILING("cuModuleUnload");
  state.unloads.push_back(current());
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  RETURN_IF_FAILING("cuModuleGetFunction");
  // Kernels are called "a", "b", ...
  *function = handle(reinterpret_cast<uintptr_t>(module) * 256 + uintptr_t(*name));
  return 0;
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  RETURN_IF_FAILING("cuFuncSetAttribute");
  state.functionAttributes.emplace_back(attribute, value);
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int threads, size_t sharedBytes) {
  RETURN_IF_FAILING("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  *blocks = sharedBytes > 100000 ? 1 : 1024 / threads;
  return 0;
}
#ifndef FAKE_CUDA_NO_LAUNCH
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **params, void **) {
  RETURN_IF_FAILING("cuLaunchKernel");
  FakeLaunch launch{current(), function, stream, {gx, gy, gz}, {bx, by, bz}, shared, {}};
  for (size_t i = 0; i < state.numParams; ++i)
    std::memcpy(&launch.params.emplace_back(), params[i], 8);
  if (state.run)
    state.run(params);
  std::lock_guard<std::mutex> lock(state.mutex);
  state.launches.push_back(launch);
  return 0;
}
#endif
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  RETURN_IF_FAILING("cuMemAlloc");
  *address = reinterpret_cast<uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  ++state.numAllocations;
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  std::free(reinterpret_cast<void *>(address));
  --state.numAllocations;
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *) {
  RETURN_IF_FAILING("cuMemcpyHtoDAsync");
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *) {
  RETURN_IF_FAILING("cuMemcpyDtoHAsync");
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes, void *) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return 0;
}
int cuStreamCreate(void **stream, unsigned) {
  RETURN_IF_FAILING("cuStreamCreate");
  *stream = handle(0x3000);
  state.streamContexts[*stream] = current();
  return 0;
}
int cuStreamDestroy_v2(void *) { return note("cuStreamDestroy"); }
int cuStreamSynchronize(void *) { return note("cuStreamSynchronize"); }
int cuStreamGetCtx(void *stream, void **context) {
  RETURN_IF_FAILING("cuStreamGetCtx");
  *context = state.streamContexts.at(stream);
  return 0;
}
int cuEventCreate(void **event, unsigned) {
  *event = handle(0x4000);
  return note("cuEventCreate");
}
int cuEventDestroy_v2(void *) { return note("cuEventDestroy"); }
int cuEventRecord(void *, void *) { return note("cuEventRecord"); }
int cuEventSynchronize(void *) { return note("cuEventSynchronize"); }
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  *milliseconds = 6;
  return 0;
}

} // extern "C"
