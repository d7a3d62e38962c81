//===- ExportEntries.cpp - C symbols of entries -------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Gives each entry its C symbol and its packed form, and hides everything else.

#include "nag/Runtime/Abi.h"
#include "nag/Target/CPU/Entries.h"
#include "nag/Target/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace nag {
#define GEN_PASS_DEF_NAGCPUEXPORTENTRIES
#include "nag/Target/CPU/Passes.h.inc"
} // namespace nag

using namespace mlir;

namespace {

struct ExportEntries : nag::impl::NagCpuExportEntriesBase<ExportEntries> {
  using NagCpuExportEntriesBase::NagCpuExportEntriesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<LLVM::LLVMFuncOp> entries;
    module.walk([&](Operation *op) {
      if (auto func = dyn_cast<LLVM::LLVMFuncOp>(op)) {
        if (func->hasAttr(nag::kDescriptorArgsAttr) && !func.getName().starts_with("_mlir_ciface_"))
          entries.push_back(func);
        if (!func.isExternal())
          hide(func);
      } else if (auto global = dyn_cast<LLVM::GlobalOp>(op)) {
        if (global.getLinkage() == LLVM::Linkage::External && (global.getValueOrNull() || global.getInitializerBlock()))
          global.setLinkage(LLVM::Linkage::Internal);
      }
    });
    SymbolTable symbols(module);
    for (LLVM::LLVMFuncOp entry : entries)
      if (failed(exportEntry(symbols, entry)))
        return signalPassFailure();
  }

private:
  static void hide(LLVM::LLVMFuncOp func) {
    func.setLinkage(LLVM::Linkage::Internal);
    // What is said of arguments is for the header, which is written from the source; LLVM IR has no use for it.
    for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
      for (NamedAttribute attr : llvm::to_vector(mlir::function_interface_impl::getArgAttrs(func, i)))
        if (attr.getName().getValue().starts_with("nag."))
          func.removeArgAttr(i, attr.getName());
  }

  /// A symbol beside `name` that nothing uses yet; the dot keeps it apart from C identifiers.
  static std::string freeName(SymbolTable &symbols, StringRef name, StringRef suffix) {
    std::string result = (name + suffix).str();
    for (unsigned n = 0; symbols.lookup(result); ++n)
      result = (name + suffix + "." + Twine(n)).str();
    return result;
  }

  /// llvm.func @update(scalars), @_mlir_ciface_update(descriptors)
  ///   ==>  @update.impl, @update.descriptors internal; @update(descriptors), @update_packed(args) for callers
  LogicalResult exportEntry(SymbolTable &symbols, LLVM::LLVMFuncOp entry) {
    std::string name = entry.getName().str();
    std::string packedName = name + nag::kPackedSuffix.str();
    auto wrapper = symbols.lookup<LLVM::LLVMFuncOp>("_mlir_ciface_" + name);
    if (!wrapper)
      return entry.emitOpError("entry lost its C wrapper on the way to the LLVM dialect");
    if (symbols.lookup(packedName))
      return entry.emitOpError("entry needs the symbol '") << packedName << "' for its packed form, but it is taken";

    auto descriptors = cast<DenseI32ArrayAttr>(entry->removeAttr(nag::kDescriptorArgsAttr));
    wrapper->removeAttr(nag::kDescriptorArgsAttr);
    for (LLVM::LLVMFuncOp func : {entry, wrapper}) {
      func->removeAttr(nag::kEntryAttr);
      func->removeAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
    }
    if (failed(symbols.rename(entry, freeName(symbols, name, ".impl"))) ||
        failed(symbols.rename(wrapper, freeName(symbols, name, ".descriptors"))))
      return entry.emitOpError("entry could not be renamed");
    entry.setAlwaysInline(true);
    wrapper.setAlwaysInline(true);

    OpBuilder builder(wrapper->getBlock(), std::next(Block::iterator(wrapper)));
    Location loc = entry.getLoc();
    auto exported = LLVM::LLVMFuncOp::create(builder, loc, name, wrapper.getFunctionType());
    buildChecked(exported, wrapper, descriptors.asArrayRef());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    auto packed = LLVM::LLVMFuncOp::create(
        builder, loc, packedName, LLVM::LLVMFunctionType::get(exported.getFunctionType().getReturnType(), {pointer}));
    buildPacked(packed, exported);
    symbols.insert(exported);
    symbols.insert(packed);
    return success();
  }

  /// Answers a null descriptor with a status where the result can carry one, then calls `wrapper`.
  static void buildChecked(LLVM::LLVMFuncOp func, LLVM::LLVMFuncOp wrapper, ArrayRef<int32_t> descriptors) {
    OpBuilder builder(func.getContext());
    builder.setInsertionPointToStart(func.addEntryBlock(builder));
    Location loc = func.getLoc();
    Type result = func.getFunctionType().getReturnType();
    if (auto integer = dyn_cast<IntegerType>(result)) {
      for (int32_t index : descriptors) {
        Value argument = func.getArgument(index);
        Value null = LLVM::ZeroOp::create(builder, loc, argument.getType());
        Value isNull = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, argument, null);
        int64_t status = NAG_STATUS_MAKE(NAG_STATUS_NULL, std::min(index, NAG_STATUS_NONE), NAG_STATUS_NONE);
        // A size is returned in 64 bits, and a negative one is a status.
        if (integer.getWidth() == 64)
          status = -status;
        Block *refuse = func.addBlock();
        Block *next = func.addBlock();
        LLVM::CondBrOp::create(builder, loc, isNull, refuse, next);
        builder.setInsertionPointToEnd(refuse);
        Value value = LLVM::ConstantOp::create(builder, loc, result, builder.getIntegerAttr(result, status));
        LLVM::ReturnOp::create(builder, loc, value);
        builder.setInsertionPointToEnd(next);
      }
    }
    auto call = LLVM::CallOp::create(builder, loc, wrapper, func.getArguments());
    LLVM::ReturnOp::create(builder, loc, call.getResults());
  }

  /// Takes the arguments from an array of pointers.
  static void buildPacked(LLVM::LLVMFuncOp packed, LLVM::LLVMFuncOp callee) {
    OpBuilder builder(packed.getContext());
    builder.setInsertionPointToStart(packed.addEntryBlock(builder));
    Location loc = packed.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(packed.getContext());
    SmallVector<Value> arguments;
    for (auto [index, type] : llvm::enumerate(callee.getArgumentTypes())) {
      Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, packed.getArgument(0),
                                       ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      Value argument = LLVM::LoadOp::create(builder, loc, pointer, slot);
      if (type != pointer)
        argument = LLVM::LoadOp::create(builder, loc, type, argument);
      arguments.push_back(argument);
    }
    auto call = LLVM::CallOp::create(builder, loc, callee, arguments);
    call.setNoInline(true); // the kernel's code once is enough
    LLVM::ReturnOp::create(builder, loc, call.getResults());
  }
};

} // namespace
