//===- NagEntry.cpp - Public functions on tensors become entries on buffers ---------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Overlap.h"

#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Nag/IR/Entry.h"
#include "nag/Dialect/Row/IR/RowDialect.h"
#include "nag/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace nag {
#define GEN_PASS_DEF_NAGENTRY
#include "nag/Conversion/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;

namespace {

//===--------------------------------------------------------------------------------------------------===//
// Equal dimensions
//===--------------------------------------------------------------------------------------------------===//

/// Which dimensions of tensors must be equal at run time, for the kernels of a function to make sense.
class EqualDimensions {
public:
  explicit EqualDimensions(func::FuncOp func) {
    func.walk([&](Operation *op) {
      if (auto kernel = dyn_cast<row::KernelOp>(op))
        addKernel(kernel);
      else if (auto cast = dyn_cast<tensor::CastOp>(op))
        unifyAll(cast.getSource(), cast.getResult());
      else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
        addEmpty(empty);
    });
  }

  /// A number for the class of a dimension.
  unsigned classOf(Value value, int64_t dimension) { return classes.getLeaderValue(idOf(value, dimension)); }

  /// The size that some member of the class has in its type.
  std::optional<int64_t> getStaticSize(unsigned leader) {
    for (auto &[key, id] : ids)
      if (classes.getLeaderValue(id) == leader)
        if (int64_t size = cast<ShapedType>(key.first.getType()).getDimSize(key.second); !ShapedType::isDynamic(size))
          return size;
    return std::nullopt;
  }

private:
  unsigned idOf(Value value, int64_t dimension) {
    auto [it, inserted] = ids.try_emplace({value, dimension}, ids.size());
    if (inserted)
      classes.insert(it->second);
    return it->second;
  }

  void unify(Value lhs, int64_t lhsDimension, Value rhs, int64_t rhsDimension) {
    unsigned l = idOf(lhs, lhsDimension), r = idOf(rhs, rhsDimension);
    classes.unionSets(l, r);
  }

  void unifyAll(Value lhs, Value rhs) {
    for (int64_t i = 0, e = cast<ShapedType>(lhs.getType()).getRank(); i < e; ++i)
      unify(lhs, i, rhs, i);
  }

  void addKernel(row::KernelOp kernel) {
    Value reference = kernel.getTokenOperand();
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (isa<row::RowType>(argument.getType()))
        for (int64_t i = 0; i < kernel.getTokenRank(); ++i)
          unify(reference, i, kernel.getOperandOf(argument), i);
    for (auto [result, output] : llvm::zip(kernel.getResults(), kernel.getOutputs()))
      unifyAll(result, output);
  }

  void addEmpty(tensor::EmptyOp empty) {
    unsigned next = 0;
    for (int64_t i = 0, e = empty.getType().getRank(); i < e; ++i) {
      if (!empty.getType().isDynamicDim(i))
        continue;
      if (auto dim = empty.getDynamicSizes()[next++].getDefiningOp<tensor::DimOp>())
        if (std::optional<int64_t> index = dim.getConstantIndex())
          unify(empty.getResult(), i, dim.getSource(), *index);
    }
  }

  llvm::DenseMap<std::pair<Value, int64_t>, unsigned> ids;
  llvm::EquivalenceClasses<unsigned> classes;
};

//===--------------------------------------------------------------------------------------------------===//
// What an entry may hold
//===--------------------------------------------------------------------------------------------------===//

LogicalResult verifySource(func::FuncOp func) {
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitError("entry '") << func.getSymName()
                                     << "' has more than one block: only straight-line code can be "
                                     << "compiled";
  auto verifyType = [&](Type type, StringRef what, unsigned index) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isa<Float32Type, Float64Type, Float16Type, BFloat16Type>(tensor.getElementType()))
      return func.emitError("entry '") << func.getSymName() << "': expected " << what << " #" << index
                                       << " to be a ranked tensor of f32, bf16, f16 or f64, got " << type;
    if (tensor.getRank() > kMaxEntryRank)
      return func.emitError("entry '") << func.getSymName() << "': expected " << what << " #" << index
                                       << " of rank at most " << kMaxEntryRank << ", got " << type;
    return success();
  };
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
    if (failed(verifyType(type, "argument", index)))
      return failure();
  for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
    if (failed(verifyType(type, "result", index)))
      return failure();
  for (Operation &op : func.getBody().front().without_terminator())
    if (!isa<row::KernelOp, tensor::EmptyOp, tensor::DimOp, tensor::CastOp, arith::ConstantOp>(op))
      return op.emitOpError(
          "cannot be compiled: an entry holds nag operations, element-wise arith and math operations on floats as "
          "elementwise-to-row knows them, tensor.cast, tensor.empty and constants");
  return success();
}

