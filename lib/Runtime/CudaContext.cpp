//===- CudaContext.cpp - Which context a kernel runs in -----------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Chooses a CUDA context, makes it current for a while, and leaves the thread's own as it was.

#include "nag/Runtime/CudaDriver.h"

#include "nag/Runtime/Runtime.h"

#include <map>
#include <mutex>

using namespace nag;

int32_t nag::getPrimaryContext(const CudaDriver &driver, int index, CUcontext &context) {
  static std::mutex mutex;
  // Never destroyed: entries may be called while the process ends.
  static auto &retained = *new std::map<int, CUcontext>;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = retained.find(index);
  if (found != retained.end()) {
    context = found->second;
    return NAG_STATUS_OK;
  }
  CUdevice device = 0;
  if (int32_t status = checkCuda(driver, driver.deviceGet(&device, index), "CUDA device " + std::to_string(index)))
    return status;
  if (int32_t status = checkCuda(driver, driver.devicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"))
    return status;
  retained[index] = context;
  return NAG_STATUS_OK;
}

CudaContextScope::~CudaContextScope() {
  CUcontext popped = nullptr;
  if (isPushed)
    // Fails only if somebody has popped it already.
    (void)driver.ctxPopCurrent(&popped);
}

int32_t CudaContextScope::enter(CUcontext wanted) {
  CUcontext current = nullptr;
  if (int32_t status = checkCuda(driver, driver.ctxGetCurrent(&current), "cuCtxGetCurrent"))
    return status;
  context = wanted;
  if (wanted == current)
    return NAG_STATUS_OK;
  if (int32_t status = checkCuda(driver, driver.ctxPushCurrent(wanted), "cuCtxPushCurrent"))
    return status;
  isPushed = true;
  return NAG_STATUS_OK;
}

int32_t CudaContextScope::enter(CUstream stream) {
  // 1 and 2 are CUDA's names for the default streams, which every context has.
  if (reinterpret_cast<uintptr_t>(stream) > 2) {
    CUcontext owner = nullptr;
    if (int32_t status = checkCuda(driver, driver.streamGetCtx(stream, &owner), "cuStreamGetCtx"))
      return status;
    return enter(owner);
  }
  if (int32_t status = checkCuda(driver, driver.ctxGetCurrent(&context), "cuCtxGetCurrent"))
    return status;
  if (context)
    return NAG_STATUS_OK;
  CUcontext primary = nullptr;
  if (int32_t status = getPrimaryContext(driver, 0, primary))
    return status;
  return enter(primary);
}
