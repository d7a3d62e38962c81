//===- Traffic.cpp - Which bytes move where -----------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The rules of coalescing and of banks.

#include "nag/Target/SIMT/Traffic.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace nag;
using namespace nag::simt;

static constexpr uint64_t kSectorBytes = 32, kLineBytes = 128, kBankBytes = 4, kBanks = 32;

SectorCache::SectorCache(uint64_t bytes) : numSets(std::max<uint64_t>(1, bytes / (kLineBytes * kWays))) {
  lines.resize(numSets * kWays);
  clear();
}

void SectorCache::clear() {
  for (Line &line : lines)
    line = {~uint64_t(0), 0, 0};
  now = 0;
}

bool SectorCache::touch(uint64_t sector) {
  uint64_t tag = sector / 4;
  uint32_t bit = 1u << (sector % 4);
  // Spread, so that rows a power of two apart do not fall into the same set.
  uint64_t set = (tag * 0x9e3779b97f4a7c15 >> 16) % numSets;
  Line *oldest = &lines[set * kWays];
  ++now;
  for (unsigned way = 0; way < kWays; ++way) {
    Line &line = lines[set * kWays + way];
    if (line.tag == tag) {
      bool isThere = line.sectors & bit;
      line.sectors |= bit;
      line.lastUse = now;
      return isThere;
    }
    if (line.lastUse < oldest->lastUse)
      oldest = &line;
  }
  *oldest = {tag, now, bit};
  return false;
}

Traffic::Traffic(const LoweredModule &module, uint64_t l2Bytes) : module(module), cache(l2Bytes) {}

void Traffic::beginLaunch(unsigned numBuffers) {
  buffers.assign(numBuffers, {});
  touched.assign(numBuffers, {});
  sharedAccesses = sharedWavefronts = bankConflicts = 0;
  // A kernel is measured on its own: it finds nothing in L2.
  cache.clear();
}

void Traffic::beginBlock(unsigned numThreads) {
  size_t slots = 2 * module.sites.size();
  numWarps = static_cast<unsigned>(llvm::divideCeil(numThreads, 32));
  visits.assign(numThreads * slots, 0);
  if (queues.size() < numWarps * slots)
    queues.resize(numWarps * slots);
  for (Queue &queue : queues)
    queue.firstVisit = 0;
}

void Traffic::endBlock() {
  size_t slots = 2 * module.sites.size();
  for (size_t i = 0; i < numWarps * slots; ++i) {
    for (const Instance &instance : queues[i].open) {
      const Site &site = module.sites[i % slots / 2];
      if (instance.lanes)
        count(instance, site, isWrite(site, i & 1));
    }
    queues[i].open.clear();
  }
}

void Traffic::access(unsigned thread, uint32_t lanesOfWarp, uint32_t siteIndex, uint64_t address, uint32_t bytes,
                     unsigned buffer, bool writes) {
  size_t slots = 2 * module.sites.size();
  const Site &site = module.sites[siteIndex];
  size_t slot = 2 * siteIndex + (writes && site.kind != Site::Store);
  uint32_t visit = visits[thread * slots + slot]++;
  Queue &queue = queues[thread / 32 * slots + slot];
  size_t index = visit - queue.firstVisit;
  while (queue.open.size() <= index)
    queue.open.emplace_back();
  Instance &instance = queue.open[index];
  unsigned lane = thread % 32;
  instance.addresses[lane] = address;
  instance.lanes |= 1u << lane;
  instance.bytes = bytes;
  instance.buffer = buffer;
  if (index != 0 || instance.lanes != lanesOfWarp)
    return;
  count(instance, site, writes);
  // Later ones may have been completed by lanes that did not take part in this one.
  do {
    queue.open.pop_front();
    ++queue.firstVisit;
    if (queue.open.empty() || queue.open.front().lanes != lanesOfWarp)
      return;
    count(queue.open.front(), site, writes);
  } while (true);
}

void Traffic::count(const Instance &instance, const Site &site, bool writes) {
  uint32_t piece = instance.bytes == site.bytes() ? site.pieceBytes : instance.bytes;
  for (uint32_t offset = 0; offset < instance.bytes; offset += piece) {
    if (instance.buffer == kShared)
      countShared(instance, piece, offset);
    else
      countGlobal(instance, piece, offset, writes);
  }
}

