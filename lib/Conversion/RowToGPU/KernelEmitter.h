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

/// Elements of a row that are neighbours in one thread: the unit in which a row is dealt out.
inline constexpr int64_t kChunk = 8;

/// The most elements that one access may take of rows of `width` elements without straying over their end.
int64_t getWidestAccess(int64_t width);

/// The alignment, in bytes, that accesses of `elements` elements of `type` ask for: 128 bits at the most.
int64_t getAccessAlignment(int64_t elements, mlir::Type type);

/// Fills `function`, whose arguments are the operands of `kernel`, with the program of `kernel` under its schedule.
/// `access` is the number of elements that one access takes where rows allow it.
void emitKernelBody(KernelOp kernel, mlir::gpu::GPUFuncOp function, int64_t access);

/// The shared memory that `kernel` needs, in the order in which `emitKernelBody` expects it.
llvm::SmallVector<mlir::MemRefType> getSharedMemory(KernelOp kernel);

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOGPU_KERNELEMITTER_H
