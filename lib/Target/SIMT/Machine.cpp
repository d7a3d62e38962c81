//===- Machine.cpp - Blocks of threads, run as fibers -------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Which thread runs next, and what threads wait for: the start and the end of a block, and CTA barriers.

#include "nag/Target/SIMT/Machine.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace nag::simt;

static thread_local ThreadState *currentThread = nullptr;

ThreadState &Machine::current() { return *currentThread; }

/// splitmix64.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

llvm::Expected<std::unique_ptr<Machine>> Machine::create(unsigned threads, uint64_t sharedBytes) {
  llvm::Expected<FiberStacks> stacks = FiberStacks::create(threads);
  if (!stacks)
    return stacks.takeError();
  std::unique_ptr<Machine> machine(new Machine(std::move(*stacks), threads));
  machine->warps.resize(llvm::divideCeil(threads, 32));
  machine->ready.resize(llvm::PowerOf2Ceil(threads));
  // Banks are counted from the address, so that it must begin where bank 0 does.
  machine->sharedBytes = llvm::alignTo(std::max<uint64_t>(sharedBytes, 1), 1024);
  machine->shared = static_cast<char *>(std::aligned_alloc(1024, machine->sharedBytes));
  if (!machine->shared)
    return llvm::createStringError("no memory for %llu bytes of shared memory",
                                   static_cast<unsigned long long>(sharedBytes));
  return std::move(machine);
}

Machine::~Machine() { std::free(shared); }

uint64_t Machine::undefinedValue() { return launch->seed ? nextRandom(random) : 0xffffffffffffffff; }

//===--------------------------------------------------------------------------------------------------------------===//
// Who runs
//===--------------------------------------------------------------------------------------------------------------===//

uint32_t Machine::pickReady() {
  uint32_t &first = ready[readyBegin & (ready.size() - 1)];
  // Seed 0 is the order in which threads became ready; any other takes one of them by chance.
  if (launch->seed && numReady > 1) {
    uint32_t other = static_cast<uint32_t>((nextRandom(random) >> 32) * numReady >> 32);
    std::swap(first, ready[(readyBegin + other) & (ready.size() - 1)]);
  }
  uint32_t picked = first;
  readyBegin = (readyBegin + 1) & (ready.size() - 1);
  --numReady;
  return picked;
}

void Machine::switchToNext(FiberContext &from) {
  if (numReady == 0 || !failure.empty()) {
    switchFiber(from, scheduler);
    return;
  }
  ThreadState &next = threads[pickReady()];
  currentThread = &next;
  if (&next.context != &from)
    switchFiber(from, next.context);
}

void Machine::suspend(ThreadState &thread) { switchToNext(thread.context); }

void Machine::yield(ThreadState &thread) {
  wake(thread.index);
  suspend(thread);
}

void Machine::runThread(void *argument) {
  auto &thread = *static_cast<ThreadState *>(argument);
  const LaunchConfig &launch = *thread.machine->launch;
  launch.function(launch.params);
  thread.machine->exit(thread);
}

void Machine::exit(ThreadState &thread) {
  for (const ThreadState::AsyncCopy &copy : thread.asyncCopies)
    finishCopy(thread, copy);
  thread.asyncCopies.clear();
  thread.hasExited = true;
  ++numExited;
  Warp &warp = warps[thread.warp];
  warp.exited |= 1u << thread.lane;
  // Threads that have ended are not waited for.
  for (unsigned lane = 0; lane < 32; ++lane)
    if (warp.waiting >> lane & 1)
      tryCompleteWarp(warp, thread.warp, warp.slots[lane].mask, warp.slots[lane].op, /*self=*/-1);
  for (Barrier &barrier : barriers)
    if (barrier.arrived && barrier.isForAll)
      tryCompleteBarrier(barrier, /*self=*/-1);
  suspend(thread);
  // Nobody wakes a thread that has ended.
  std::abort();
}

