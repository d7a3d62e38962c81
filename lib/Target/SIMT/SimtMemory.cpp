//===- SimtMemory.cpp - What is known about memory while kernels run ----------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Finds the buffer of an access and asks the checker and the counters about it.

#include "nag/Target/SIMT/SimtMemory.h"

#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cstring>

using namespace nag;
using namespace nag::simt;

SimtMemory::SimtMemory(const SimtOptions &options, const LoweredModule &module, SimtReport &report)
    : options(options), module(module), result(report) {
  lastBuffer.resize(module.sites.size());
  if (options.count)
    traffic = std::make_unique<Traffic>(module, options.l2Bytes);
}

SimtMemory::~SimtMemory() = default;

//===--------------------------------------------------------------------------------------------------------------===//
// Buffers
//===--------------------------------------------------------------------------------------------------------------===//

static std::unique_ptr<WatchedBuffer> makeWatched(SimtBuffer buffer) {
  auto watched = std::make_unique<WatchedBuffer>();
  static_cast<SimtBuffer &>(*watched) = std::move(buffer);
  return watched;
}

void SimtMemory::addBuffer(SimtBuffer buffer) { buffers.push_back(makeWatched(std::move(buffer))); }
void SimtMemory::addOwnBuffer(SimtBuffer buffer) { ownBuffers.push_back(makeWatched(std::move(buffer))); }

void SimtMemory::clearBuffers() {
  buffers.clear();
  sorted.clear();
}

WatchedBuffer *SimtMemory::findBuffer(const char *address, uint32_t site) {
  WatchedBuffer *&last = lastBuffer[site];
  if (last && last->contains(address))
    return last;
  auto after =
      std::upper_bound(sorted.begin(), sorted.end(), address, [](const char *value, const WatchedBuffer *buffer) {
        return value < static_cast<const char *>(buffer->base);
      });
  // Buffers may overlap: the same memory may be an input and an output.
  for (auto it = after; it != sorted.begin();) {
    --it;
    if ((*it)->contains(address))
      return last = *it;
    if (after - it > 4)
      break;
  }
  return nullptr;
}

WatchedBuffer *SimtMemory::findNearest(const char *address) {
  WatchedBuffer *nearest = nullptr;
  uint64_t least = ~uint64_t(0);
  for (WatchedBuffer *buffer : sorted) {
    auto *begin = static_cast<const char *>(buffer->base);
    uint64_t distance =
        address < begin ? static_cast<uint64_t>(begin - address)
                        : static_cast<uint64_t>(address - begin) - std::min<uint64_t>(buffer->bytes, address - begin);
    if (distance < least) {
      least = distance;
      nearest = buffer;
    }
  }
  // Farther away than any row, the name would be a guess.
  return least < (uint64_t(1) << 24) ? nearest : nullptr;
}

void SimtMemory::placeShared(Machine &machine) {
  auto add = [&](const std::string &name, uint64_t offset, uint64_t bytes) {
    SimtBuffer buffer;
    buffer.name = name;
    buffer.base = machine.getShared() + offset;
    buffer.bytes = bytes;
    buffer.isInitialized = false;
    shared.push_back(makeWatched(std::move(buffer)));
    shared.back()->isShared = true;
  };
  for (const SharedVariable &variable : module.shared)
    add(variable.name, variable.offset, variable.bytes);
  if (launch->dynamicShared)
    add("dynamic shared memory", module.staticShared, launch->dynamicShared);
}

//===--------------------------------------------------------------------------------------------------------------===//
// Launches and blocks
//===--------------------------------------------------------------------------------------------------------------===//

KernelCounts &SimtMemory::getKernel() {
  for (KernelCounts &kernel : result.kernels)
    if (kernel.name == launch->name)
      return kernel;
  result.kernels.emplace_back();
  result.kernels.back().name = launch->name;
  return result.kernels.back();
}

void SimtMemory::beginLaunch(const LaunchConfig &config) {
  launch = &config;
  sorted.clear();
  for (auto *list : {&buffers, &ownBuffers})
    for (std::unique_ptr<WatchedBuffer> &buffer : *list) {
      buffer->number = static_cast<unsigned>(sorted.size());
      sorted.push_back(buffer.get());
    }
  std::fill(lastBuffer.begin(), lastBuffer.end(), nullptr);
  if (traffic) {
    traffic->beginLaunch(static_cast<unsigned>(sorted.size()) + 1);
    for (WatchedBuffer *buffer : sorted)
      traffic->touched[buffer->number].base = reinterpret_cast<uintptr_t>(buffer->base);
    visitsBefore = module.blockVisits;
  }
  std::sort(sorted.begin(), sorted.end(),
            [](auto *a, auto *b) { return std::make_pair(a->base, a->number) < std::make_pair(b->base, b->number); });
  shared.clear();
  firstInterval = clock.interval + 1;
  numBarriers = numWarpExchanges = numWarpBarriers = 0;
  intervalBlocks.clear();
}