/// Whether a kernel sees the operand at `index` as one number for each token.
bool isNumber(row::KernelOp kernel, unsigned index) {
  auto row = dyn_cast<row::RowType>(kernel.getBody().getArgument(index).getType());
  return row && row.getShape().empty();
}

/// Whether everything that reads or writes `value` takes single elements, so that they need not be neighbours.
bool allowsAnyStride(Value value) {
  if (auto kernel = value.getDefiningOp<row::KernelOp>())
    if (!isNumber(kernel, kernel.getInputs().size() + cast<OpResult>(value).getResultNumber()))
      return false;
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto kernel = dyn_cast<row::KernelOp>(use.getOwner()))
      return isNumber(kernel, use.getOperandNumber());
    return isa<tensor::DimOp, func::ReturnOp>(use.getOwner());
  });
}

/// Whether the destination of `result` may be the very buffer of `input`: what is read of a token lies where the token
/// is written, by a kernel that reads all it needs of a place before it writes there, and no later kernel reads it
/// again.
bool mayBeInPlace(Value result, Value input) {
  auto type = cast<RankedTensorType>(result.getType()), inputType = cast<RankedTensorType>(input.getType());
  if (type.getElementType() != inputType.getElementType() || type.getRank() != inputType.getRank())
    return false;
  auto writer = result.getDefiningOp<row::KernelOp>();
  unsigned numInputs = writer.getInputs().size();
  Type written = writer.getBody().getArgument(numInputs + cast<OpResult>(result).getResultNumber()).getType();
  SmallVector<Value> worklist{input};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      if (auto cast = dyn_cast<tensor::CastOp>(use.getOwner())) {
        worklist.push_back(cast.getResult());
        continue;
      }
      auto reader = dyn_cast<row::KernelOp>(use.getOwner());
      if (!reader)
        continue;
      if (reader == writer) {
        if (use.getOperandNumber() >= numInputs ||
            reader.getBody().getArgument(use.getOperandNumber()).getType() != written)
          return false;
      } else if (writer->isBeforeInBlock(reader)) {
        return false;
      }
    }
  return true;
}

//===--------------------------------------------------------------------------------------------------===//
// Building the entry
//===--------------------------------------------------------------------------------------------------===//

