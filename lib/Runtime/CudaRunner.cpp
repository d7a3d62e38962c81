//===- CudaRunner.cpp - Entries on a GPU, with tensors in host memory ---------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Device memory with the layout of host tensors, and the call between the copies.

#include "nag/Runtime/CudaRunner.h"

#include "nag/Runtime/Runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/Twine.h"

using namespace nag;

/// What the driver's allocator aligns to, so that data keeps the alignment that it has in host memory.
static constexpr int64_t kGuardBytes = 256;
static constexpr uint8_t kGuard = 0xAB;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Expected<PackedEntry> PackedEntry::find(llvm::StringRef name, std::function<void *(llvm::StringRef)> lookup) {
  PackedEntry entry;
  std::string missing;
  auto set = [&](auto &function, llvm::StringRef suffix) {
    std::string symbol = (name + suffix + "_packed").str();
    function = reinterpret_cast<std::decay_t<decltype(function)>>(lookup(symbol));
    if (!function && missing.empty())
      missing = symbol;
  };
  set(entry.entry, "");
  set(entry.workspaceSize, "_workspace_size");
  set(entry.prepare, "_prepare");
  set(entry.release, "_release");
  if (!missing.empty())
    return makeError("the compiled code lacks the function '" + missing + "'");
  return entry;
}

CUdeviceptr CudaRunner::Buffer::data() const { return allocation + kGuardBytes; }

llvm::Error CudaRunner::check(CUresult result, const char *what) {
  if (result == kCudaSuccess)
    return llvm::Error::success();
  return makeError(what + llvm::Twine(": ") + driver.describe(result));
}

llvm::Expected<std::unique_ptr<CudaRunner>> CudaRunner::create(int device) {
  int32_t status;
  const CudaDriver *driver = CudaDriver::get(status);
  if (!driver)
    return makeError(nag_last_error());
  int32_t count = 0;
  if (nag_device_count(&count))
    return makeError(nag_last_error());
  if (count == 0)
    return makeError("no CUDA device: the driver finds none (is CUDA_VISIBLE_DEVICES set?)");
  if (device < 0 || device >= count)
    return makeError("no CUDA device " + llvm::Twine(device) + ": there are " + llvm::Twine(count));
  nag_device_info info;
  if (nag_get_device_info(device, &info))
    return makeError(nag_last_error());

  std::unique_ptr<CudaRunner> runner(new CudaRunner(*driver));
  runner->chip = "sm_" + std::to_string(info.major) + std::to_string(info.minor);
  if (getPrimaryContext(*driver, device, runner->context))
    return makeError(nag_last_error());
  CudaContextScope scope(*driver);
  if (scope.enter(runner->context))
    return makeError(nag_last_error());
  if (llvm::Error error = runner->check(driver->streamCreate(&runner->stream, kStreamNonBlocking), "cuStreamCreate"))
    return std::move(error);
  return runner;
}

CudaRunner::~CudaRunner() {
  CudaContextScope scope(driver);
  if (scope.enter(context))
    return;
  freeBuffers();
  // Nobody is left to be told of a failure.
  if (stream)
    (void)driver.streamDestroy(stream);
}

void CudaRunner::freeBuffers() {
  for (const Buffer &buffer : buffers)
    // A failure here is that of an earlier call, which has been reported.
    (void)driver.memFree(buffer.allocation);
  buffers.clear();
  descriptors.clear();
}

llvm::Expected<CudaRunner::Buffer> CudaRunner::allocate(int64_t bytes) {
  Buffer buffer;
  buffer.bytes = bytes;
  auto total = static_cast<size_t>(bytes + 2 * kGuardBytes);
  CUresult result = driver.memAlloc(&buffer.allocation, total);
  if (result != kCudaSuccess)
    return makeError("device memory, " + llvm::Twine(total) + " bytes: " + driver.describe(result));
  buffers.push_back(buffer);
  if (llvm::Error error = check(driver.memsetD8Async(buffer.allocation, kGuard, total, stream), "cuMemsetD8Async"))
    return std::move(error);
  return buffer;
}

/// Where the elements of a tensor start in host memory, its offset included, and the bytes from there to the last one.
static std::pair<uint8_t *, int64_t> getSpan(HostTensor &tensor) {
  if (tensor.getNumElements() == 0)
    return {nullptr, 0};
  uint8_t *first = tensor.getRow(0);
  uint8_t *end = tensor.getRow(tensor.getNumRows() - 1) + tensor.getWidth() * int64_t(getByteSize(tensor.getType()));
  return {first, end - first};
}

/// The bytes that a tensor's offset takes.
static int64_t getOffsetBytes(HostTensor &tensor) {
  return tensor.getDescriptor()[2] * int64_t(getByteSize(tensor.getType()));
}

llvm::Error CudaRunner::upload(HostTensor &tensor) {
  auto [first, bytes] = getSpan(tensor);
  int64_t offset = getOffsetBytes(tensor);
  llvm::Expected<Buffer> buffer = allocate(offset + bytes);
  if (!buffer)
    return buffer.takeError();
  std::vector<int64_t> descriptor = tensor.getDescriptor();
  descriptor[0] = descriptor[1] = static_cast<int64_t>(buffer->data());
  descriptors.push_back(std::move(descriptor));
  if (bytes == 0)
    return llvm::Error::success();
  return check(driver.memcpyHtoDAsync(buffer->data() + CUdeviceptr(offset), first, size_t(bytes), stream),
               "copying a tensor to the device");
}

