//===- Fiber.cpp - Threads of a GPU as fibers of a host thread ----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The switch between stacks, and the stacks.

#include "nag/Target/SIMT/Fiber.h"

#include <cstdint>
#include <sys/mman.h>
#include <utility>

using namespace nag::simt;

#ifdef NAG_SIMT_UCONTEXT

void nag::simt::switchFiber(FiberContext &from, FiberContext &to) { swapcontext(&from.context, &to.context); }

/// makecontext passes ints only.
static void startFiber(unsigned entryLow, unsigned entryHigh, unsigned argumentLow, unsigned argumentHigh) {
  auto join = [](unsigned low, unsigned high) { return static_cast<uintptr_t>(low) | uint64_t(high) << 32; };
  reinterpret_cast<void (*)(void *)>(join(entryLow, entryHigh))(
      reinterpret_cast<void *>(join(argumentLow, argumentHigh)));
}

void FiberStacks::start(unsigned index, FiberContext &context, void (*entry)(void *), void *argument) {
  getcontext(&context.context);
  context.context.uc_stack.ss_sp = base + index * kStride + kGuardBytes;
  context.context.uc_stack.ss_size = kStackBytes;
  context.context.uc_link = nullptr;
  uint64_t e = reinterpret_cast<uintptr_t>(entry), a = reinterpret_cast<uintptr_t>(argument);
  makecontext(&context.context, reinterpret_cast<void (*)()>(startFiber), 4, unsigned(e), unsigned(e >> 32),
              unsigned(a), unsigned(a >> 32));
}

#else

extern "C" void nag_simt_switch(void **from, void *to);
extern "C" void nag_simt_start();

// The System V calling convention keeps rbx, rbp and r12 to r15 over a call; all else is the caller's to save.
asm(R"(
  .text
  .p2align 4
  .type nag_simt_switch,@function
nag_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size nag_simt_switch, .-nag_simt_switch

  .type nag_simt_start,@function
nag_simt_start:
  movq %r15, %rdi
  callq *%r14
  ud2
  .size nag_simt_start, .-nag_simt_start
)");

void nag::simt::switchFiber(FiberContext &from, FiberContext &to) {
  nag_simt_switch(&from.stackPointer, to.stackPointer);
}

void FiberStacks::start(unsigned index, FiberContext &context, void (*entry)(void *), void *argument) {
  // What the switch pops: r15, r14, r13, r12, rbx, rbp and the return address, after which the stack is aligned to 16.
  auto *top = reinterpret_cast<void **>(base + (index + 1) * kStride) - 9;
  top[0] = argument;
  top[1] = reinterpret_cast<void *>(entry);
  top[2] = top[3] = top[4] = top[5] = nullptr;
  top[6] = reinterpret_cast<void *>(nag_simt_start);
  context.stackPointer = top;
}

#endif

llvm::Expected<FiberStacks> FiberStacks::create(unsigned count) {
  void *base =
      mmap(nullptr, count * kStride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return llvm::createStringError("no memory for the stacks of %u threads", count);
  FiberStacks stacks(static_cast<char *>(base), count);
  for (unsigned i = 0; i < count; ++i)
    if (mprotect(stacks.base + i * kStride, kGuardBytes, PROT_NONE))
      return llvm::createStringError("the stacks of %u threads cannot be protected from each other", count);
  return std::move(stacks);
}

FiberStacks::FiberStacks(FiberStacks &&other) : base(std::exchange(other.base, nullptr)), count(other.count) {}

FiberStacks &FiberStacks::operator=(FiberStacks &&other) {
  std::swap(base, other.base);
  std::swap(count, other.count);
  return *this;
}

FiberStacks::~FiberStacks() {
  if (base)
    munmap(base, count * kStride);
}
