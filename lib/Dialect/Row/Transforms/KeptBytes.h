//===- KeptBytes.h - What a row program holds between its rounds ----------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_DIALECT_ROW_TRANSFORMS_KEPTBYTES_H
#define NAG_LIB_DIALECT_ROW_TRANSFORMS_KEPTBYTES_H

#include "nag/Dialect/Row/IR/RowDialect.h"

namespace nag::row {

/// The most bytes for an element of the row that a target has to hold from one round of `kernel` to the next: rows that
/// are needed again, in the type that is computed in, and what was computed, where it is less than what it is computed
/// from.
int64_t getKeptBytes(KernelOp kernel);

} // namespace nag::row

#endif // NAG_LIB_DIALECT_ROW_TRANSFORMS_KEPTBYTES_H