llvm::Error CudaRunner::checkGuards(const Buffer &buffer, const std::string &what) {
  std::vector<uint8_t> guards(2 * kGuardBytes);
  if (llvm::Error error =
          check(driver.memcpyDtoHAsync(guards.data(), buffer.allocation, kGuardBytes, stream), "cuMemcpyDtoHAsync"))
    return error;
  if (llvm::Error error = check(driver.memcpyDtoHAsync(guards.data() + kGuardBytes,
                                                       buffer.data() + CUdeviceptr(buffer.bytes), kGuardBytes, stream),
                                "cuMemcpyDtoHAsync"))
    return error;
  if (llvm::Error error = check(driver.streamSynchronize(stream), "cuStreamSynchronize"))
    return error;
  for (auto [index, byte] : llvm::enumerate(guards))
    if (byte != kGuard)
      return makeError(what + ": device memory " + (int64_t(index) < kGuardBytes ? "before" : "behind") +
                       " it has been overwritten");
  return llvm::Error::success();
}

llvm::Error CudaRunner::call(const PackedEntry &entry, int32_t &status) {
  std::vector<void *> packed;
  for (std::vector<int64_t> &descriptor : descriptors)
    packed.push_back(descriptor.data());
  packed.push_back(stream);
  status = entry.entry(packed.data());
  if (NAG_STATUS_KIND(status) == NAG_STATUS_DEVICE)
    return makeError(nag_last_error());
  return llvm::Error::success();
}

llvm::Expected<int32_t> CudaRunner::run(const PackedEntry &entry, llvm::MutableArrayRef<HostTensor> inputs,
                                        llvm::MutableArrayRef<HostTensor> outputs) {
  CudaContextScope scope(driver);
  if (scope.enter(context))
    return makeError(nag_last_error());
  freeBuffers();
  // Only what a run that succeeded has left behind can be timed.
  llvm::scope_exit clean([&] { freeBuffers(); });
  for (llvm::MutableArrayRef<HostTensor> tensors : {inputs, outputs})
    for (HostTensor &tensor : tensors)
      if (llvm::Error error = upload(tensor))
        return std::move(error);

  std::vector<void *> packed;
  for (std::vector<int64_t> &descriptor : descriptors)
    packed.push_back(descriptor.data());
  int64_t bytes = entry.workspaceSize(packed.data());
  if (bytes < 0)
    return static_cast<int32_t>(-bytes);
  llvm::Expected<Buffer> workspace = allocate(bytes);
  if (!workspace)
    return workspace.takeError();
  auto address = static_cast<int64_t>(workspace->data());
  descriptors.push_back({address, address, 0, bytes, 1});

  if (entry.prepare(nullptr))
    return makeError(nag_last_error());
  int32_t status = NAG_STATUS_OK;
  if (llvm::Error error = call(entry, status))
    return std::move(error);
  if (llvm::Error error = check(driver.streamSynchronize(stream), "running the entry"))
    return std::move(error);
  if (status)
    return status;

  for (auto [index, tensor] : llvm::enumerate(outputs)) {
    const Buffer &buffer = buffers[inputs.size() + index];
    if (llvm::Error error = checkGuards(buffer, "result " + std::to_string(index)))
      return std::move(error);
    auto [first, size] = getSpan(tensor);
    CUdeviceptr source = buffer.data() + CUdeviceptr(getOffsetBytes(tensor));
    if (size)
      if (llvm::Error error =
              check(driver.memcpyDtoHAsync(first, source, size_t(size), stream), "copying a result from the device"))
        return std::move(error);
  }
  if (llvm::Error error = check(driver.streamSynchronize(stream), "copying the results from the device"))
    return std::move(error);
  if (llvm::Error error = checkGuards(*workspace, "workspace"))
    return std::move(error);
  clean.release();
  return status;
}

llvm::Expected<double> CudaRunner::time(const PackedEntry &entry, int repetitions) {
  if (descriptors.empty() || repetitions < 1)
    return makeError("nothing to time: no run has succeeded yet");
  CudaContextScope scope(driver);
  if (scope.enter(context))
    return makeError(nag_last_error());
  CUevent start = nullptr, stop = nullptr;
  llvm::scope_exit destroy([&] {
    for (CUevent event : {start, stop})
      if (event)
        (void)driver.eventDestroy(event);
  });
  for (CUevent *event : {&start, &stop})
    if (llvm::Error error = check(driver.eventCreate(event, 0), "cuEventCreate"))
      return std::move(error);
  if (llvm::Error error = check(driver.eventRecord(start, stream), "cuEventRecord"))
    return std::move(error);
  for (int i = 0; i < repetitions; ++i) {
    int32_t status = NAG_STATUS_OK;
    if (llvm::Error error = call(entry, status))
      return std::move(error);
    if (status)
      return makeError("the entry returned status " + llvm::Twine(status));
  }
  if (llvm::Error error = check(driver.eventRecord(stop, stream), "cuEventRecord"))
    return std::move(error);
  if (llvm::Error error = check(driver.eventSynchronize(stop), "cuEventSynchronize"))
    return std::move(error);
  float milliseconds = 0;
  if (llvm::Error error = check(driver.eventElapsedTime(&milliseconds, start, stop), "cuEventElapsedTime"))
    return std::move(error);
  return milliseconds * 1e-3 / repetitions;
}
