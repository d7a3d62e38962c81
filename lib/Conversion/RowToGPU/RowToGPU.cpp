//===- RowToGPU.cpp - Row programs as GPU kernels and their launches ----------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "ChunkAccess.h"
#include "KernelEmitter.h"
#include "SpreadVectors.h"

#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Nag/IR/Entry.h"
#include "nag/Dialect/Row/Transforms/ScheduleOptions.h"
#include "nag/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace nag {
#define GEN_PASS_DEF_ROWTOGPU
#include "nag/Conversion/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;
using namespace nag::row;

namespace {

/// Outlines one row.kernel.
class KernelOutliner {
public:
  KernelOutliner(KernelOp kernel, int64_t number, gpu::GPUModuleOp module, SymbolTable &symbols)
      : kernel(kernel), number(number), module(module), symbols(symbols), b(kernel.getLoc(), kernel),
        entry(kernel->getParentOfType<func::FuncOp>()), schedule(*kernel.getSchedule()), shared(kernel, schedule) {}

  LogicalResult outline() {
    if (failed(verify()))
      return failure();
    int64_t widest = kernel.getWidth() == 0 ? 1 : getWidestAccess(kernel.getWidth());
    gpu::GPUFuncOp wide = createKernel(widest, "");
    gpu::GPUFuncOp narrow = widest > 1 ? createKernel(1, "_narrow") : gpu::GPUFuncOp();
    emitLaunches(wide, narrow, widest);
    return success();
  }

private:
  LogicalResult verify() {
    if (!entry || !entry->hasAttr(kEntryAttr))
      return kernel.emitOpError("expected to be in an entry: run nag-entry before row-to-gpu");
    for (Value operand : kernel.getOperands()) {
      auto type = cast<MemRefType>(operand.getType());
      if (type.getElementType().isF64())
        return kernel.emitOpError("unsupported element type f64 for a GPU target: f64 is for the CPU");
      if (operand.getDefiningOp<memref::GetGlobalOp>())
        return kernel.emitOpError("reads a constant of ")
               << type << " from host memory, which a GPU cannot reach: pass it as an argument";
    }
    int64_t bytes = shared.getBytes();
    if (!schedule.getPersistent() && bytes > kDefaultSharedBytes)
      return kernel.emitOpError("needs ") << bytes << " bytes of shared memory a block under " << schedule
                                          << ", where there are " << kDefaultSharedBytes;
    return success();
  }

  gpu::GPUFuncOp createKernel(int64_t access, StringRef suffix) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    std::string name = (entry.getSymName() + "_" + kernel.getKernelName() + suffix).str();
    auto type = b.getFunctionType(kernel.getOperandTypes(), {});
    // A persistent grid has dynamic shared memory instead.
    SmallVector<Type> buffers;
    if (!schedule.getPersistent())
      for (const SharedBuffer &buffer : shared.buffers)
        buffers.push_back(buffer.getType());
    auto function = gpu::GPUFuncOp::create(b, name, type, buffers);
    // Accesses of 128 bits.
    for (size_t i = 0; i < buffers.size(); ++i)
      function.setWorkgroupAttributionAttr(i, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(16));
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    function->setAttr(kRowKernelAttr, b.getI64IntegerAttr(number));
    function->setAttr(kAccessAttr, b.getI64IntegerAttr(access));
    function.setKnownBlockSize(
        ArrayRef<int32_t>{static_cast<int32_t>(schedule.getThreads()), static_cast<int32_t>(schedule.getRows()), 1});
    symbols.insert(function);
    emitKernelBody(kernel, function, access);
    return function;
  }

