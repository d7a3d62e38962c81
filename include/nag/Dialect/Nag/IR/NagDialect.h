//===- NagDialect.h - The nag dialect: what a NAG sub-layer computes ------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_NAG_IR_NAGDIALECT_H
#define NAG_DIALECT_NAG_IR_NAGDIALECT_H

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nag/Dialect/Nag/IR/NagDialect.h.inc"

#define GET_OP_CLASSES
#include "nag/Dialect/Nag/IR/NagOps.h.inc"

namespace nag {

/// The type that an operation on rows of `elementType` computes in: f64 for f64, else f32.
mlir::FloatType getArithmeticType(mlir::Type elementType);

/// The tolerance of the live-row guard where the operation states none: 2^-48 in f64 arithmetic, else 2^-20.
double getDefaultTolerance(mlir::FloatType arithmeticType);

} // namespace nag

#endif // NAG_DIALECT_NAG_IR_NAGDIALECT_H
