//===- KernelEmitter.h - One row program as parallel loops of vector code -----------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOCPU_KERNELEMITTER_H
#define NAG_LIB_CONVERSION_ROWTOCPU_KERNELEMITTER_H

#include "nag/Dialect/Row/IR/RowDialect.h"

namespace nag::row {

/// Emits the program of `kernel`, which is on memrefs, for all tokens, where `builder` stands.
void emitKernelForCPU(KernelOp kernel, mlir::OpBuilder &builder);

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOCPU_KERNELEMITTER_H
