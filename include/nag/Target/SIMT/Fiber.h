//===- Fiber.h - Threads of a GPU as fibers of a host thread --------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Switches between call stacks of one host thread.

#ifndef NAG_TARGET_SIMT_FIBER_H
#define NAG_TARGET_SIMT_FIBER_H

#include "llvm/Support/Error.h"

#include <cstddef>

// A switch written by hand saves what the calling convention says; ucontext also saves the signal mask, by a system
// call for each switch. Other processors than x86-64 take ucontext.
#if !defined(__x86_64__) && !defined(NAG_SIMT_UCONTEXT)
#define NAG_SIMT_UCONTEXT
#endif

#ifdef NAG_SIMT_UCONTEXT
#include <ucontext.h>
#endif

namespace nag::simt {

/// Where a fiber goes on.
struct FiberContext {
#ifdef NAG_SIMT_UCONTEXT
  ucontext_t context;
#else
  void *stackPointer = nullptr;
#endif
};

/// Leaves the running fiber, whose place is put into `from`, for `to`.
void switchFiber(FiberContext &from, FiberContext &to);

/// Stacks of equal size, each with a page below it that cannot be touched.
class FiberStacks {
public:
  static llvm::Expected<FiberStacks> create(unsigned count);
  FiberStacks(FiberStacks &&other);
  FiberStacks &operator=(FiberStacks &&other);
  ~FiberStacks();

  unsigned size() const { return count; }
  /// Whether an address lies on any of the stacks.
  bool contains(const void *address) const {
    return static_cast<size_t>(static_cast<const char *>(address) - base) < count * kStride;
  }
  /// Makes `context` start with entry(argument), which must not return, on stack number `index`.
  void start(unsigned index, FiberContext &context, void (*entry)(void *), void *argument);

private:
  FiberStacks(char *base, unsigned count) : base(base), count(count) {}
  /// Generated kernels keep a few kilobytes on the stack; only the pages that are touched exist.
  static constexpr size_t kStackBytes = 512 * 1024, kGuardBytes = 16 * 1024, kStride = kStackBytes + kGuardBytes;
  char *base;
  unsigned count;
};

} // namespace nag::simt

#endif // NAG_TARGET_SIMT_FIBER_H