/// A buffer of the shape of `tensor` with rows anywhere and elements of a row side by side.
MemRefType getBufferType(RankedTensorType tensor, bool anyStride) {
  SmallVector<int64_t> strides(tensor.getRank(), ShapedType::kDynamic);
  if (!strides.empty() && !anyStride)
    strides.back() = 1;
  auto layout = StridedLayoutAttr::get(tensor.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(tensor.getShape(), tensor.getElementType(), layout);
}

/// What a caller may pass for it before it is checked: any sizes and strides.
MemRefType getUncheckedType(RankedTensorType tensor) {
  SmallVector<int64_t> dynamic(tensor.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(tensor.getContext(), ShapedType::kDynamic, dynamic);
  return MemRefType::get(dynamic, tensor.getElementType(), layout);
}

/// Rewrites one function.
class EntryBuilder {
public:
  EntryBuilder(func::FuncOp func, OverlapEmitter &overlap)
      : func(func), overlap(overlap), b(func.getLoc(), func.getContext()) {}

  LogicalResult build() {
    if (failed(verifySource(func)))
      return failure();
    copyWhatIsNotComputed();
    EqualDimensions equal(func);

    inputTypes.assign(func.getArgumentTypes().begin(), func.getArgumentTypes().end());
    auto terminator = cast<func::ReturnOp>(func.getBody().front().getTerminator());
    SmallVector<Value> tensors(func.getArguments());
    llvm::append_range(tensors, terminator.getOperands());
    SmallVector<bool> anyStride;
    for (Value tensor : tensors)
      anyStride.push_back(allowsAnyStride(tensor));

    // The checks come before everything, the body goes into the branch behind them.
    Block *body = &func.getBody().front();
    Block *entry = b.createBlock(&func.getBody(), func.getBody().begin());
    setSignature(entry, tensors);
    func::FuncOp check = addCheck(tensors, equal, anyStride);
    b.setInsertionPointToStart(entry);
    SmallVector<Value> buffers(entry->getArguments().take_front(tensors.size()));
    Value status = func::CallOp::create(b, check, entry->getArguments().take_front(tensors.size() + 1)).getResult(0);
    Value isOk = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, status, constant(NAG_STATUS_OK));
    auto branch = scf::IfOp::create(b, b.getI32Type(), isOk, /*withElseRegion=*/true);
    func::ReturnOp::create(b, branch.getResult(0));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, status);

    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> typed;
    for (auto [buffer, tensor, any] : llvm::zip_equal(buffers, tensors, anyStride))
      typed.push_back(createTyped(buffer, getBufferType(cast<RankedTensorType>(tensor.getType()), any)));
    for (auto [argument, buffer] : llvm::zip(body->getArguments(), typed))
      argument.replaceAllUsesWith(bufferization::ToTensorOp::create(b, argument.getType(), buffer, /*restrict=*/true));
    branch.thenBlock()->getOperations().splice(branch.thenBlock()->end(), body->getOperations());
    b.setInsertionPoint(terminator);
    for (auto [result, buffer] : llvm::zip(terminator.getOperands(), ArrayRef(typed).drop_front(inputTypes.size())))
      bufferization::MaterializeInDestinationOp::create(b, /*result=*/Type(), result, buffer, /*restrict=*/true,
                                                        /*writable=*/true);
    scf::YieldOp::create(b, constant(NAG_STATUS_OK));
    terminator.erase();
    body->erase();
    addWorkspaceSize(tensors.size());
    addAbiVersion();
    return success();
  }

private:
  /// A result that is an argument, a constant, or another result once more has no kernel that writes it: copies it.
  void copyWhatIsNotComputed() {
    auto terminator = cast<func::ReturnOp>(func.getBody().front().getTerminator());
    llvm::SmallDenseSet<Value> seen;
    b.setInsertionPoint(terminator);
    for (OpOperand &operand : terminator->getOpOperands())
      if (!operand.get().getDefiningOp<row::KernelOp>() || !seen.insert(operand.get()).second)
        operand.set(createCopy(operand.get()));
  }

  Value createCopy(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    bool hasRows = type.getRank() > 0 && !type.isDynamicDim(type.getRank() - 1) && type.getShape().back() > 0;
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(tensor::DimOp::create(b, value, i));
    Value init = tensor::EmptyOp::create(b, type, sizes);
    Type row = row::RowType::get(b.getContext(), hasRows ? type.getShape().take_back(1) : ArrayRef<int64_t>(),
                                 type.getElementType());
    auto kernel = row::KernelOp::create(b, b.getLoc(), "copy", value, init, {row, row});
    OpBuilder::InsertionGuard guard(b);
    Block &block = kernel.getBody().front();
    b.setInsertionPoint(block.getTerminator());
    Type computed = type.getElementType().isF64() ? b.getF64Type() : b.getF32Type();
    Value loaded = row::LoadOp::create(b, row::getLoadedType(row, computed), block.getArgument(0));
    row::StoreOp::create(b, loaded, block.getArgument(1));
    return kernel.getResult(0);
  }

  /// The buffer with the sizes and strides that were checked as part of its type. Not a memref.cast: patterns fold
  /// those into vector accesses, which then no longer see that elements are neighbours.
  Value createTyped(Value buffer, MemRefType type) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    auto known = [&](ArrayRef<int64_t> values, ValueRange dynamic) {
      SmallVector<OpFoldResult> mixed;
      for (auto [value, runtime] : llvm::zip_equal(values, dynamic))
        mixed.push_back(ShapedType::isDynamic(value) ? OpFoldResult(runtime) : b.getIndexAttr(value));
      return mixed;
    };
    return memref::ReinterpretCastOp::create(
        b, type, buffer, OpFoldResult(metadata.getOffset()), known(type.getShape(), metadata.getSizes()),
        known(cast<StridedLayoutAttr>(type.getLayout()).getStrides(), metadata.getStrides()));
  }

  Value constant(int32_t value) { return arith::ConstantIntOp::create(b, value, 32); }

  void setSignature(Block *entry, ValueRange tensors) {
    SmallVector<Type> types;
    for (Value tensor : tensors)
      types.push_back(getUncheckedType(cast<RankedTensorType>(tensor.getType())));
    types.push_back(MemRefType::get(ShapedType::kDynamic, b.getI8Type()));
    types.push_back(LLVM::LLVMPointerType::get(b.getContext()));
    entry->addArguments(types, SmallVector<Location>(types.size(), func.getLoc()));

    SmallVector<Attribute> argumentAttrs;
    for (auto [index, tensor] : llvm::enumerate(tensors)) {
      NamedAttrList attrs;
      if (index < inputTypes.size())
        attrs = NamedAttrList(func.getArgAttrDict(index));
      attrs.set(kTensorTypeAttr, TypeAttr::get(tensor.getType()));
      if (index >= inputTypes.size()) {
        unsigned result = index - inputTypes.size();
        attrs = NamedAttrList(func.getResultAttrDict(result));
        attrs.set(kTensorTypeAttr, TypeAttr::get(tensor.getType()));
        attrs.set(kResultAttr, b.getUnitAttr());
        if (!attrs.get(kNameAttr))
          attrs.set(kNameAttr, b.getStringAttr("result" + Twine(result)));
      }
      argumentAttrs.push_back(attrs.getDictionary(b.getContext()));
    }
    for (StringRef name : {"workspace", "stream"})
      argumentAttrs.push_back(b.getDictionaryAttr(b.getNamedAttr(kNameAttr, b.getStringAttr(name))));
    func.removeResAttrsAttr();
    func.setType(b.getFunctionType(types, b.getI32Type()));
    func.setArgAttrsAttr(b.getArrayAttr(argumentAttrs));
    func->setAttr(kEntryAttr, b.getUnitAttr());
  }

  //===----------------------------------------------------------------------------------------------===//
  // Checks
  //===----------------------------------------------------------------------------------------------===//

  /// A function of its own, so that the entry reads as what it computes: the first thing that is wrong with the
  /// arguments, as a status.
  func::FuncOp addCheck(ValueRange tensors, EqualDimensions &equal, ArrayRef<bool> anyStride) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(func);
    auto type = b.getFunctionType(func.getArgumentTypes().drop_back(), b.getI32Type());
    auto function = func::FuncOp::create(b, getCheckName(func), type);
    function.setPrivate();
    b.setInsertionPointToStart(function.addEntryBlock());
    ValueRange arguments = function.getArguments();
    func::ReturnOp::create(b, emitChecks(arguments.drop_back(), tensors, equal, anyStride, arguments.back()));
    return function;
  }

  Value emitChecks(ValueRange buffers, ValueRange tensors, EqualDimensions &equal, ArrayRef<bool> anyStride,
                   Value workspace) {
    Value status = constant(NAG_STATUS_OK);
    auto check = [&](Value isRight, int32_t code) {
      Value isOk = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, status, constant(NAG_STATUS_OK));
      Value isNew = arith::AndIOp::create(b, isOk, arith::XOrIOp::create(b, isRight, trueValue()));
      status = arith::SelectOp::create(b, isNew, constant(code), status);
    };

    llvm::SmallDenseMap<unsigned, Value> firstSizes;
    for (auto [index, buffer, tensor] : llvm::enumerate(buffers, tensors)) {
      auto type = cast<RankedTensorType>(tensor.getType());
      Value isEmpty = arith::ConstantIntOp::create(b, 0, 1);
      Value lastSize;
      for (int64_t i = 0; i < type.getRank(); ++i) {
        lastSize = memref::DimOp::create(b, buffer, i);
        Value zero = arith::ConstantIndexOp::create(b, 0);
        isEmpty = arith::OrIOp::create(b, isEmpty, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lastSize, zero));
        unsigned leader = equal.classOf(tensor, i);
        std::optional<int64_t> known = equal.getStaticSize(leader);
        if (!type.isDynamicDim(i))
          known = type.getDimSize(i);
        auto [first, isFirst] = firstSizes.try_emplace(leader, lastSize);
        Value isRight;
        if (!known && isFirst) {
          isRight = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, lastSize, zero);
        } else {
          Value expected = known ? arith::ConstantIndexOp::create(b, *known).getResult() : first->second;
          isRight = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lastSize, expected);
        }
        check(isRight, NAG_STATUS_MAKE(NAG_STATUS_SIZE, index, i));
      }

      Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
      Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, address, arith::ConstantIndexOp::create(b, 0));
      check(arith::OrIOp::create(b, isThere, isEmpty), NAG_STATUS_MAKE(NAG_STATUS_NULL, index, NAG_STATUS_NONE));

      if (type.getRank() == 0)
        continue;
      auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
      Value one = arith::ConstantIndexOp::create(b, 1);
      if (index >= inputTypes.size())
        checkRowsApart(check, index, metadata, isEmpty, anyStride[index] ? one : lastSize,
                       /*hasRows=*/!anyStride[index]);
      if (anyStride[index])
        continue;
      Value isUnit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, metadata.getStrides().back(), one);
      // A single element has no neighbour, and the strides of a tensor without elements say nothing: NumPy's are 0.
      Value isSingle = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lastSize, one);
      Value isFree = arith::OrIOp::create(b, isSingle, isEmpty);
      check(arith::OrIOp::create(b, isUnit, isFree), NAG_STATUS_MAKE(NAG_STATUS_STRIDE, index, type.getRank() - 1));
    }

    Value needed = func::CallOp::create(b, b.getI64Type(), getWorkspaceSizeName(func), buffers).getResult(0);
    Value given = arith::IndexCastOp::create(b, b.getI64Type(), memref::DimOp::create(b, workspace, 0));
    check(arith::CmpIOp::create(b, arith::CmpIPredicate::sle, needed, given),
          NAG_STATUS_MAKE(NAG_STATUS_WORKSPACE, buffers.size(), NAG_STATUS_NONE));
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, workspace);
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, address, arith::ConstantIndexOp::create(b, 0));
    Value isUnused = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, needed, arith::ConstantIntOp::create(b, 0, 64));
    check(arith::OrIOp::create(b, isThere, isUnused),
          NAG_STATUS_MAKE(NAG_STATUS_NULL, buffers.size(), NAG_STATUS_NONE));
    checkOverlaps(check, buffers, tensors,
                  overlap.emitBlock(b, address, arith::IndexCastOp::create(b, b.getIndexType(), needed)));
    return status;
  }

  using CheckFn = function_ref<void(Value isRight, int32_t code)>;

  /// A destination's tokens must not lie on each other: along each dimension, a row ends before the next one starts.
  void checkRowsApart(CheckFn check, unsigned index, memref::ExtractStridedMetadataOp metadata, Value isEmpty,
                      Value width, bool hasRows) {
    for (unsigned i = 0, e = metadata.getSizes().size() - hasRows; i < e; ++i) {
      Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
      Value stride = metadata.getStrides()[i];
      Value distance = arith::MaxSIOp::create(b, stride, arith::SubIOp::create(b, zero, stride));
      Value isApart = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, distance, width);
      Value isSingle = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, metadata.getSizes()[i], one);
      check(arith::OrIOp::create(b, isApart, arith::OrIOp::create(b, isSingle, isEmpty)),
            NAG_STATUS_MAKE(NAG_STATUS_STRIDE, index, i));
    }
  }

  /// What is written, destinations and workspace, shares no byte with any argument before it; but a destination may be
  /// an input where `mayBeInPlace` says so. The status names what is written, and as its dimension the other argument.
  void checkOverlaps(CheckFn check, ValueRange buffers, ValueRange tensors, const ByteRows &workspace) {
    SmallVector<ByteRows> rows;
    for (Value buffer : buffers)
      rows.push_back(overlap.emitRows(b, buffer));
    rows.push_back(workspace);
    for (unsigned written = inputTypes.size(); written < rows.size(); ++written)
      for (unsigned other = 0; other < written; ++other) {
        Value isRight = arith::XOrIOp::create(b, overlap.emitOverlap(b, rows[other], rows[written]), trueValue());
        if (written < buffers.size() && other < inputTypes.size() && mayBeInPlace(tensors[written], tensors[other]))
          isRight = arith::OrIOp::create(b, isRight, OverlapEmitter::emitIsSame(b, buffers[other], buffers[written]));
        check(isRight, NAG_STATUS_MAKE(NAG_STATUS_OVERLAP, written, std::min<unsigned>(other, NAG_STATUS_NONE)));
      }
  }

  Value trueValue() { return arith::ConstantIntOp::create(b, 1, 1); }

  /// The function that callers ask for the size of the workspace: nothing, until buffers are placed in it.
  void addWorkspaceSize(unsigned numBuffers) {
    b.setInsertionPointAfter(func);
    auto type = b.getFunctionType(func.getArgumentTypes().take_front(numBuffers), b.getI64Type());
    auto size = func::FuncOp::create(b, getWorkspaceSizeName(func), type);
    size->setAttr(kEntryAttr, b.getUnitAttr());
    size.setArgAttrsAttr(b.getArrayAttr(func.getArgAttrsAttr().getValue().take_front(numBuffers)));
    b.setInsertionPointToStart(size.addEntryBlock());
    func::ReturnOp::create(b, arith::ConstantIntOp::create(b, 0, 64).getResult());
  }

  /// The function that tells callers which calling convention the entry was compiled for.
  void addAbiVersion() {
    b.setInsertionPointAfter(func);
    auto version = func::FuncOp::create(b, getAbiVersionName(func), b.getFunctionType({}, b.getI32Type()));
    version->setAttr(kEntryAttr, b.getUnitAttr());
    b.setInsertionPointToStart(version.addEntryBlock());
    func::ReturnOp::create(b, constant(NAG_ABI_VERSION));
  }

  func::FuncOp func;
  OverlapEmitter &overlap;
  ImplicitLocOpBuilder b;
  SmallVector<Type> inputTypes;
};

struct NagEntry : nag::impl::NagEntryBase<NagEntry> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isDeclaration() && !func->hasAttr(kEntryAttr))
        functions.push_back(func);
    SymbolTable symbols(getOperation());
    OverlapEmitter overlap(symbols);
    for (func::FuncOp func : functions) {
      for (const std::string &name : {getWorkspaceSizeName(func), getCheckName(func), getAbiVersionName(func)})
        if (Operation *other = symbols.lookup(name)) {
          other->emitError("the name '") << name << "' is taken: entry '" << func.getSymName()
                                         << "' needs it for a function of its own";
          return signalPassFailure();
        }
      if (failed(EntryBuilder(func, overlap).build()))
        return signalPassFailure();
    }
  }
};

} // namespace
