//===- PlaceWorkspace.cpp - Allocations of entries become views of their workspace --------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Nag/IR/Entry.h"
#include "nag/Dialect/Row/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag::row {
#define GEN_PASS_DEF_ROWPLACEWORKSPACE
#include "nag/Dialect/Row/Transforms/Passes.h.inc"
} // namespace nag::row

using namespace mlir;
using namespace nag;

namespace {

/// What every buffer in the workspace is aligned to, counted from its start.
constexpr int64_t kAlignment = 256;

/// The bytes of a dense buffer, rounded up to the alignment.
Value emitBytes(ImplicitLocOpBuilder &b, MemRefType type, ValueRange dynamicSizes) {
  int64_t elementBytes = type.getElementTypeBitWidth() / 8, known = elementBytes;
  for (int64_t size : type.getShape())
    known *= ShapedType::isDynamic(size) ? 1 : size;
  Value bytes = arith::ConstantIndexOp::create(b, known);
  for (Value size : dynamicSizes)
    bytes = arith::MulIOp::create(b, bytes, size);
  Value alignment = arith::ConstantIndexOp::create(b, kAlignment);
  return arith::MulIOp::create(b, arith::CeilDivUIOp::create(b, bytes, alignment), alignment);
}

/// Clones what `values` are computed from to where `b` stands. Arguments must be in `mapping`.
SmallVector<Value> cloneSlice(ImplicitLocOpBuilder &b, ValueRange values, IRMapping &mapping) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  for (Value value : values)
    if (failed(getBackwardSlice(value, &slice, options)))
      return {};
  for (Operation *op : topologicalSort(slice))
    if (!mapping.contains(op->getResult(0)))
      b.clone(*op, mapping);
  return llvm::map_to_vector(values, [&](Value value) { return mapping.lookup(value); });
}

struct PlaceWorkspace : nag::row::impl::RowPlaceWorkspaceBase<PlaceWorkspace> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      SmallVector<memref::AllocOp> allocations;
      entry.walk([&](memref::AllocOp alloc) { allocations.push_back(alloc); });
      if (!entry->hasAttr(kEntryAttr) || allocations.empty())
        continue;
      auto size = symbols.lookup<func::FuncOp>(getWorkspaceSizeName(entry));
      if (!size) {
        entry.emitError("entry '") << entry.getSymName() << "' has no function " << getWorkspaceSizeName(entry)
                                   << ": run nag-entry before row-place-workspace";
        return signalPassFailure();
      }
      if (failed(place(entry, size, allocations)))
        return signalPassFailure();
    }
  }

  LogicalResult place(func::FuncOp entry, func::FuncOp size, ArrayRef<memref::AllocOp> allocations) {
    // The last two arguments of an entry are the workspace and the stream.
    Value workspace = entry.getArgument(entry.getNumArguments() - 2);
    auto sizeReturn = cast<func::ReturnOp>(size.getBody().front().getTerminator());
    ImplicitLocOpBuilder sizeBuilder(size.getLoc(), sizeReturn);
    IRMapping mapping;
    mapping.map(entry.getArguments().take_front(size.getNumArguments()), size.getArguments());

    Value offset, total;
    for (memref::AllocOp alloc : allocations) {
      MemRefType type = alloc.getType();
      if (!type.getLayout().isIdentity())
        return alloc.emitOpError("cannot be placed in the workspace: expected a dense buffer, got ") << type;
      if (alloc->getParentOfType<LoopLikeOpInterface>())
        return alloc.emitOpError("cannot be placed in the workspace: it is within a loop");

      ImplicitLocOpBuilder b(alloc.getLoc(), alloc);
      if (!offset)
        offset = arith::ConstantIndexOp::create(b, 0);
      Value view = memref::ViewOp::create(b, type, workspace, offset, alloc.getDynamicSizes());
      offset = arith::AddIOp::create(b, offset, emitBytes(b, type, alloc.getDynamicSizes()));

      SmallVector<Value> sizes = cloneSlice(sizeBuilder, alloc.getDynamicSizes(), mapping);
      if (sizes.size() != alloc.getDynamicSizes().size())
        return alloc.emitOpError("cannot be placed in the workspace: its size does not follow from sizes of arguments");
      Value bytes = emitBytes(sizeBuilder, type, sizes);
      total = total ? arith::AddIOp::create(sizeBuilder, total, bytes).getResult() : bytes;

      for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
        if (isa<memref::DeallocOp>(user))
          user->erase();
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
    sizeReturn.setOperand(0, arith::IndexCastOp::create(sizeBuilder, sizeBuilder.getI64Type(), total));
    return success();
  }
};

} // namespace
