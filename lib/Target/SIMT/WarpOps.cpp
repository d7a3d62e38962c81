//===- WarpOps.cpp - What the lanes of a warp do together ---------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Shuffles, votes, matches and reductions: who has to arrive, and what each lane gets.

#include "nag/Target/SIMT/DeviceMath.h"
#include "nag/Target/SIMT/Machine.h"

#include "llvm/ADT/bit.h"

#include <cstring>

using namespace nag::simt;

uint64_t Machine::warpOp(ThreadState &thread, LaneSlot slot, bool *predicate) {
  Warp &warp = warps[thread.warp];
  LaneSlot &mine = warp.slots[thread.lane];
  uint32_t bit = 1u << thread.lane;
  mine = slot;
  thread.waitSite = slot.site;
  if (!(slot.mask & bit)) {
    if (observer)
      observer->fault(*this, /*isBarrier=*/false, thread.index,
                      "lane " + std::to_string(thread.lane) + " is not in its own mask", slot.site);
    if (predicate)
      *predicate = false;
    return undefinedValue();
  }
  warp.waiting |= bit;
  if (!tryCompleteWarp(warp, thread.warp, slot.mask, slot.op, static_cast<int>(thread.lane)))
    suspend(thread);
  if (predicate)
    *predicate = mine.predicate;
  return mine.result;
}

bool Machine::tryCompleteWarp(Warp &warp, unsigned warpIndex, uint32_t mask, WarpOp op, int self) {
  uint32_t live = mask & warp.present & ~warp.exited;
  if ((warp.waiting & live) != live || live == 0)
    return false;
  // Lanes that wait in the same warp may wait for something else.
  const Site *site = nullptr;
  uint32_t firstSite = 0;
  bool differs = false;
  for (uint32_t rest = live; rest; rest &= rest - 1) {
    const LaneSlot &slot = warp.slots[llvm::countr_zero(rest)];
    if (slot.mask != mask || slot.op != op)
      return false;
    if (!site) {
      firstSite = slot.site;
      site = &launch->module->sites[firstSite];
    }
    differs |= slot.site != firstSite;
  }
  if (observer) {
    unsigned thread = warpIndex * 32 + llvm::countr_zero(live);
    if (differs)
      observer->fault(*this, /*isBarrier=*/false, thread, "lanes of one warp are at different instructions", firstSite);
    if (uint32_t gone = mask & warp.exited)
      observer->fault(*this, /*isBarrier=*/false, warpIndex * 32 + llvm::countr_zero(gone),
                      "lane " + std::to_string(llvm::countr_zero(gone)) + " is in the mask and has ended", firstSite);
    observer->warpOp(*this, warpIndex, live, warp.slots[llvm::countr_zero(live)]);
  }
  computeWarpOp(warp, warpIndex, live, mask);
  warp.waiting &= ~live;
  for (uint32_t rest = live; rest; rest &= rest - 1) {
    int lane = llvm::countr_zero(rest);
    if (lane != self)
      wake(warpIndex * 32 + static_cast<uint32_t>(lane));
  }
  return true;
}

/// The lane that a shuffle reads, and whether it is within the segment; as the PTX manual defines it.
static uint32_t getSourceLane(const LaneSlot &slot, uint32_t lane, bool &isInRange) {
  uint32_t segmentMask = slot.clamp >> 8 & 31, clamp = slot.clamp & 31, other = slot.operand & 31;
  uint32_t maxLane = (lane & segmentMask) | (clamp & ~segmentMask & 31), minLane = lane & segmentMask;
  int64_t source = 0;
  switch (slot.op) {
  case WarpOp::ShuffleUp:
    source = int64_t(lane) - other;
    isInRange = source >= int64_t(maxLane);
    break;
  case WarpOp::ShuffleDown:
    source = int64_t(lane) + other;
    isInRange = source <= int64_t(maxLane);
    break;
  case WarpOp::ShuffleButterfly:
    source = lane ^ other;
    isInRange = source <= int64_t(maxLane);
    break;
  default:
    source = minLane | (other & ~segmentMask & 31);
    isInRange = source <= int64_t(maxLane);
    break;
  }
  return isInRange ? static_cast<uint32_t>(source) : lane;
}

static uint32_t reduce(WarpOp op, uint32_t a, uint32_t b) {
  switch (op) {
  case WarpOp::Add:
    return a + b;
  case WarpOp::SignedMin:
    return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? a : b;
  case WarpOp::SignedMax:
    return static_cast<int32_t>(a) > static_cast<int32_t>(b) ? a : b;
  case WarpOp::UnsignedMin:
    return a < b ? a : b;
  case WarpOp::UnsignedMax:
    return a > b ? a : b;
  case WarpOp::And:
    return a & b;
  case WarpOp::Or:
    return a | b;
  default:
    return a ^ b;
  }
}