void Traffic::countGlobal(const Instance &instance, uint32_t piece, uint32_t offset, bool writes) {
  PerBuffer &perBuffer = buffers[instance.buffer];
  TrafficCounts &counts = writes ? perBuffer.writes : perBuffer.reads;
  ++counts.warpAccesses;
  unsigned lanes = static_cast<unsigned>(llvm::popcount(instance.lanes));
  counts.threadAccesses += lanes;
  counts.askedBytes += uint64_t(lanes) * piece;
  counts.widths[std::min(4u, llvm::Log2_32(piece))] += lanes;
  // Sectors, and which of their bytes are asked for; usually they come in order.
  llvm::SmallVector<std::pair<uint64_t, uint32_t>, 64> sectors;
  for (uint32_t rest = instance.lanes; rest; rest &= rest - 1) {
    uint64_t begin = instance.addresses[llvm::countr_zero(rest)] + offset, end = begin + piece;
    while (begin < end) {
      uint64_t sector = begin / kSectorBytes, next = std::min(end, (sector + 1) * kSectorBytes);
      uint32_t mask = static_cast<uint32_t>(((uint64_t(1) << (next - begin)) - 1) << (begin % kSectorBytes));
      if (!sectors.empty() && sectors.back().first == sector)
        sectors.back().second |= mask;
      else
        sectors.emplace_back(sector, mask);
      begin = next;
    }
  }
  std::sort(sectors.begin(), sectors.end());
  for (size_t i = 0; i < sectors.size();) {
    uint64_t sector = sectors[i].first;
    uint32_t mask = 0;
    for (; i < sectors.size() && sectors[i].first == sector; ++i)
      mask |= sectors[i].second;
    counts.uniqueBytes += static_cast<uint64_t>(llvm::popcount(mask));
    ++counts.sectors;
    touch(instance.buffer, sector, mask, writes);
  }
}

void Traffic::touch(unsigned buffer, uint64_t sector, uint32_t bytesOfSector, bool writes) {
  PerBuffer &perBuffer = buffers[buffer];
  TrafficCounts &counts = writes ? perBuffer.writes : perBuffer.reads;
  Touched &bytes = touched[buffer];
  std::vector<uint64_t> &map = writes ? bytes.written : bytes.read;
  uint64_t index = sector - bytes.base / kSectorBytes;
  if (map.size() <= index / 2)
    map.resize(std::max<uint64_t>(index / 2 + 1, 2 * map.size()));
  uint64_t &word = map[index / 2];
  unsigned shift = index % 2 * 32;
  bool isFirst = !(word >> shift & 0xffffffff);
  word |= uint64_t(bytesOfSector) << shift;
  bool isThere = cache.touch(sector);
  ++(isFirst ? counts.firstSectors : isThere ? counts.hitSectors : counts.lostSectors);
}

/// Lanes are served as many at a time as ask for 128 bytes; among them each bank gives one word at a time, to all that
/// ask for it.
void Traffic::countShared(const Instance &instance, uint32_t piece, uint32_t offset) {
  unsigned lanesAtATime = piece >= 16 ? 8 : piece >= 8 ? 16 : 32;
  ++sharedAccesses;
  for (unsigned first = 0; first < 32; first += lanesAtATime) {
    llvm::SmallVector<uint64_t, 64> words;
    for (unsigned lane = first; lane < first + lanesAtATime; ++lane) {
      if (!(instance.lanes >> lane & 1))
        continue;
      uint64_t begin = (instance.addresses[lane] + offset) / kBankBytes;
      uint64_t end = (instance.addresses[lane] + offset + piece + kBankBytes - 1) / kBankBytes;
      for (uint64_t word = begin; word < end; ++word)
        words.push_back(word);
    }
    if (words.empty())
      continue;
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    unsigned perBank[kBanks] = {}, most = 0;
    for (uint64_t word : words)
      most = std::max(most, ++perBank[word % kBanks]);
    sharedWavefronts += most;
    bankConflicts += most - 1;
  }
}