  //===----------------------------------------------------------------------------------------------===//
  // Launch
  //===----------------------------------------------------------------------------------------------===//

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  void emitLaunches(gpu::GPUFuncOp wide, gpu::GPUFuncOp narrow, int64_t widest) {
    Value tokens = index(1);
    for (int64_t i = 0; i < kernel.getTokenRank(); ++i)
      tokens = arith::MulIOp::create(b, tokens, memref::DimOp::create(b, kernel.getTokenOperand(), i));
    // The blocks of a persistent grid have a row each before one gets a second.
    Value blocks = schedule.getPersistent() ? tokens : arith::CeilDivUIOp::create(b, tokens, index(schedule.getRows()));
    // A grid of no blocks is not a launch.
    Value hasTokens = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, tokens, index(0));
    auto branch = scf::IfOp::create(b, hasTokens, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    if (!narrow)
      return emitLaunch(wide, blocks);
    auto choice = scf::IfOp::create(b, emitIsAligned(widest), /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    emitLaunch(wide, blocks);
    b.setInsertionPointToStart(choice.elseBlock());
    emitLaunch(narrow, blocks);
  }

  void emitLaunch(gpu::GPUFuncOp function, Value blocks) {
    Value stream = entry.getArguments().back();
    auto symbol = SymbolRefAttr::get(module.getSymNameAttr(), {SymbolRefAttr::get(function)});
    bool isPersistent = schedule.getPersistent();
    auto launch = gpu::LaunchFuncOp::create(
        b, symbol, {blocks, index(1), index(1)}, {index(schedule.getThreads()), index(schedule.getRows()), index(1)},
        arith::ConstantIntOp::create(b, isPersistent ? shared.getBytes() : 0, 32), kernel.getOperands(), stream);
    // The grid is as large as it may be; how large it is the device says.
    if (isPersistent)
      launch->setAttr(kPersistentAttr, b.getUnitAttr());
  }

  /// Whether all rows of all operands start where accesses of `access` elements may start.
  Value emitIsAligned(int64_t access) {
    Value misalignment = index(0);
    for (auto [argument, operand] : llvm::zip_equal(kernel.getBody().getArguments(), kernel.getOperands())) {
      ArrayRef<int64_t> shape;
      if (auto row = dyn_cast<RowType>(argument.getType()))
        shape = row.getShape();
      else if (cast<TableType>(argument.getType()).getShape().size() == 2)
        shape = cast<TableType>(argument.getType()).getShape().drop_front();
      if (shape.empty())
        continue;
      auto type = cast<MemRefType>(operand.getType());
      int64_t bytes = type.getElementTypeBitWidth() / 8;
      int64_t alignment = getAccessAlignment(access, type.getElementType());
      Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, operand);
      auto metadata = memref::ExtractStridedMetadataOp::create(b, operand);
      SmallVector<Value> distances(metadata.getStrides().drop_back());
      distances.push_back(metadata.getOffset());
      for (Value distance : distances)
        addMisalignment(misalignment, arith::MulIOp::create(b, distance, index(bytes)), alignment);
      addMisalignment(misalignment, address, alignment);
    }
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, misalignment, index(0));
  }

  void addMisalignment(Value &misalignment, Value bytes, int64_t alignment) {
    misalignment = arith::OrIOp::create(b, misalignment, arith::AndIOp::create(b, bytes, index(alignment - 1)));
  }

  KernelOp kernel;
  int64_t number;
  gpu::GPUModuleOp module;
  SymbolTable &symbols;
  ImplicitLocOpBuilder b;
  func::FuncOp entry;
  ScheduleAttr schedule;
  SharedMemory shared;
};

struct RowToGPU : nag::impl::RowToGPUBase<RowToGPU> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    if (kernels.empty())
      return;
    for (KernelOp kernel : kernels) {
      if (!kernel.isBufferized()) {
        kernel.emitOpError("works on tensors still: run one-shot-bufferize before row-to-gpu");
        return signalPassFailure();
      }
      if (!kernel.getSchedule()) {
        kernel.emitOpError("has no schedule: run row-schedule before row-to-gpu");
        return signalPassFailure();
      }
      if (failed(SpreadVectors::verify(kernel)))
        return signalPassFailure();
    }

    OpBuilder builder(&getContext());
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
    builder.setInsertionPointToEnd(getOperation().getBody());
    auto module = gpu::GPUModuleOp::create(builder, getOperation().getLoc(), "nag_kernels");
    SymbolTable(getOperation()).insert(module);
    SymbolTable symbols(module);
    for (auto [number, kernel] : llvm::enumerate(kernels)) {
      if (failed(KernelOutliner(kernel, number, module, symbols).outline()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace
