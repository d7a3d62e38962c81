//===- DescribeKernels.cpp - What is known about compiled kernels -------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Reads the facts of a report off the IR, and joins them with what ptxas says.

#include "nag/Compiler/Report.h"

#include "nag/Dialect/Nag/IR/Entry.h"
#include "nag/Dialect/Row/Transforms/Schedule.h"
#include "nag/Dialect/Row/Transforms/SharedMemory.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nag;

static int64_t getBytes(ArrayRef<int64_t> shape, Type elementType) {
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  for (int64_t size : shape)
    bytes *= size;
  return bytes;
}

/// What the kernel must move of its operands. A buffer that is there twice is read once.
static void countBytes(row::KernelOp kernel, KernelReport &report) {
  llvm::SmallDenseSet<Value> seen;
  llvm::SmallSetVector<int64_t, 2> elementBytes;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    bool isInput = argument.getArgNumber() < kernel.getInputs().size();
    if (isInput && (argument.use_empty() || !seen.insert(kernel.getOperandOf(argument)).second))
      continue;
    if (auto table = dyn_cast<row::TableType>(argument.getType())) {
      report.tableBytes += getBytes(table.getShape(), table.getElementType());
      continue;
    }
    auto row = cast<row::RowType>(argument.getType());
    (isInput ? report.readBytesPerToken : report.writtenBytesPerToken) +=
        getBytes(row.getShape(), row.getElementType());
    if (!row.getShape().empty())
      elementBytes.insert(getBytes({}, row.getElementType()));
  }
  report.rowElementBytes.assign(elementBytes.begin(), elementBytes.end());
}

static ScheduleReport describeSchedule(row::KernelOp kernel, row::ScheduleAttr schedule, int64_t maxSharedBytes) {
  ScheduleReport report;
  report.kind = stringifyScheduleKind(schedule.getKind()).str();
  report.threadsPerRow = schedule.getThreads();
  report.rowsPerBlock = schedule.getRows();
  report.isPersistent = schedule.getPersistent();
  report.dynamicSharedBytes = schedule.getPersistent() ? row::SharedMemory(kernel, schedule).getBytes() : 0;
  report.reason = row::explainSchedule(kernel, schedule, maxSharedBytes);
  return report;
}

std::vector<KernelReport> nag::describeKernels(ModuleOp module, int64_t maxSharedBytes) {
  std::vector<KernelReport> kernels;
  module.walk([&](row::KernelOp kernel) {
    KernelReport report;
    if (auto entry = kernel->getParentOfType<func::FuncOp>())
      report.entry = entry.getSymName().str();
    report.name = kernel.getKernelName().str();
    report.width = kernel.getWidth();
    countBytes(kernel, report);
    if (std::optional<row::ScheduleAttr> schedule = kernel.getSchedule())
      report.schedule = describeSchedule(kernel, *schedule, maxSharedBytes);
    kernels.push_back(std::move(report));
  });
  return kernels;
}

void nag::addFunctions(gpu::GPUModuleOp module, std::vector<KernelReport> &kernels) {
  for (auto function : module.getOps<gpu::GPUFuncOp>()) {
    auto number = function->getAttrOfType<IntegerAttr>(kRowKernelAttr);
    auto access = function->getAttrOfType<IntegerAttr>(kAccessAttr);
    if (!number || !access)
      continue;
    KernelReport &kernel = kernels[number.getInt()];
    FunctionReport report;
    report.name = function.getName().str();
    llvm::SmallSetVector<int64_t, 2> accessBytes;
    for (int64_t bytes : kernel.rowElementBytes)
      accessBytes.insert(std::min<int64_t>(access.getInt() * bytes, 16));
    report.accessBytes.assign(accessBytes.begin(), accessBytes.end());
    llvm::sort(report.accessBytes);
    report.anyAlignment = access.getInt() == 1;
    kernel.functions.push_back(std::move(report));
  }
}

LogicalResult nag::addResources(const Cubin &cubin, std::vector<KernelReport> &kernels, EmitError emitError) {
  for (KernelReport &kernel : kernels)
    for (FunctionReport &function : kernel.functions) {
      auto resources = llvm::find_if(cubin.kernels, [&](const auto &used) { return used.name == function.name; });
      if (resources == cubin.kernels.end())
        return emitError() << "ptxas reported nothing about kernel '" << function.name << "'";
      Occupancy occupancy = computeOccupancy(
          *cubin.chip, kernel.schedule->threadsPerRow * kernel.schedule->rowsPerBlock, resources->registers,
          resources->staticSharedBytes + static_cast<uint64_t>(kernel.schedule->dynamicSharedBytes));
      function.uses.push_back({cubin.chip, *resources, occupancy});
    }
  return success();
}
