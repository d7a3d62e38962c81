//===- Overlap.cpp - Code that tells whether buffers share bytes --------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Emits the comparison of two strided buffers: a few integer operations for all but odd layouts.

#include "Overlap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nag;

namespace {

/// Arithmetic on sizes and addresses.
struct Arithmetic {
  ImplicitLocOpBuilder &b;

  Value number(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivUIOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value equal(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y); }
  Value differ(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, y); }
  Value less(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y); }
  Value negative(Value x) { return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, number(0)); }
};

Value emitElementBytes(Arithmetic a, Value buffer) {
  return a.number(cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8);
}

/// The address of the element whose indices are 0.
Value emitStart(ImplicitLocOpBuilder &b, Value buffer) {
  Arithmetic a{b};
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value offset = memref::ExtractStridedMetadataOp::create(b, buffer).getOffset();
  return a.add(address, a.mul(offset, emitElementBytes(a, buffer)));
}

/// Where the last row ends.
Value emitEnd(Arithmetic a, const ByteRows &rows) {
  return a.add(a.add(rows.first, a.mul(a.sub(rows.count, a.number(1)), rows.stride)), rows.width);
}

/// Whether some row has a byte in [begin, end). The first row that ends behind `begin` is the one to look at.
Value emitReaches(Arithmetic a, const ByteRows &rows, Value begin, Value end) {
  Value firstEnd = a.add(rows.first, rows.width);
  Value skipped = a.add(a.div(a.sub(begin, firstEnd), rows.stride), a.number(1));
  Value row = a.select(a.less(begin, firstEnd), a.number(0), skipped);
  return a.both(a.less(row, rows.count), a.less(a.add(rows.first, a.mul(row, rows.stride)), end));
}

/// Whether some row has a byte in some row of `fewer`, each of which is looked at: one of them is the rule.
Value emitOverlapByRows(Arithmetic a, const ByteRows &fewer, const ByteRows &rows) {
  ImplicitLocOpBuilder &b = a.b;
  Value no = arith::ConstantIntOp::create(b, 0, 1);
  auto loop = scf::ForOp::create(b, a.number(0), fewer.count, a.number(1), no);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value begin = a.add(fewer.first, a.mul(loop.getInductionVar(), fewer.stride));
  Value reaches = emitReaches(a, rows, begin, a.add(begin, fewer.width));
  scf::YieldOp::create(b, a.either(loop.getRegionIterArg(0), reaches));
  return loop.getResult(0);
}

/// Rows of one stride: row i of the later lies `phase` bytes behind the start of row i + `ahead` of the earlier, on
/// that row or on the next one.
Value emitOverlapByPhase(Arithmetic a, const ByteRows &lhs, const ByteRows &rhs) {
  Value inOrder = a.less(lhs.first, rhs.first);
  Value count = a.select(inOrder, lhs.count, rhs.count);
  Value earlierWidth = a.select(inOrder, lhs.width, rhs.width);
  Value laterWidth = a.select(inOrder, rhs.width, lhs.width);
  Value distance = a.select(inOrder, a.sub(rhs.first, lhs.first), a.sub(lhs.first, rhs.first));
  Value ahead = a.div(distance, lhs.stride);
  Value phase = a.sub(distance, a.mul(ahead, lhs.stride));
  Value onRow = a.both(a.less(phase, earlierWidth), a.less(ahead, count));
  Value onNext = a.both(a.less(lhs.stride, a.add(phase, laterWidth)), a.less(a.add(ahead, a.number(1)), count));
  return a.either(onRow, onNext);
}

} // namespace

func::FuncOp OverlapEmitter::createFunction(ImplicitLocOpBuilder &b, StringRef name, unsigned numArguments,
                                            TypeRange results) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> arguments(numArguments, b.getIndexType());
  auto function = func::FuncOp::create(b.getLoc(), name, b.getFunctionType(arguments, results));
  function.setPrivate();
  function.addEntryBlock();
  symbols.insert(function); // renames it where the name is taken
  return function;
}

/// (rows, size, stride) ==> the rows of all indices of one more dimension
func::FuncOp OverlapEmitter::getAddDimension(ImplicitLocOpBuilder &outer) {
  if (addDimension)
    return addDimension;
  Type index = outer.getIndexType();
  addDimension = createFunction(outer, "nag_add_dimension", 6, {index, index, index, index});
  Block &body = addDimension.getBody().front();
  auto b = ImplicitLocOpBuilder::atBlockBegin(addDimension.getLoc(), &body);
  Arithmetic a{b};
  ByteRows rows{body.getArgument(0), body.getArgument(1), body.getArgument(2), body.getArgument(3)};
  Value size = body.getArgument(4), stride = body.getArgument(5);

  // Backwards are the same bytes from the other end, and a stride of 0 stays where it is.
  Value isBackwards = a.negative(stride);
  Value last = a.mul(a.sub(size, a.number(1)), stride);
  rows.first = a.select(isBackwards, a.add(rows.first, last), rows.first);
  stride = a.select(isBackwards, a.sub(a.number(0), stride), stride);
  size = a.select(a.equal(stride, a.number(0)), a.number(1), size);

  // A block grows by blocks that touch or cover each other, or becomes the first of several rows; rows grow by rows of
  // their stride.
  Value one = a.number(1);
  Value isBlock = a.equal(rows.count, one), isMore = a.differ(size, one);
  Value touches = a.both(isBlock, a.either(a.less(stride, rows.width), a.equal(stride, rows.width)));
  Value starts = a.both(a.both(isBlock, isMore), a.less(rows.width, stride));
  Value goesOn = a.both(a.differ(rows.count, one), a.equal(stride, a.mul(rows.count, rows.stride)));
  Value covered = a.add(a.mul(a.sub(size, one), stride), rows.width);
  Value width = a.select(touches, covered, rows.width);
  Value count = a.select(starts, size, a.select(goesOn, a.mul(rows.count, size), rows.count));
  func::ReturnOp::create(b, ValueRange{rows.first, count, a.select(starts, stride, rows.stride), width});
  return addDimension;
}