void SimtMemory::nextInterval() {
  ++clock.interval;
  intervalBlocks.push_back(blockNumber);
  std::fill(std::begin(clock.warpEpochs), std::end(clock.warpEpochs), uint16_t(0));
}

void SimtMemory::beginBlock(Machine &machine) {
  Dim3 index = machine.getBlockIndex();
  blockNumber = index.x + uint64_t(launch->grid.x) * (index.y + uint64_t(launch->grid.y) * index.z);
  if (shared.empty())
    placeShared(machine);
  for (std::unique_ptr<WatchedBuffer> &variable : shared)
    if (variable->shadow)
      std::memset(variable->shadow->getWritten(), 0, variable->bytes);
  nextInterval();
  blockInterval = clock.interval;
  if (traffic)
    traffic->beginBlock(machine.getNumThreads());
}

void SimtMemory::endBlock(Machine &) {
  if (traffic)
    traffic->endBlock();
}

static void add(TrafficCounts &to, const TrafficCounts &from) {
  to.warpAccesses += from.warpAccesses;
  to.threadAccesses += from.threadAccesses;
  to.askedBytes += from.askedBytes;
  to.uniqueBytes += from.uniqueBytes;
  to.sectors += from.sectors;
  to.firstSectors += from.firstSectors;
  to.hitSectors += from.hitSectors;
  to.lostSectors += from.lostSectors;
  for (int i = 0; i < 5; ++i)
    to.widths[i] += from.widths[i];
}

static uint64_t countBits(const std::vector<uint64_t> &words) {
  uint64_t count = 0;
  for (uint64_t word : words)
    count += static_cast<uint64_t>(llvm::popcount(word));
  return count;
}

void SimtMemory::endLaunch() {
  if (!traffic) {
    launch = nullptr;
    return;
  }
  KernelCounts &kernel = getKernel();
  ++kernel.launches;
  kernel.blocks += launch->grid.count();
  kernel.threads += launch->grid.count() * launch->block.count();
  uint64_t tokens = 0;
  auto addBuffer = [&](const std::string &name, unsigned number) {
    const Traffic::PerBuffer &counts = traffic->buffers[number];
    if (!counts.reads.warpAccesses && !counts.writes.warpAccesses)
      return false;
    auto found = std::find_if(kernel.buffers.begin(), kernel.buffers.end(),
                              [&](const BufferCounts &buffer) { return buffer.name == name; });
    if (found == kernel.buffers.end()) {
      kernel.buffers.emplace_back();
      found = std::prev(kernel.buffers.end());
      found->name = name;
    }
    add(found->reads, counts.reads);
    add(found->writes, counts.writes);
    found->readFloor += countBits(traffic->touched[number].read);
    found->writeFloor += countBits(traffic->touched[number].written);
    return true;
  };
  for (auto *list : {&buffers, &ownBuffers})
    for (std::unique_ptr<WatchedBuffer> &buffer : *list)
      if (addBuffer(buffer->name, buffer->number) && buffer->isPerToken && buffer->rowStride)
        tokens = std::max(tokens, (buffer->bytes + buffer->rowStride - 1) / buffer->rowStride);
  addBuffer("unknown", static_cast<unsigned>(sorted.size()));
  kernel.tokens += tokens;
  kernel.barriers += numBarriers;
  kernel.warpExchanges += numWarpExchanges;
  kernel.warpBarriers += numWarpBarriers;
  auto floor = floors.find(launch->name);
  if (floor != floors.end())
    kernel.programFloor += tokens * floor->second.bytesPerToken + floor->second.bytesPerLaunch;
  kernel.sharedAccesses += traffic->sharedAccesses;
  kernel.sharedWavefronts += traffic->sharedWavefronts;
  kernel.bankConflicts += traffic->bankConflicts;
  for (size_t i = 0; i < module.blocks.size(); ++i)
    for (unsigned kind = 0; kind < kNumInstructionKinds; ++kind)
      kernel.instructions[kind] += (module.blockVisits[i] - visitsBefore[i]) * module.blocks[i][kind];
  launch = nullptr;
}

//===--------------------------------------------------------------------------------------------------------------===//
// Accesses
//===--------------------------------------------------------------------------------------------------------------===//

void *SimtMemory::redirect() {
  std::memset(scratch, 0, sizeof(scratch));
  return scratch;
}

