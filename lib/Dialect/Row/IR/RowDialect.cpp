//===- RowDialect.cpp - Registration, types and attributes of the row dialect -------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/IR/RowDialect.h"
#include "nag/Dialect/BytecodeVersion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nag::row;

#include "nag/Dialect/Row/IR/RowDialect.cpp.inc"
#include "nag/Dialect/Row/IR/RowEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nag/Dialect/Row/IR/RowAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "nag/Dialect/Row/IR/RowTypes.cpp.inc"

/// Raised whenever bytecode of before would be read wrongly.
static constexpr uint64_t kBytecodeVersion = 1;

void RowDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nag/Dialect/Row/IR/RowAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "nag/Dialect/Row/IR/RowTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "nag/Dialect/Row/IR/RowOps.cpp.inc"
      >();
  addInterface<nag::BytecodeVersionInterface>(kBytecodeVersion);
}

//===--------------------------------------------------------------------------------------------------===//
// Types
//===--------------------------------------------------------------------------------------------------===//

/// `<` (static dimension `x`)* element-type `>`
static ParseResult parseShapedBody(AsmParser &parser, SmallVectorImpl<int64_t> &shape, Type &elementType) {
  return failure(parser.parseLess() ||
                 parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/true) ||
                 parser.parseType(elementType) || parser.parseGreater());
}

static void printShapedBody(AsmPrinter &printer, ArrayRef<int64_t> shape, Type elementType) {
  printer << "<";
  for (int64_t size : shape)
    printer << size << "x";
  printer << elementType << ">";
}

Type VecType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parseShapedBody(parser, shape, elementType))
    return {};
  if (shape.size() != 1) {
    parser.emitError(loc, "expected one dimension, the width of the row");
    return {};
  }
  return parser.getChecked<VecType>(loc, parser.getContext(), shape[0], elementType);
}
void VecType::print(AsmPrinter &printer) const { printShapedBody(printer, getWidth(), getElementType()); }

Type RowType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parseShapedBody(parser, shape, elementType))
    return {};
  return parser.getChecked<RowType>(loc, parser.getContext(), shape, elementType);
}
void RowType::print(AsmPrinter &printer) const { printShapedBody(printer, getShape(), getElementType()); }

Type TableType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parseShapedBody(parser, shape, elementType))
    return {};
  return parser.getChecked<TableType>(loc, parser.getContext(), shape, elementType);
}
void TableType::print(AsmPrinter &printer) const { printShapedBody(printer, getShape(), getElementType()); }

static LogicalResult verifyStorage(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                   size_t maxRank, Type elementType) {
  if (shape.size() > maxRank)
    return emitError() << "expected at most " << maxRank << " dimensions, got " << shape.size();
  if (llvm::any_of(shape, [](int64_t size) { return size < 1; }))
    return emitError() << "expected dimensions of at least 1";
  if (!isa<Float32Type, Float64Type, Float16Type, BFloat16Type>(elementType))
    return emitError() << "expected elements of f32, bf16, f16 or f64, got " << elementType;
  return success();
}

LogicalResult VecType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t width, Type elementType) {
  if (width < 1)
    return emitError() << "expected a width of at least 1, got " << width;
  auto isInteger = [&](unsigned bits) { return elementType.isSignlessInteger(bits); };
  if (!isa<Float32Type, Float64Type, BFloat16Type, Float16Type>(elementType) && !isInteger(16) && !isInteger(32) &&
      !isInteger(64))
    return emitError() << "expected elements of f32, f64, bf16, f16, i16, i32 or i64, got " << elementType;
  return success();
}

LogicalResult RowType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type elementType) {
  return verifyStorage(emitError, shape, /*maxRank=*/1, elementType);
}

LogicalResult TableType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                Type elementType) {
  return verifyStorage(emitError, shape, /*maxRank=*/2, elementType);
}

Type nag::row::getSumType(Type elementType) {
  return isa<BFloat16Type, Float16Type>(elementType) ? Float32Type::get(elementType.getContext()) : elementType;
}

Type nag::row::getLoadedType(Type reference, Type elementType) {
  if (auto row = dyn_cast<RowType>(reference))
    return row.getShape().empty() ? elementType
                                  : VecType::get(elementType.getContext(), row.getShape().front(), elementType);
  auto table = cast<TableType>(reference);
  return table.getShape().empty() ? elementType : VectorType::get(table.getShape(), elementType);
}

//===--------------------------------------------------------------------------------------------------===//
// Attributes
//===--------------------------------------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, ScheduleKind kind, int64_t threads,
                                   int64_t rows, bool persistent) {
  if (threads < 32 || threads > 1024 || !llvm::isPowerOf2_64(threads))
    return emitError() << "expected a power of two from 32 to 1024 threads a row, got " << threads;
  if (rows < 1 || rows > 1024 / threads)
    return emitError() << "expected at least 1 row and at most 1024 threads a block, got " << rows << " rows of "
                       << threads << " threads";
  if (kind == ScheduleKind::Warp && threads != 32)
    return emitError() << "expected 32 threads a row for a warp schedule, got " << threads;
  if (kind == ScheduleKind::Stream && rows != 1)
    return emitError() << "expected 1 row a block for a " << stringifyScheduleKind(kind) << " schedule, got " << rows;
  return success();
}