func::FuncOp OverlapEmitter::getOverlap(ImplicitLocOpBuilder &outer) {
  if (overlap)
    return overlap;
  overlap = createFunction(outer, "nag_overlap", 8, outer.getI1Type());
  Block &body = overlap.getBody().front();
  auto b = ImplicitLocOpBuilder::atBlockBegin(overlap.getLoc(), &body);
  Arithmetic a{b};
  auto rowsAt = [&](unsigned first) {
    return ByteRows{body.getArgument(first), body.getArgument(first + 1), body.getArgument(first + 2),
                    body.getArgument(first + 3)};
  };
  ByteRows lhs = rowsAt(0), rhs = rowsAt(4);
  // Most buffers lie apart, and that is all there is to say.
  Value meet = a.both(a.less(lhs.first, emitEnd(a, rhs)), a.less(rhs.first, emitEnd(a, lhs)));
  Value areThere = a.both(a.differ(lhs.count, a.number(0)), a.differ(rhs.count, a.number(0)));
  auto branch = scf::IfOp::create(b, b.getI1Type(), a.both(meet, areThere), /*withElseRegion=*/true);
  func::ReturnOp::create(b, branch.getResult(0));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, arith::ConstantIntOp::create(b, 0, 1).getResult());
  b.setInsertionPointToStart(branch.thenBlock());
  // Slices of one tensor have one stride; apart from those, rows with gaps meet hardly ever.
  Value haveGaps = a.both(a.differ(lhs.count, a.number(1)), a.differ(rhs.count, a.number(1)));
  auto byStride = scf::IfOp::create(b, b.getI1Type(), a.both(haveGaps, a.equal(lhs.stride, rhs.stride)),
                                    /*withElseRegion=*/true);
  scf::YieldOp::create(b, byStride.getResult(0));
  b.setInsertionPointToStart(byStride.thenBlock());
  scf::YieldOp::create(b, emitOverlapByPhase(a, lhs, rhs));
  b.setInsertionPointToStart(byStride.elseBlock());
  Value isFewer = a.less(lhs.count, rhs.count);
  auto choose = [&](const ByteRows &x, const ByteRows &y) {
    return ByteRows{a.select(isFewer, x.first, y.first), a.select(isFewer, x.count, y.count),
                    a.select(isFewer, x.stride, y.stride), a.select(isFewer, x.width, y.width)};
  };
  scf::YieldOp::create(b, emitOverlapByRows(a, choose(lhs, rhs), choose(rhs, lhs)));
  return overlap;
}

ByteRows OverlapEmitter::emitRows(ImplicitLocOpBuilder &b, Value buffer) {
  Arithmetic a{b};
  Value elementBytes = emitElementBytes(a, buffer), one = a.number(1);
  ByteRows rows{emitStart(b, buffer), one, one, elementBytes};
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  Value isEmpty = arith::ConstantIntOp::create(b, 0, 1);
  for (auto [size, stride] : llvm::reverse(llvm::zip_equal(metadata.getSizes(), metadata.getStrides()))) {
    ValueRange joined = func::CallOp::create(b, getAddDimension(b),
                                             ValueRange{rows.first, rows.count, rows.stride, rows.width, size,
                                                        a.mul(stride, elementBytes)})
                            .getResults();
    rows = {joined[0], joined[1], joined[2], joined[3]};
    isEmpty = a.either(isEmpty, a.equal(size, a.number(0)));
  }
  rows.count = a.select(isEmpty, a.number(0), rows.count);
  return rows;
}

ByteRows OverlapEmitter::emitBlock(ImplicitLocOpBuilder &b, Value first, Value width) {
  Arithmetic a{b};
  Value count = a.select(a.equal(width, a.number(0)), a.number(0), a.number(1));
  return {first, count, a.number(1), width};
}

Value OverlapEmitter::emitOverlap(ImplicitLocOpBuilder &b, const ByteRows &lhs, const ByteRows &rhs) {
  return func::CallOp::create(
             b, getOverlap(b),
             ValueRange{lhs.first, lhs.count, lhs.stride, lhs.width, rhs.first, rhs.count, rhs.stride, rhs.width})
      .getResult(0);
}

Value OverlapEmitter::emitIsSame(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  Arithmetic a{b};
  Value isSame = a.equal(emitStart(b, lhs), emitStart(b, rhs));
  auto l = memref::ExtractStridedMetadataOp::create(b, lhs), r = memref::ExtractStridedMetadataOp::create(b, rhs);
  for (auto [lhsSize, rhsSize, lhsStride, rhsStride] :
       llvm::zip_equal(l.getSizes(), r.getSizes(), l.getStrides(), r.getStrides())) {
    Value isFree = a.equal(lhsSize, a.number(1));
    isSame = a.both(isSame, a.both(a.equal(lhsSize, rhsSize), a.either(isFree, a.equal(lhsStride, rhsStride))));
  }
  return isSame;
}
