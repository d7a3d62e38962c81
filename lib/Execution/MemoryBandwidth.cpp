//===- CopyBandwidth.cpp - How fast this machine copies memory ----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// A copy by all threads of buffers that no cache holds, and how large the caches are.

#include "nag/Execution/MemoryBandwidth.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

using namespace nag;
using llvm::StringRef;
using llvm::Twine;

static constexpr uint64_t kPage = 4096;

/// The first line of a file of the system; empty where there is none.
static std::string readLine(const Twine &path) {
  // Such files have no size to be mapped by.
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().split('\n').first.str() : std::string();
}

/// The sizes of all caches of the highest level, each of which several processors may share.
static uint64_t getLastLevelCacheBytes() {
  std::set<std::string> seen;
  uint64_t total = 0;
  unsigned highest = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator cpu("/sys/devices/system/cpu", error), end; cpu != end && !error;
       cpu.increment(error)) {
    for (unsigned i = 0; i < 8; ++i) {
      std::string cache = (Twine(cpu->path()) + "/cache/index" + Twine(i)).str();
      std::string size = readLine(cache + "/size");
      unsigned level;
      uint64_t kibibytes;
      if (StringRef(readLine(cache + "/level")).getAsInteger(10, level) ||
          StringRef(size).rtrim('K').getAsInteger(10, kibibytes) || level < highest)
        continue;
      if (level > highest) {
        highest = level;
        total = 0;
        seen.clear();
      }
      if (seen.insert(readLine(cache + "/shared_cpu_list")).second)
        total += kibibytes * 1024;
    }
  }
  return total;
}

static unsigned getNumThreads() {
  unsigned threads;
  // The list of OpenMP may have a number for each level of nesting; the first one counts.
  if (const char *text = std::getenv("OMP_NUM_THREADS"))
    if (!StringRef(text).split(',').first.trim().getAsInteger(10, threads) && threads > 0)
      return threads;
  return llvm::hardware_concurrency().compute_thread_count();
}

void CopyBandwidth::Free::operator()(char *memory) const { std::free(memory); }

llvm::Expected<CopyBandwidth> CopyBandwidth::create() {
  CopyBandwidth copy;
  copy.threads = ::getNumThreads();
  copy.cacheBytes = getLastLevelCacheBytes();
  // Where the system does not tell, a size past the caches of most machines.
  uint64_t wanted = copy.cacheBytes ? 4 * copy.cacheBytes : uint64_t(512) << 20;
  copy.bytes = llvm::alignTo(std::max<uint64_t>(wanted, uint64_t(64) << 20), kPage);
  for (Buffer *buffer : {&copy.from, &copy.to}) {
    buffer->reset(static_cast<char *>(std::aligned_alloc(kPage, copy.bytes)));
    if (!*buffer)
      return llvm::createStringError("--time: no memory for a copy of " + Twine(copy.bytes >> 20) +
                                     " MiB to compare with");
  }
  // Each thread writes its part first, so that the pages are near it.
  copy.runThreads([&](uint64_t begin, uint64_t size) {
    std::memset(copy.from.get() + begin, 1, size);
    std::memset(copy.to.get() + begin, 2, size);
  });
  copy.copy();
  return copy;
}

void CopyBandwidth::runThreads(llvm::function_ref<void(uint64_t begin, uint64_t size)> part) {
  std::vector<std::thread> running;
  uint64_t pages = bytes / kPage;
  for (unsigned i = 0; i < threads; ++i) {
    uint64_t begin = pages * i / threads * kPage, end = pages * (i + 1) / threads * kPage;
    running.emplace_back([part, begin, end] { part(begin, end - begin); });
  }
  for (std::thread &thread : running)
    thread.join();
}

void CopyBandwidth::copy() {
  runThreads([&](uint64_t begin, uint64_t size) { std::memcpy(to.get() + begin, from.get() + begin, size); });
}

void CopyBandwidth::measure() {
  auto start = std::chrono::steady_clock::now();
  copy();
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  measured.push_back(2e-9 * double(bytes) / elapsed.count());
}

double CopyBandwidth::getMedian() const {
  if (measured.empty())
    return 0;
  std::vector<double> sorted = measured;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

void CopyBandwidth::letOpenMPThreadsSleep() { setenv("KMP_BLOCKTIME", "0", /*overwrite=*/0); }
