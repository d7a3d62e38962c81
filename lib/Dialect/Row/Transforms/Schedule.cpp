//===- Schedule.cpp - How each kernel is spread over a GPU --------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/Transforms/Schedule.h"
#include "nag/Dialect/Row/Transforms/Passes.h"

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
/// Elements of a row vector that a thread of a block keeps.
constexpr int64_t kElementsPerThread = 16;
/// Widest row that a block keeps in registers, at 128 registers for each of 512 threads.
constexpr int64_t kWidestBlockRow = 8192;
/// Threads of a block whose rows share a table: at 128 registers each, an SM holds one block of 512, with 64 warps'
/// worth of registers half used.
constexpr int64_t kSharingThreads = 512;
/// Rows that one product on tensor cores takes.
constexpr int64_t kProductRows = 8;
/// Most rows of a table that a row may be contracted with: code is written out for each, and takes seconds to compile.
constexpr int64_t kMostComponents = 128;

int64_t getBlockThreads(int64_t width) {
  int64_t threads = llvm::PowerOf2Ceil(llvm::divideCeil(width, kElementsPerThread));
  return std::clamp<int64_t>(threads, 64, 512);
}

/// Rows of a block of which each has `threads` threads. With a table on tensor cores they read it once for all.
int64_t getSharingRows(int64_t threads) { return std::clamp<int64_t>(kSharingThreads / threads, 1, kProductRows); }

/// The schedule of a kind for `kernel`, or why there is none.
FailureOr<ScheduleAttr> getSchedule(KernelOp kernel, ScheduleKind kind, function_ref<InFlightDiagnostic()> emitError) {
  MLIRContext *context = kernel.getContext();
  int64_t width = kernel.getWidth();
  bool shares = usesTensorCores(kernel);
  auto tooWide = [&](int64_t limit) {
    return emitError() << "schedule " << stringifyScheduleKind(kind) << " cannot serve rows of width " << width
                       << ": it keeps them in registers, which hold up to " << limit;
  };
  switch (kind) {
  case ScheduleKind::Warp:
    if (width > kWidestWarpRow)
      return tooWide(kWidestWarpRow);
    return ScheduleAttr::get(context, kind, 32, shares ? getSharingRows(32) : kWarpRows);
  case ScheduleKind::Block:
    if (width > kWidestBlockRow)
      return tooWide(kWidestBlockRow);
    return ScheduleAttr::get(context, kind, getBlockThreads(width),
                             shares ? getSharingRows(getBlockThreads(width)) : 1);
  case ScheduleKind::Stream:
    return ScheduleAttr::get(context, kind, getBlockThreads(width), 1);
  }
  llvm_unreachable("all kinds of schedule are listed");
}

/// Rows of more than a warp meet at barriers of the whole block, where all of them must be.
LogicalResult verifyRows(KernelOp kernel) {
  std::optional<ScheduleAttr> given = kernel.getSchedule();
  if (!given || given->getRows() == 1 || given->getKind() == ScheduleKind::Warp || usesTensorCores(kernel))
    return success();
  return kernel.emitOpError("has ") << given->getRows()
                                    << " rows a block and no table of 16-bit elements that they could share: a block "
                                       "schedule expects 1 row here";
}

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

ScheduleKind chooseKind(int64_t width) {
  if (width <= kWidestWarpRow)
    return ScheduleKind::Warp;
  return width <= kWidestBlockRow ? ScheduleKind::Block : ScheduleKind::Stream;
}

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
      if (failed(verifyComponents(kernel)) || failed(verifyRows(kernel)))
        return WalkResult::interrupt();
      int64_t width = kernel.getWidth();
      ScheduleKind choice = wanted.value_or(chooseKind(width));
      if (ScheduleAttr given = kernel.getScheduleAttr())
        choice = given.getKind();
      FailureOr<ScheduleAttr> schedule = getSchedule(kernel, choice, [&]() { return kernel.emitOpError(); });
      if (failed(schedule))
        return WalkResult::interrupt();
      if (!kernel.getScheduleAttr())
        kernel.setScheduleAttr(*schedule);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
