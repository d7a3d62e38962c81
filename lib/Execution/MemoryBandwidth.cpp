//===- MemoryBandwidth.cpp - How fast this machine moves memory ---------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Execution/MemoryBandwidth.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

void MemoryBandwidth::Free::operator()(float *memory) const { std::free(memory); }

llvm::Expected<MemoryBandwidth> MemoryBandwidth::create() {
  MemoryBandwidth memory;
  memory.threads = ::getNumThreads();
  memory.cacheBytes = getLastLevelCacheBytes();
  // Where the system does not tell, a size past the caches of most machines.
  uint64_t wanted = memory.cacheBytes ? 4 * memory.cacheBytes : uint64_t(512) << 20;
  uint64_t bytes = llvm::alignTo(std::max<uint64_t>(wanted, uint64_t(64) << 20), kPage);
  memory.elements = bytes / sizeof(float);
  for (Array *array : {&memory.a, &memory.b, &memory.c}) {
    array->reset(static_cast<float *>(std::aligned_alloc(kPage, bytes)));
    if (!*array)
      return llvm::createStringError("no memory for arrays of " + Twine(bytes >> 20) + " MiB to compare with");
  }
  // Each thread writes its part first, so that the pages are near it.
  memory.runThreads([&](uint64_t begin, uint64_t end) {
    for (Array *array : {&memory.a, &memory.b, &memory.c})
      std::fill(array->get() + begin, array->get() + end, 1.0f);
  });
  return memory;
}

void MemoryBandwidth::runThreads(llvm::function_ref<void(uint64_t begin, uint64_t end)> part) {
  std::vector<std::thread> running;
  uint64_t pageElements = kPage / sizeof(float), pages = elements / pageElements;
  for (unsigned i = 0; i < threads; ++i)
    running.emplace_back(part, pages * i / threads * pageElements, pages * (i + 1) / threads * pageElements);
  for (std::thread &thread : running)
    thread.join();
}

#ifdef __SSE2__
template <bool isTriad> static void streamPart(float *a, const float *b, const float *c, uint64_t count) {
  __m128 factor = _mm_set1_ps(3.0f);
  for (uint64_t i = 0; i < count; i += 4) {
    __m128 value = _mm_load_ps(b + i);
    if (isTriad)
      value = _mm_add_ps(value, _mm_mul_ps(factor, _mm_load_ps(c + i)));
    _mm_stream_ps(a + i, value);
  }
  _mm_sfence();
}
static constexpr bool kHasStreams = true;
#else
template <bool isTriad> static void streamPart(float *, const float *, const float *, uint64_t) {}
static constexpr bool kHasStreams = false;
#endif

template <bool isTriad> static void storePart(float *__restrict a, const float *b, const float *c, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    a[i] = isTriad ? b[i] + 3.0f * c[i] : b[i];
}

double MemoryBandwidth::time(bool isTriad, bool isPastCaches) {
  auto *part =
      isPastCaches ? (isTriad ? streamPart<true> : streamPart<false>) : (isTriad ? storePart<true> : storePart<false>);
  auto start = std::chrono::steady_clock::now();
  runThreads([&](uint64_t begin, uint64_t end) { part(&a[begin], &b[begin], &c[begin], end - begin); });
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return (isTriad ? 3e-9 : 2e-9) * double(elements * sizeof(float)) / elapsed.count();
}

void MemoryBandwidth::measure() {
  for (bool isPastCaches : {false, true}) {
    if (isPastCaches && !kHasStreams)
      continue;
    copies[isPastCaches].push_back(time(/*isTriad=*/false, isPastCaches));
    triads[isPastCaches].push_back(time(/*isTriad=*/true, isPastCaches));
  }
}

double MemoryBandwidth::getMedian(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void MemoryBandwidth::letOpenMPThreadsSleep() { setenv("KMP_BLOCKTIME", "0", /*overwrite=*/0); }