void Machine::finishCopy(ThreadState &thread, const ThreadState::AsyncCopy &copy) {
  void *to = copy.to;
  if (observer)
    to = observer->access(thread, to, copy.site, copy.bytes, /*writes=*/true);
  std::memcpy(to, copy.data, copy.bytes);
}

void Machine::trap(ThreadState &thread, const char *what) {
  if (failure.empty())
    failure = ("thread " + llvm::Twine(thread.index) + " of block (" + llvm::Twine(blockIndex.x) + ", " +
               llvm::Twine(blockIndex.y) + ", " + llvm::Twine(blockIndex.z) + ") " + what)
                  .str();
  suspend(thread);
  std::abort();
}

//===--------------------------------------------------------------------------------------------------------------===//
// A block
//===--------------------------------------------------------------------------------------------------------------===//

llvm::Error Machine::runBlock(const LaunchConfig &config, Dim3 index, Observer *watcher) {
  launch = &config;
  observer = watcher;
  blockIndex = index;
  numThreads = static_cast<unsigned>(config.block.count());
  numExited = 0;
  readyBegin = numReady = 0;
  failure.clear();
  uint64_t number = index.x + uint64_t(config.grid.x) * (index.y + uint64_t(config.grid.y) * index.z);
  random = config.seed * 0xd1342543de82ef95 + number;
  usedShared = config.module->staticShared + config.dynamicShared;
  // What a block finds in shared memory is no promise.
  std::memset(shared, config.seed ? static_cast<int>(nextRandom(random) & 0xff) : 0xff, sharedBytes);
  for (Barrier &barrier : barriers)
    barrier = Barrier();
  unsigned numWarps = llvm::divideCeil(numThreads, 32);
  for (unsigned i = 0; i < numWarps; ++i) {
    unsigned lanes = std::min(32u, numThreads - 32 * i);
    warps[i].present = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warps[i].exited = warps[i].waiting = 0;
  }
  for (unsigned i = 0; i < numThreads; ++i) {
    ThreadState &thread = threads[i];
    thread.tid[0] = i % config.block.x;
    thread.tid[1] = i / config.block.x % config.block.y;
    thread.tid[2] = i / config.block.x / config.block.y;
    auto set = [](uint32_t (&to)[3], Dim3 from) { to[0] = from.x, to[1] = from.y, to[2] = from.z; };
    set(thread.ntid, config.block);
    set(thread.ctaid, index);
    set(thread.nctaid, config.grid);
    thread.lane = i % 32;
    thread.warp = i / 32;
    thread.numWarps = numWarps;
    thread.dynamicShared = config.dynamicShared;
    thread.totalShared = static_cast<uint32_t>(usedShared);
    thread.index = i;
    thread.shared = shared;
    thread.machine = this;
    thread.hasExited = false;
    thread.asyncCopies.clear();
    thread.asyncGroup = 0;
    stacks.start(i, thread.context, runThread, &thread);
    wake(i);
  }
  if (observer)
    observer->beginBlock(*this);
  switchToNext(scheduler);
  if (!failure.empty())
    return llvm::createStringError("kernel %s: %s", config.name.c_str(), failure.c_str());
  if (numExited != numThreads)
    return describeDeadlock();
  if (observer)
    observer->endBlock(*this);
  return llvm::Error::success();
}

llvm::Error Machine::describeDeadlock() {
  // Threads by what they wait for; a barrier first, because it explains the rest.
  std::map<std::pair<bool, uint32_t>, std::vector<uint32_t>> waiting;
  for (unsigned i = 0; i < numThreads; ++i)
    if (!threads[i].hasExited)
      waiting[{launch->module->sites[threads[i].waitSite].kind != Site::Barrier, threads[i].waitSite}].push_back(i);
  std::string text;
  for (auto &[key, indices] : waiting) {
    const Site &site = launch->module->sites[key.second];
    text += (text.empty() ? "" : "; ") + std::to_string(indices.size()) + " threads, the first of them " +
            std::to_string(indices.front()) + ", wait at " + site.name +
            (site.location.empty() ? "" : " (" + site.location + ")");
  }
  text += "; " + std::to_string(numExited) + " of " + std::to_string(numThreads) + " threads have ended";
  auto &[key, indices] = *waiting.begin();
  bool isBarrier = !key.first;
  if (observer)
    observer->fault(*this, isBarrier, indices.front(), "the block never ends: " + text, key.second);
  return llvm::createStringError("kernel %s: block (%u, %u, %u) never ends: %s", launch->name.c_str(), blockIndex.x,
                                 blockIndex.y, blockIndex.z, text.c_str());
}

