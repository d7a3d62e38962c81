//===- KernelEmitter.h - One row program as the body of a GPU kernel ------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOGPU_KERNELEMITTER_H
#define NAG_LIB_CONVERSION_ROWTOGPU_KERNELEMITTER_H

#include "nag/Dialect/Row/IR/RowDialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace nag::row {

/// Fills `function`, whose arguments are the operands of `kernel`, with the program of `kernel` under its schedule. Its
/// buffers (SharedMemory) are workgroup attributions of `function`, or dynamic shared memory of a persistent grid.
/// `access` is the number of elements that one access takes where rows allow it.
void emitKernelBody(KernelOp kernel, mlir::gpu::GPUFuncOp function, int64_t access);

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOGPU_KERNELEMITTER_H
