//===- CheckInput.cpp - What CPU code cannot carry ----------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Refuses, before anything is lowered, what would fail or go wrong silently further down.

#include "nag/Target/CPU/Entries.h"
#include "nag/Target/CPU/Machine.h"
#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/Target/TargetMachine.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUCHECKINPUT
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

LogicalResult nag::verifyEntrySignature(func::FuncOp func) {
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (auto memref = dyn_cast<MemRefType>(type)) {
      if (!memref.isStrided() || memref.getMemorySpace())
        return func.emitOpError("entry argument #") << index << ": expected a strided memref in the default memory "
                                                    << "space, got " << type;
      continue;
    }
    if (!isa<LLVM::LLVMPointerType, IndexType, Float32Type, Float64Type>(type) && !type.isSignlessInteger(32) &&
        !type.isSignlessInteger(64))
      return func.emitOpError("entry argument #")
             << index << ": expected a memref, !llvm.ptr, index, i32, i64, f32 or f64, got " << type;
  }
  if (func.getNumResults() > 1)
    return func.emitOpError("entry: expected at most one result (a status), got ") << func.getNumResults();
  for (Type type : func.getResultTypes())
    if (!isa<IndexType, Float32Type, Float64Type>(type) && !type.isSignlessInteger(32) && !type.isSignlessInteger(64))
      return func.emitOpError("entry result: expected i32, i64, index, f32 or f64, got ") << type;
  return success();
}

namespace {

/// Notes on an entry what the C calling convention needs to know of it once memrefs have become scalars; hides what is
/// no entry.
void markForCallers(func::FuncOp func) {
  if (!nag::isEntry(func)) {
    func.setPrivate();
    return;
  }
  SmallVector<int32_t> descriptors;
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isa<MemRefType>(type))
      descriptors.push_back(index);
  func->setAttr(nag::kDescriptorArgsAttr, DenseI32ArrayAttr::get(func.getContext(), descriptors));
  func->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), UnitAttr::get(func.getContext()));
}

struct CheckInput : nag::impl::NagCpuCheckInputBase<CheckInput> {
  using NagCpuCheckInputBase::NagCpuCheckInputBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    nag::CpuOptions options;
    options.cpu = cpu;
    options.features = features;
    llvm::Expected<nag::CpuMachine> machine = nag::CpuMachine::resolve(options);
    if (!machine) {
      module.emitError() << llvm::toString(machine.takeError());
      return signalPassFailure();
    }

    bool hasEntry = false;
    WalkResult result = module.walk([&](Operation *op) {
      if (auto func = dyn_cast<func::FuncOp>(op); func && nag::isEntry(func)) {
        hasEntry = true;
        if (func->getParentOp() != module) {
          func.emitOpError("entry in a nested module cannot be compiled for the CPU");
          return WalkResult::interrupt();
        }
        return failed(nag::verifyEntrySignature(func)) ? WalkResult::interrupt() : WalkResult::advance();
      }
      if (isa<memref::AllocOp, memref::DeallocOp, memref::ReallocOp>(op)) {
        op->emitOpError("in CPU code: an entry allocates nothing, its buffers lie in the workspace");
        return WalkResult::interrupt();
      }
      if (auto alloca = dyn_cast<memref::AllocaOp>(op); alloca && !alloca.getDynamicSizes().empty()) {
        alloca.emitOpError("in CPU code: a buffer on the stack must have a static size");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (!hasEntry) {
      module.emitError() << "no kernel to compile: no public function carries '" << nag::kEntryAttr << "'";
      return signalPassFailure();
    }

    if (failed(nag::verifyEntryNames(module)))
      return signalPassFailure();

    for (func::FuncOp func : module.getOps<func::FuncOp>())
      markForCallers(func);

    std::string layout = machine->createTargetMachine(/*optLevel=*/2)->createDataLayout().getStringRepresentation();
    module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(), StringAttr::get(&getContext(), layout));
    module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                    StringAttr::get(&getContext(), machine->getTriple().str()));
  }
};

} // namespace