//===--------------------------------------------------------------------------------------------------------------===//
// Barriers of a block
//===--------------------------------------------------------------------------------------------------------------===//

uint32_t Machine::barrier(ThreadState &thread, uint32_t id, uint32_t expected, bool isAligned, bool waits, BarrierOp op,
                          bool predicate, uint32_t site) {
  if (id >= 16)
    trap(thread, "takes a barrier whose number is beyond 15");
  if (expected % 32 || expected > numThreads + 31)
    trap(thread,
         "takes a barrier for a number of threads that is not a multiple of the warp size, or is beyond the block");
  Barrier &barrier = barriers[id];
  if (barrier.arrived == 0) {
    barrier.isForAll = expected == 0;
    barrier.expected = expected;
    barrier.isAligned = isAligned;
    barrier.all = true;
    barrier.any = false;
    barrier.popc = 0;
  } else if (barrier.isForAll != (expected == 0) || (expected && barrier.expected != expected)) {
    if (observer)
      observer->fault(*this, /*isBarrier=*/true, thread.index,
                      "barrier " + std::to_string(id) + " is taken for different numbers of threads", site);
    // The first thread's number stands.
  }
  ++barrier.arrived;
  barrier.popc += predicate;
  barrier.all &= predicate;
  barrier.any |= predicate;
  thread.waitSite = site;
  if (waits)
    barrier.waiting.push_back(thread.index);
  if (!tryCompleteBarrier(barrier, waits ? static_cast<int>(thread.index) : -1) && waits)
    suspend(thread);
  switch (op) {
  case BarrierOp::None:
    return 0;
  case BarrierOp::Popc:
    return thread.barrierResult >> 2;
  case BarrierOp::And:
    return thread.barrierResult & 1;
  case BarrierOp::Or:
    return thread.barrierResult >> 1 & 1;
  }
  return 0;
}

bool Machine::tryCompleteBarrier(Barrier &barrier, int self) {
  bool isComplete = barrier.isForAll ? barrier.arrived + numExited == numThreads : barrier.arrived >= barrier.expected;
  if (!isComplete)
    return false;
  std::string detail;
  uint32_t site = threads[barrier.waiting.empty() ? 0 : barrier.waiting.front()].waitSite;
  if (observer && barrier.isForAll && numExited)
    detail =
        std::to_string(numExited) + " of " + std::to_string(numThreads) + " threads have ended without reaching it";
  if (observer && barrier.isAligned && detail.empty()) {
    // "aligned" promises that the threads of a warp are at the same instruction.
    uint32_t sites[32];
    std::fill(std::begin(sites), std::end(sites), ~0u);
    for (uint32_t index : barrier.waiting) {
      uint32_t &first = sites[threads[index].warp];
      if (first == ~0u)
        first = threads[index].waitSite;
      else if (first != threads[index].waitSite && detail.empty())
        detail = "threads of warp " + std::to_string(threads[index].warp) +
                 " are at different barrier instructions, one of them thread " + std::to_string(index);
    }
  }
  uint32_t result = barrier.popc << 2 | uint32_t(barrier.any) << 1 | uint32_t(barrier.all);
  for (uint32_t index : barrier.waiting) {
    threads[index].barrierResult = result;
    if (static_cast<int>(index) != self)
      wake(index);
  }
  barrier.arrived = 0;
  barrier.waiting.clear();
  if (observer)
    observer->barrier(*this, !detail.empty(), detail, site);
  return true;
}