/// A [16, 16] times B [16, 8] plus C. Products are exact in f64, where they are added up from the smallest k to the
/// largest and rounded to f32 once. Lane t has, with g = t / 4 and q = 2 (t % 4): of A the pairs of k (g, q), (g + 8,
/// q), (g, q + 8), (g + 8, q + 8); of B (q, g), (q + 8, g); of C and the result (g, q), (g, q + 1), (g + 8, q), (g + 8,
/// q + 1). A lane that is not there gives zeros.
static void multiplyMatrices(uint32_t group, const LaneSlot (&slots)[32]) {
  double a[16][16] = {}, b[16][8] = {};
  auto fragments = [&](uint32_t lane) { return reinterpret_cast<MatrixFragments *>(slots[lane].value); };
  for (uint32_t rest = group; rest; rest &= rest - 1) {
    uint32_t lane = static_cast<uint32_t>(llvm::countr_zero(rest)), g = lane / 4, q = lane % 4 * 2;
    bool isBf16 = slots[lane].operand;
    auto half = [&](uint32_t word, uint32_t i) {
      uint32_t bits = word >> (16 * i) & 0xffff;
      return static_cast<double>(isBf16 ? llvm::bit_cast<float>(bits << 16) : fromF16(bits));
    };
    for (uint32_t i = 0; i < 2; ++i) {
      for (uint32_t part = 0; part < 4; ++part)
        a[g + part % 2 * 8][q + part / 2 * 8 + i] = half(fragments(lane)->a[part], i);
      for (uint32_t part = 0; part < 2; ++part)
        b[q + part * 8 + i][g] = half(fragments(lane)->b[part], i);
    }
  }
  for (uint32_t rest = group; rest; rest &= rest - 1) {
    uint32_t lane = static_cast<uint32_t>(llvm::countr_zero(rest));
    for (uint32_t part = 0; part < 4; ++part) {
      uint32_t row = lane / 4 + part / 2 * 8, column = lane % 4 * 2 + part % 2;
      double sum = static_cast<double>(fragments(lane)->c[part]);
      for (uint32_t k = 0; k < 16; ++k)
        sum += a[row][k] * b[k][column];
      fragments(lane)->d[part] = static_cast<float>(sum);
    }
  }
}

void Machine::computeWarpOp(Warp &warp, unsigned warpIndex, uint32_t group, uint32_t mask) {
  auto forEachLane = [&](auto &&function) {
    for (uint32_t rest = group; rest; rest &= rest - 1) {
      uint32_t lane = static_cast<uint32_t>(llvm::countr_zero(rest));
      function(lane, warp.slots[lane]);
    }
  };
  uint32_t firstLane = static_cast<uint32_t>(llvm::countr_zero(group));
  WarpOp op = warp.slots[firstLane].op;
  switch (op) {
  case WarpOp::ShuffleUp:
  case WarpOp::ShuffleDown:
  case WarpOp::ShuffleButterfly:
  case WarpOp::ShuffleIndex:
    forEachLane([&](uint32_t lane, LaneSlot &slot) {
      uint32_t source = getSourceLane(slot, lane, slot.predicate);
      if (group >> source & 1) {
        slot.result = warp.slots[source].value;
        return;
      }
      slot.result = undefinedValue();
      if (observer)
        observer->fault(*this, /*isBarrier=*/false, warpIndex * 32 + lane,
                        "lane " + std::to_string(lane) + " reads lane " + std::to_string(source) +
                            ", which does not take part",
                        slot.site);
    });
    return;
  case WarpOp::All:
  case WarpOp::Any:
  case WarpOp::Uniform:
  case WarpOp::Ballot: {
    uint32_t ballot = 0;
    forEachLane([&](uint32_t lane, LaneSlot &slot) { ballot |= uint32_t(slot.value & 1) << lane; });
    uint64_t result = op == WarpOp::Ballot ? ballot
                      : op == WarpOp::Any  ? ballot != 0
                      : op == WarpOp::All  ? ballot == group
                                           : ballot == group || ballot == 0;
    forEachLane([&](uint32_t, LaneSlot &slot) { slot.result = result; });
    return;
  }
  case WarpOp::MatchAny:
    forEachLane([&](uint32_t, LaneSlot &slot) {
      slot.result = 0;
      forEachLane([&](uint32_t other, LaneSlot &candidate) {
        if (candidate.value == slot.value)
          slot.result |= uint64_t(1) << other;
      });
    });
    return;
  case WarpOp::MatchAll: {
    bool same = true;
    forEachLane([&](uint32_t, LaneSlot &slot) { same &= slot.value == warp.slots[firstLane].value; });
    forEachLane([&](uint32_t, LaneSlot &slot) {
      slot.result = same ? mask : 0;
      slot.predicate = same;
    });
    return;
  }
  case WarpOp::Sync:
    return;
  case WarpOp::MatrixLoad: {
    // Matrix k has its 8 rows of 16 bytes at the addresses of lanes 8k to 8k+7; thread t gets row t/4, elements 2(t%4)
    // and the next; transposed it gets column t/4 likewise.
    forEachLane([&](uint32_t, LaneSlot &slot) {
      unsigned char rows[4][8][16];
      uint32_t matrices = slot.operand;
      for (uint32_t k = 0; k < matrices; ++k)
        for (uint32_t row = 0; row < 8; ++row)
          std::memcpy(rows[k][row], reinterpret_cast<void *>(warp.slots[8 * k + row].value), 16);
      auto *to = reinterpret_cast<uint32_t *>(slot.result);
      uint32_t lane = static_cast<uint32_t>(&slot - warp.slots);
      for (uint32_t k = 0; k < matrices; ++k) {
        uint16_t halves[2];
        for (uint32_t i = 0; i < 2; ++i) {
          uint32_t row = lane / 4, column = lane % 4 * 2 + i;
          if (slot.clamp)
            std::swap(row, column);
          std::memcpy(&halves[i], &rows[k][row][2 * column], 2);
        }
        to[k] = halves[0] | uint32_t(halves[1]) << 16;
      }
    });
    return;
  }
  case WarpOp::MatrixProduct:
    multiplyMatrices(group, warp.slots);
    return;
  default:
    break;
  }
  uint32_t result = static_cast<uint32_t>(warp.slots[firstLane].value);
  forEachLane([&](uint32_t lane, LaneSlot &slot) {
    if (lane != firstLane)
      result = reduce(op, result, static_cast<uint32_t>(slot.value));
  });
  forEachLane([&](uint32_t, LaneSlot &slot) { slot.result = result; });
}