void *SimtMemory::access(ThreadState &thread, void *pointer, uint32_t siteIndex, uint32_t bytes, bool writes) {
  auto *address = static_cast<char *>(pointer);
  const Machine &machine = *thread.machine;
  // A thread's own memory.
  if (machine.getStacks().contains(pointer))
    return pointer;
  const Site &site = module.sites[siteIndex];
  bool isShared = static_cast<uint64_t>(address - machine.getShared()) < machine.getSharedBytes();
  WatchedBuffer *buffer = nullptr;
  if (isShared) {
    for (std::unique_ptr<WatchedBuffer> &variable : shared)
      if (variable->contains(address))
        buffer = variable.get();
  } else {
    buffer = findBuffer(address, siteIndex);
  }

  if (options.check && (isShared || !buffers.empty())) {
    if (!buffer || !buffer->holds(static_cast<uint64_t>(address - static_cast<char *>(buffer->base)), bytes)) {
      WatchedBuffer *named = buffer ? buffer : isShared ? nullptr : findNearest(address);
      int64_t offset = named ? address - static_cast<char *>(named->base) : 0;
      report(writes ? FindingKind::OutOfBoundsWrite : FindingKind::OutOfBoundsRead, thread, named, offset, siteIndex,
             std::to_string(bytes) + " bytes" + (named ? "" : " in no buffer that is known"));
      return redirect();
    }
    uint64_t offset = static_cast<uint64_t>(address - static_cast<char *>(buffer->base));
    if (reinterpret_cast<uintptr_t>(address) % site.alignment)
      report(FindingKind::Misaligned, thread, buffer, static_cast<int64_t>(offset), siteIndex,
             "an access of " + std::to_string(bytes) + " bytes that promises alignment to " +
                 std::to_string(site.alignment));
    if (writes && buffer->isReadOnly) {
      report(FindingKind::WriteToInput, thread, buffer, static_cast<int64_t>(offset), siteIndex,
             std::to_string(bytes) + " bytes");
      return redirect();
    }
    // Nobody can write to an input, so that there is nothing to race with.
    if (!buffer->isReadOnly)
      checkShadow(thread, *buffer, offset, siteIndex, bytes, writes);
  }
  if (traffic) {
    unsigned number = isShared ? Traffic::kShared : buffer ? buffer->number : static_cast<unsigned>(sorted.size());
    traffic->access(thread.index, machine.getLiveLanes(thread.warp), siteIndex, reinterpret_cast<uintptr_t>(address),
                    bytes, number, writes);
  }
  return pointer;
}

/// The warp of a reader, or -1 if there are several.
static int getWarp(uint16_t reader) {
  if (reader < 0x400)
    return reader / 32;
  return reader >= ShadowByte::kManyLanes ? reader - ShadowByte::kManyLanes : -1;
}

void SimtMemory::reportRace(const ThreadState &thread, const WatchedBuffer &buffer, uint64_t offset, uint32_t site,
                            uint32_t interval, uint16_t other, const char *what) {
  bool sameBlock = interval >= blockInterval;
  int64_t otherThread = (other & ~ShadowByte::kAtomic) < 0x400 ? other & ~ShadowByte::kAtomic : -1;
  int64_t otherBlock = sameBlock ? -1 : static_cast<int64_t>(intervalBlocks[interval - firstInterval]);
  report(sameBlock ? FindingKind::RaceInBlock : FindingKind::RaceBetweenBlocks, thread, &buffer,
         static_cast<int64_t>(offset), site, what, otherThread, otherBlock);
}

