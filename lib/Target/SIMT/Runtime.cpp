//===- Runtime.cpp - What generated code calls --------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The executor's functions under the names that generated code has for them.

#include "nag/Target/SIMT/DeviceMath.h"
#include "nag/Target/SIMT/Intrinsics.h"
#include "nag/Target/SIMT/Machine.h"

#include <cstring>

using namespace nag::simt;

static ThreadState *getSelf() { return &Machine::current(); }

static uint64_t runWarpOp(ThreadState *self, uint32_t op, uint32_t mask, uint64_t value, uint32_t operand,
                          uint32_t clamp, uint32_t site, bool *predicate) {
  return self->machine->warpOp(*self, {static_cast<WarpOp>(op), mask, site, value, operand, clamp, 0, false},
                               predicate);
}

static uint32_t runBarrier(ThreadState *self, uint32_t id, uint32_t expected, uint32_t isAligned, uint32_t waits,
                           uint32_t op, uint32_t predicate, uint32_t site) {
  return self->machine->barrier(*self, id, expected, isAligned, waits, static_cast<BarrierOp>(op), predicate, site);
}

static void *access(ThreadState *self, void *address, uint32_t site) {
  const Site &info = self->machine->getLaunch().module->sites[site];
  return self->machine->getObserver()->access(*self, address, site, info.bytes(), info.writes());
}

static void commitCopies(ThreadState *self) { ++self->asyncGroup; }

/// Waits until at most `pending` of the committed groups are under way; with `all` also for what is not committed.
static void waitForCopies(ThreadState *self, uint32_t pending, uint32_t all) {
  auto &copies = self->asyncCopies;
  size_t kept = 0;
  for (ThreadState::AsyncCopy &copy : copies)
    if (all || copy.group + pending < self->asyncGroup)
      self->machine->finishCopy(*self, copy);
    else
      copies[kept++] = copy;
  copies.resize(kept);
}

/// The source is read now and the destination written by the wait: who does not wait, sees what was there before.
static void startCopy(ThreadState *self, void *to, void *from, uint32_t bytes, uint32_t given, uint32_t site) {
  ThreadState::AsyncCopy copy = {to, bytes, self->asyncGroup, site, {}};
  given = given < bytes ? given : bytes;
  if (Observer *observer = self->machine->getObserver(); observer && given)
    from = observer->access(*self, from, site, given, /*writes=*/false);
  std::memcpy(copy.data, from, given);
  self->asyncCopies.push_back(copy);
}

static void loadMatrices(ThreadState *self, void *address, uint32_t *to, uint32_t matrices, uint32_t isTransposed,
                         uint32_t site) {
  // Lanes beyond 8 rows a matrix give no address.
  if (Observer *observer = self->machine->getObserver(); observer && self->lane < 8 * matrices)
    address = observer->access(*self, address, site, 16, /*writes=*/false);
  self->machine->warpOp(*self, {WarpOp::MatrixLoad, ~0u, site, reinterpret_cast<uintptr_t>(address), matrices,
                                isTransposed, reinterpret_cast<uintptr_t>(to), false});
}

static void multiplyMatrices(ThreadState *self, MatrixFragments *fragments, uint32_t isBf16, uint32_t site) {
  self->machine->warpOp(*self, {WarpOp::MatrixProduct, ~0u, site, reinterpret_cast<uintptr_t>(fragments), isBf16, 0,
                                reinterpret_cast<uintptr_t>(fragments), false});
}

static void yield(ThreadState *self) { self->machine->yield(*self); }
static void exitThread(ThreadState *self) { self->machine->exit(*self); }
static void trap(ThreadState *self) { self->machine->trap(*self, "stops at a trap"); }

static uint32_t permuteBytes(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t choice = selector >> (4 * i) & 15;
    uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (choice & 7))) & 0xff;
    // The fourth bit asks for the byte's sign, eight times over.
    if (choice & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

// The compiler's support functions for 16-bit floats, which not every system has. The value is in the low bits of the
// register that a float is returned or passed in.
static float withLowBits(uint32_t bits) {
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}
static float truncateFloatToHalf(float x) { return withLowBits(toF16(static_cast<double>(x))); }
static float truncateDoubleToHalf(double x) { return withLowBits(toF16(x)); }
static float truncateFloatToBFloat(float x) { return withLowBits(toBF16(static_cast<double>(x))); }
static float truncateDoubleToBFloat(double x) { return withLowBits(toBF16(x)); }
static float extendHalf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return fromF16(bits & 0xffff);
}

std::vector<std::pair<std::string, void *>> nag::simt::getRuntimeSymbols() {
  auto address = [](auto *function) { return reinterpret_cast<void *>(function); };
  return {
      {"nag_simt_self", address(getSelf)},
      {"nag_simt_warp", address(runWarpOp)},
      {"nag_simt_barrier", address(runBarrier)},
      {"nag_simt_access", address(access)},
      {"nag_simt_commit", address(commitCopies)},
      {"nag_simt_wait", address(waitForCopies)},
      {"nag_simt_copy", address(startCopy)},
      {"nag_simt_ldmatrix", address(loadMatrices)},
      {"nag_simt_mma", address(multiplyMatrices)},
      {"nag_simt_yield", address(yield)},
      {"nag_simt_exit", address(exitThread)},
      {"nag_simt_trap", address(trap)},
      {"nag_simt_prmt", address(permuteBytes)},
      {"nag_simt_arith_f32", address(arithF32)},
      {"nag_simt_arith_f64", address(arithF64)},
      {"nag_simt_to_int", address(toInt)},
      {"nag_simt_int_to_f32", address(intToF32)},
      {"nag_simt_int_to_f64", address(intToF64)},
      {"nag_simt_f64_to_f32", address(f64ToF32)},
      {"nag_simt_to_bf16", address(toBF16)},
      {"nag_simt_to_f16", address(toF16)},
      {"__truncsfhf2", address(truncateFloatToHalf)},
      {"__truncdfhf2", address(truncateDoubleToHalf)},
      {"__truncsfbf2", address(truncateFloatToBFloat)},
      {"__truncdfbf2", address(truncateDoubleToBFloat)},
      {"__extendhfsf2", address(extendHalf)},
  };
}
