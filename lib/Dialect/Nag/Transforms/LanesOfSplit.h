//===- LanesOfSplit.h - Which lanes are known to be normalised ------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_DIALECT_NAG_TRANSFORMS_LANESOFSPLIT_H
#define NAG_LIB_DIALECT_NAG_TRANSFORMS_LANESOFSPLIT_H

#include "mlir/IR/Value.h"

namespace nag {

/// Whether `direction` and `logNorm` are the lanes that a split made of some residual, turned by any number of updates.
/// Only then is it known that rms(D) = 1, and that s = -inf where D is zero.
bool areLanesOfSplit(mlir::Value direction, mlir::Value logNorm);

} // namespace nag

#endif // NAG_LIB_DIALECT_NAG_TRANSFORMS_LANESOFSPLIT_H
