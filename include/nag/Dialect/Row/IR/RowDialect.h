//===- RowDialect.h - The row dialect: how one token is computed ----------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_IR_ROWDIALECT_H
#define NAG_DIALECT_ROW_IR_ROWDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nag/Dialect/Row/IR/RowDialect.h.inc"
#include "nag/Dialect/Row/IR/RowEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nag/Dialect/Row/IR/RowAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "nag/Dialect/Row/IR/RowTypes.h.inc"

#define GET_OP_CLASSES
#include "nag/Dialect/Row/IR/RowOps.h.inc"

namespace nag::row {

/// The type that elements of a row, and their products, are added up in.
mlir::Type getSumType(mlir::Type elementType);

/// What a load from `reference` (a row or a table) gives in `elementType`: a row vector, a small vector or a scalar.
mlir::Type getLoadedType(mlir::Type reference, mlir::Type elementType);

} // namespace nag::row

#endif // NAG_DIALECT_ROW_IR_ROWDIALECT_H
