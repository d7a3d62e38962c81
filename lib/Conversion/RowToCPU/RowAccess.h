//===- RowAccess.h - Loads, stores and prefetches of rows -----------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOCPU_ROWACCESS_H
#define NAG_LIB_CONVERSION_ROWTOCPU_ROWACCESS_H

#include "RowWalk.h"

namespace nag::row {

/// The elements of `step` of a row of `memref`, whose other indices are `leading`, in `elementType`.
mlir::Value emitRowLoad(mlir::ImplicitLocOpBuilder &b, mlir::Value memref, mlir::ValueRange leading, const Step &step,
                        mlir::Type elementType);

/// Stores `value`, rounded, as the elements of `step`; of whole steps past the caches, if so wanted.
void emitRowStore(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value memref, mlir::ValueRange leading,
                  const Step &step, bool isPastCaches);

/// Asks for the elements of `step`, all of them, in the second-level cache.
void emitRowPrefetch(mlir::ImplicitLocOpBuilder &b, mlir::Value memref, mlir::ValueRange leading, const Step &step);

/// Whether rows of `memrefs`, of the token `token`, are to be stored past the caches: where they are large altogether
/// and begin at a cache line each.
mlir::Value emitIsPastCaches(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange memrefs, mlir::ValueRange token);

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOCPU_ROWACCESS_H
