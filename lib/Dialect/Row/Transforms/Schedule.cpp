//===- Schedule.cpp - How each kernel is spread over a GPU --------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/Transforms/Schedule.h"
#include "KeptBytes.h"

#include "nag/Dialect/Row/Transforms/Passes.h"
#include "nag/Dialect/Row/Transforms/SharedMemory.h"

#include "llvm/Support/MathExtras.h"

namespace nag::row {
#define GEN_PASS_DEF_ROWSCHEDULE
#include "nag/Dialect/Row/Transforms/Passes.h.inc"
} // namespace nag::row

using namespace mlir;
using namespace nag::row;

bool nag::row::usesTensorCores(ContractOp contraction) {
  Type type = contraction.getInput().getType().getElementType();
  return contraction->getParentOp()->hasAttr(kTensorCoresAttr) && isa<FloatType>(type) &&
         type.getIntOrFloatBitWidth() == 16 && contraction.getTable().getType().getElementType() == type;
}

bool nag::row::usesTensorCores(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<ContractOp>(),
                      [](ContractOp contraction) { return usesTensorCores(contraction); });
}

namespace {

// The cost model, with its arithmetic in docs/design/schedules.md.

/// Widest row that a warp keeps in registers: 32 elements of a row vector a thread.
constexpr int64_t kWidestWarpRow = 1024;
/// Rows of one block, a warp each: enough warps to fill an SM before its limit of blocks is met.
constexpr int64_t kWarpRows = 4;
/// Elements of a row vector that a thread of a block keeps, and in a persistent block, if it keeps more than
/// `kFewKeptBytes` for an element, beside what it reads ahead.
constexpr int64_t kElementsPerThread = 16, kFewElementsPerThread = 8;
constexpr int64_t kFewKeptBytes = 8;
/// Widest row that a block keeps in registers, at 128 registers for each of 512 threads.
constexpr int64_t kWidestBlockRow = 8192;
/// Threads of a block whose rows share a table: at 128 registers each they take all that an SM has.
constexpr int64_t kSharingThreads = 512;
/// Rows that one product on tensor cores takes.
constexpr int64_t kProductRows = 8;
/// Rows that wait each at a barrier of their own: a block has 16 barriers, one of which is for all.
constexpr int64_t kRowBarriers = 15;
/// Most rows of a table that a row may be contracted with: code is written out for each, and takes seconds to compile.
constexpr int64_t kMostComponents = 128;

/// No schedule serves a modulator of very many components.
LogicalResult verifyComponents(KernelOp kernel) {
  WalkResult result = kernel.walk([](ContractOp contract) {
    int64_t components = contract.getType().getDimSize(0);
    if (components <= kMostComponents)
      return WalkResult::advance();
    emitError(contract.getLoc()) << "a modulator of C = " << components
                                 << " cannot be compiled for a GPU, where C is at most " << kMostComponents
                                 << ": the code of a kernel is written out for each component";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Chooses the schedule of one kernel, and says why.
class Scheduler {
public:
  Scheduler(KernelOp kernel, int64_t maxSharedBytes)
      : kernel(kernel), width(kernel.getWidth()), maxSharedBytes(maxSharedBytes),
        sharesOnTensorCores(usesTensorCores(kernel)) {}

  /// The schedule of `kind`, or of the best kind, persistent if `persistent` says so, or if it pays where it says
  /// nothing. Fails, with its reason, where there is none.
  FailureOr<ScheduleAttr> choose(std::optional<ScheduleKind> kind, std::optional<bool> persistent) {
    if (!persistent)
      persistent = pays(kind);
    ScheduleAttr schedule = get(kind.value_or(getBestKind(*persistent)), *persistent);
    if (failed(verify(schedule)))
      return failure();
    return schedule;
  }

  /// Whether a schedule can serve the kernel.
  LogicalResult verify(ScheduleAttr schedule) {
    ScheduleKind kind = schedule.getKind();
    int64_t widest = kind == ScheduleKind::Warp ? kWidestWarpRow : kWidestBlockRow;
    if (kind != ScheduleKind::Stream && width > widest)
      return kernel.emitOpError() << "schedule " << stringifyScheduleKind(kind) << " cannot serve rows of width "
                                  << width << ": it keeps them in registers, which hold up to " << widest;
    int64_t rows = schedule.getRows();
    bool haveBarriers = kind == ScheduleKind::Warp || sharesOnTensorCores;
    if (!haveBarriers && rows > kRowBarriers)
      return kernel.emitOpError() << "has " << rows
                                  << " rows a block, which wait for each other at barriers: there are " << kRowBarriers;
    // More than that is dynamic, which only persistent kernels ask for.
    int64_t bytes = SharedMemory(kernel, schedule).getBytes();
    int64_t limit = schedule.getPersistent() ? maxSharedBytes : kDefaultSharedBytes;
    if (bytes > limit)
      return kernel.emitOpError() << "needs " << bytes << " bytes of shared memory a block under " << schedule
                                  << ", where there are " << limit;
    return success();
  }

  /// What the cost model takes by itself, whether it can serve the kernel or not.
  ScheduleAttr getBest() {
    bool persistent = pays({});
    return get(getBestKind(persistent), persistent);
  }

  StringRef getReason() const { return reason; }

private:
  /// Elements that a thread keeps. A persistent block has what it reads ahead beside them.
  int64_t getElementsPerThread(bool persistent) {
    return persistent && getKeptBytes(kernel) > kFewKeptBytes ? kFewElementsPerThread : kElementsPerThread;
  }

  ScheduleKind getBestKind(bool persistent) {
    if (width <= (persistent ? 32 * getElementsPerThread(persistent) : kWidestWarpRow))
      return ScheduleKind::Warp;
    return width <= kWidestBlockRow ? ScheduleKind::Block : ScheduleKind::Stream;
  }

  int64_t getThreads(ScheduleKind kind, bool persistent) {
    if (kind == ScheduleKind::Warp)
      return 32;
    int64_t threads = llvm::PowerOf2Ceil(llvm::divideCeil(width, getElementsPerThread(persistent)));
    return std::clamp<int64_t>(threads, 64, 512);
  }

  int64_t getRows(ScheduleKind kind, int64_t threads, bool persistent) const {
    if (kind == ScheduleKind::Stream)
      return 1;
    int64_t sharing = kSharingThreads / threads;
    if (sharesOnTensorCores)
      return std::min(sharing, kProductRows);
    if (persistent)
      return kind == ScheduleKind::Warp ? sharing : std::min(sharing, kRowBarriers);
    return kind == ScheduleKind::Warp ? kWarpRows : 1;
  }

  ScheduleAttr get(ScheduleKind kind, bool persistent) {
    int64_t threads = getThreads(kind, persistent);
    return ScheduleAttr::get(kernel.getContext(), kind, threads, getRows(kind, threads, persistent), persistent);
  }

  /// A grid that stays pays where it takes a table to shared memory that every row would read from L2.
  bool pays(std::optional<ScheduleKind> kind) {
    ScheduleAttr schedule = get(kind.value_or(getBestKind(/*persistent=*/true)), /*persistent=*/true);
    SharedMemory shared(kernel, schedule);
    llvm::raw_string_ostream os(reason);
    if (shared.tables.empty()) {
      os << "no contraction, whose table blocks could keep: no persistent grid";
      return false;
    }
    int64_t bytes = 0;
    for (BlockArgument table : shared.tables) {
      auto type = cast<TableType>(table.getType());
      bytes += ShapedType::getNumElements(type.getShape()) * type.getElementType().getIntOrFloatBitWidth() / 8;
    }
    bool fits = shared.getBytes() <= maxSharedBytes;
    os << bytes << " bytes of tables for contractions, " << shared.getBytes() << " with what else a block keeps, "
       << (fits ? "fit into" : "do not fit into") << " the " << maxSharedBytes
       << " bytes of shared memory that a block can have: "
       << (fits ? "a persistent grid reads them once a block" : "every block reads them from L2");
    return fits;
  }

  KernelOp kernel;
  int64_t width, maxSharedBytes;
  bool sharesOnTensorCores;
  std::string reason;
};

struct RowSchedule : nag::row::impl::RowScheduleBase<RowSchedule> {
  using RowScheduleBase::RowScheduleBase;

  void runOnOperation() override {
    std::optional<ScheduleKind> wanted = symbolizeScheduleKind(kind);
    if (!kind.empty() && !wanted) {
      emitError(getOperation()->getLoc())
          << "row-schedule: expected kind to be warp, block or stream, got '" << kind << "'";
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      if (tensorCores)
        kernel->setAttr(kTensorCoresAttr, UnitAttr::get(&getContext()));
      return WalkResult(success(succeeded(verifyComponents(kernel)) && succeeded(schedule(kernel, wanted))));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult schedule(KernelOp kernel, std::optional<ScheduleKind> wanted) {
    Scheduler scheduler(kernel, maxSharedBytes);
    if (ScheduleAttr given = kernel.getScheduleAttr())
      return scheduler.verify(given);
    std::optional<bool> isPersistent;
    if (persistent != PersistentGrid::Auto)
      isPersistent = persistent == PersistentGrid::On;
    FailureOr<ScheduleAttr> schedule = scheduler.choose(wanted, isPersistent);
    if (failed(schedule))
      return failure();
    kernel.setScheduleAttr(*schedule);
    return success();
  }
};

} // namespace

std::string nag::row::explainSchedule(KernelOp kernel, ScheduleAttr schedule, int64_t maxSharedBytes) {
  Scheduler scheduler(kernel, maxSharedBytes);
  ScheduleAttr best = scheduler.getBest();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (schedule != best)
    os << "was asked for; by itself " << best << ": ";
  os << scheduler.getReason();
  return text;
}
