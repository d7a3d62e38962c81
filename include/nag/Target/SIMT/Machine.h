//===- Machine.h - Blocks of threads, run as fibers -----------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Runs one block of threads after another on one host thread, with the GPU's barriers and exchanges within warps.

#ifndef NAG_TARGET_SIMT_MACHINE_H
#define NAG_TARGET_SIMT_MACHINE_H

#include "nag/Target/SIMT/Fiber.h"
#include "nag/Target/SIMT/Lowered.h"

#include <memory>

namespace nag::simt {

class Machine;
class Observer;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// One thread. Generated code reads the first part, by offset.
struct ThreadState {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  uint32_t lane, warp, numWarps, dynamicShared, totalShared;
  /// Thread number in the block.
  uint32_t index;
  char *shared;
  // From here on the executor's own.
  Machine *machine;
  FiberContext context;
  bool hasExited;
  /// What the thread waits for, if it waits.
  uint32_t waitSite;
  uint32_t barrierResult;

  /// A copy that was started and has not been waited for.
  struct AsyncCopy {
    void *to;
    uint32_t bytes, group, site;
    unsigned char data[16];
  };
  std::vector<AsyncCopy> asyncCopies;
  uint32_t asyncGroup;
};

/// What the lanes of a warp do together.
enum class WarpOp : uint8_t {
  ShuffleUp,
  ShuffleDown,
  ShuffleButterfly,
  ShuffleIndex,
  All,
  Any,
  Uniform,
  Ballot,
  MatchAny,
  MatchAll,
  Add,
  SignedMin,
  SignedMax,
  UnsignedMin,
  UnsignedMax,
  And,
  Or,
  Xor,
  Sync,
  MatrixLoad,
  MatrixProduct
};

/// What a lane brings to a product of m16n8k16, and takes from it: its fragments as PTX lays them out. Halves are bf16
/// or f16.
struct MatrixFragments {
  uint32_t a[4], b[2];
  float c[4], d[4];
};

/// How a barrier combines the threads' predicates.
enum class BarrierOp : uint8_t { None, Popc, And, Or };

/// What one thread brings to a warp operation, and takes from it.
struct LaneSlot {
  WarpOp op;
  uint32_t mask, site;
  uint64_t value;
  /// The other lane, and the clamp, of a shuffle.
  uint32_t operand, clamp;
  uint64_t result;
  bool predicate;
};

struct LaunchConfig {
  const LoweredModule *module;
  std::string name;
  void (*function)(void **params);
  void **params;
  Dim3 grid, block;
  uint32_t dynamicShared;
  uint64_t seed;
};

/// The threads of a block and what they share; kept from block to block.
class Machine {
public:
  static llvm::Expected<std::unique_ptr<Machine>> create(unsigned threads, uint64_t sharedBytes);
  ~Machine();

  /// Runs one block to its end. An error says which threads wait for what forever.
  llvm::Error runBlock(const LaunchConfig &launch, Dim3 blockIndex, Observer *observer);

  // What generated code calls, on the fiber of `thread`.
  uint64_t warpOp(ThreadState &thread, LaneSlot slot, bool *predicate = nullptr);
  uint32_t barrier(ThreadState &thread, uint32_t id, uint32_t expected, bool isAligned, bool waits, BarrierOp op,
                   bool predicate, uint32_t site);
  /// Brings what an asynchronous copy has read to where it goes.
  void finishCopy(ThreadState &thread, const ThreadState::AsyncCopy &copy);
  void yield(ThreadState &thread);
  [[noreturn]] void exit(ThreadState &thread);
  [[noreturn]] void trap(ThreadState &thread, const char *what);

  /// The thread that runs on this host thread.
  static ThreadState &current();
  Observer *getObserver() const { return observer; }
  const LaunchConfig &getLaunch() const { return *launch; }
  const FiberStacks &getStacks() const { return stacks; }
  char *getShared() const { return shared; }
  uint64_t getSharedBytes() const { return usedShared; }
  unsigned getNumThreads() const { return numThreads; }
  const ThreadState &getThread(unsigned index) const { return threads[index]; }
  Dim3 getBlockIndex() const { return blockIndex; }
  unsigned getNumLive() const { return numThreads - numExited; }
  /// Lanes of a warp that have not ended.
  uint32_t getLiveLanes(unsigned warp) const { return warps[warp].present & ~warps[warp].exited; }

private:
  struct Warp {
    uint32_t present, exited, waiting;
    LaneSlot slots[32];
  };
  struct Barrier {
    uint32_t arrived = 0, expected = 0;
    bool isForAll = false, isAligned = false, all = true, any = false;
    uint32_t popc = 0;
    std::vector<uint32_t> waiting;
  };

  Machine(FiberStacks stacks, unsigned threads) : stacks(std::move(stacks)), threads(threads) {}
  static void runThread(void *thread);
  uint32_t pickReady();
  void wake(uint32_t thread) { ready[(readyBegin + numReady++) & (ready.size() - 1)] = thread; }
  /// Lets others run until somebody wakes this thread.
  void suspend(ThreadState &thread);
  void switchToNext(FiberContext &from);
  bool tryCompleteWarp(Warp &warp, unsigned warpIndex, uint32_t mask, WarpOp op, int self);
  void computeWarpOp(Warp &warp, unsigned warpIndex, uint32_t group, uint32_t mask);
  bool tryCompleteBarrier(Barrier &barrier, int self);
  llvm::Error describeDeadlock();
  uint64_t undefinedValue();

  FiberStacks stacks;
  std::vector<ThreadState> threads;
  std::vector<Warp> warps;
  Barrier barriers[16];
  /// A ring, whose size is a power of two.
  std::vector<uint32_t> ready;
  uint32_t readyBegin = 0, numReady = 0;
  FiberContext scheduler;
  const LaunchConfig *launch = nullptr;
  Observer *observer = nullptr;
  Dim3 blockIndex;
  unsigned numThreads = 0, numExited = 0;
  uint64_t random = 0;
  std::string failure;
  char *shared = nullptr;
  uint64_t sharedBytes = 0, usedShared = 0;
};

/// Sees what threads do. One machine at a time may have it.
class Observer {
public:
  virtual ~Observer() = default;
  virtual void beginBlock(Machine &machine) = 0;
  virtual void endBlock(Machine &machine) = 0;
  /// An access of site.bytes() bytes, or `bytes` of them where the site does not say; returns where to access instead.
  virtual void *access(ThreadState &thread, void *address, uint32_t site, uint32_t bytes, bool writes) = 0;
  /// Every thread that takes part has arrived.
  virtual void barrier(Machine &machine, bool isDivergent, const std::string &detail, uint32_t site) = 0;
  virtual void warpOp(Machine &machine, unsigned warp, uint32_t group, const LaneSlot &slot) = 0;
  /// Something that threads must not do to each other.
  virtual void fault(Machine &machine, bool isBarrier, unsigned thread, const std::string &detail, uint32_t site) = 0;
};

} // namespace nag::simt

#endif // NAG_TARGET_SIMT_MACHINE_H