void SimtMemory::checkShadow(ThreadState &thread, WatchedBuffer &buffer, uint64_t offset, uint32_t siteIndex,
                             uint32_t bytes, bool writes) {
  if (!buffer.shadow) {
    llvm::Expected<std::unique_ptr<Shadow>> made = Shadow::create(buffer.bytes);
    if (!made)
      llvm::report_fatal_error(made.takeError());
    buffer.shadow = std::move(*made);
  }
  const Site &site = module.sites[siteIndex];
  bool isAtomic = site.kind == Site::Atomic, reads = !writes || isAtomic;
  uint16_t me = static_cast<uint16_t>(thread.index), epoch = clock.warpEpochs[thread.warp];
  // Who came before the block, or in global memory before the launch, is out of the way.
  uint32_t first = buffer.isShared ? blockInterval : firstInterval;
  ShadowByte *shadow = buffer.shadow->getBytes() + offset;
  unsigned char *written = buffer.shadow->getWritten() + offset;
  bool isReported = false;
  for (uint32_t i = 0; i < bytes; ++i) {
    ShadowByte &byte = shadow[i];
    if (reads && !buffer.isInitialized && !written[i] && !isReported) {
      report(FindingKind::UninitializedRead, thread, &buffer, static_cast<int64_t>(offset + i), siteIndex,
             "nobody has written it");
      isReported = true;
    }
    auto races = [&](uint32_t interval, int warp, uint16_t when, bool isOwn) {
      if (interval < first || isOwn)
        return false;
      if (interval != clock.interval)
        // Within the block a barrier lies between the two.
        return interval < blockInterval;
      return warp != static_cast<int>(thread.warp) || when >= epoch;
    };
    uint16_t writer = byte.writer & ~ShadowByte::kAtomic;
    bool bothAtomic = isAtomic && (byte.writer & ShadowByte::kAtomic);
    bool isOwnWrite = writer == me && byte.writeInterval >= blockInterval;
    if (!bothAtomic && races(byte.writeInterval, writer / 32, byte.writeEpoch, isOwnWrite) && !isReported) {
      reportRace(thread, buffer, offset + i, siteIndex, byte.writeInterval, byte.writer,
                 writes ? "a write after a write" : "a read after a write");
      isReported = true;
    }
    if (writes) {
      bool isOwnRead = byte.reader == me && byte.readInterval >= blockInterval;
      bool manyBlocks = byte.reader == ShadowByte::kManyBlocks && byte.readInterval >= first;
      if ((manyBlocks || races(byte.readInterval, getWarp(byte.reader), byte.readEpoch, isOwnRead)) && !isReported) {
        reportRace(thread, buffer, offset + i, siteIndex, byte.readInterval, byte.reader, "a write after a read");
        isReported = true;
      }
      byte.writeInterval = clock.interval;
      byte.writer = me | (isAtomic ? ShadowByte::kAtomic : 0);
      byte.writeEpoch = epoch;
      written[i] = 1;
      continue;
    }
    if (byte.readInterval >= first && byte.readInterval < blockInterval)
      byte.reader = ShadowByte::kManyBlocks;
    else if (byte.readInterval != clock.interval) {
      if (byte.readInterval < first || byte.reader != ShadowByte::kManyBlocks)
        byte.reader = me;
    } else if (byte.reader != me && byte.reader != ShadowByte::kManyBlocks)
      byte.reader = getWarp(byte.reader) == static_cast<int>(thread.warp)
                        ? static_cast<uint16_t>(ShadowByte::kManyLanes + thread.warp)
                        : ShadowByte::kManyThreads;
    byte.readInterval = clock.interval;
    byte.readEpoch = epoch;
  }
}

//===--------------------------------------------------------------------------------------------------------------===//
// Threads among each other
//===--------------------------------------------------------------------------------------------------------------===//

void SimtMemory::barrier(Machine &machine, bool isDivergent, const std::string &detail, uint32_t site) {
  ++numBarriers;
  if (isDivergent && options.check)
    fault(machine, /*isBarrier=*/true, 0, detail, site);
  nextInterval();
}

void SimtMemory::warpOp(Machine &, unsigned warp, uint32_t, const LaneSlot &slot) {
  bool isSync = slot.op == WarpOp::Sync;
  if (isSync)
    ++clock.warpEpochs[warp];
  ++(isSync ? numWarpBarriers : numWarpExchanges);
}

void SimtMemory::fault(Machine &machine, bool isBarrier, unsigned thread, const std::string &detail, uint32_t site) {
  if (options.check)
    report(isBarrier ? FindingKind::DivergentBarrier : FindingKind::InactiveLane, machine.getThread(thread), nullptr, 0,
           site, detail);
}

void SimtMemory::report(FindingKind kind, const ThreadState &thread, const WatchedBuffer *buffer, int64_t offset,
                        uint32_t siteIndex, std::string detail, int64_t otherThread, int64_t otherBlock) {
  std::string name = buffer ? buffer->name : "";
  auto [found, isNew] = known.insert({{kind, launch->name, siteIndex, name}, result.findings.size()});
  if (!isNew) {
    ++result.findings[found->second].occurrences;
    return;
  }
  const Site &site = module.sites[siteIndex];
  Finding finding;
  finding.kind = kind;
  finding.kernel = launch->name;
  finding.buffer = std::move(name);
  finding.byteOffset = offset;
  if (buffer && buffer->columns && buffer->rowStride) {
    auto stride = static_cast<int64_t>(buffer->rowStride);
    finding.row = offset >= 0 ? offset / stride : -((stride - 1 - offset) / stride);
    finding.column = (offset - finding.row * stride) / static_cast<int64_t>(buffer->elementBytes);
  }
  std::copy(std::begin(thread.ctaid), std::end(thread.ctaid), finding.block);
  finding.thread = thread.index;
  finding.otherThread = otherThread;
  finding.otherBlock = otherBlock;
  finding.instruction = site.name;
  finding.location = site.location;
  finding.detail = std::move(detail);
  result.findings.push_back(std::move(finding));
}
