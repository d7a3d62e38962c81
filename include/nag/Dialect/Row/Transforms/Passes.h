//===- Passes.h - Passes on the row dialect -------------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_TRANSFORMS_PASSES_H
#define NAG_DIALECT_ROW_TRANSFORMS_PASSES_H

#include "nag/Dialect/Row/Transforms/ScheduleOptions.h"

#include "mlir/Pass/Pass.h"

namespace nag::row {

#define GEN_PASS_DECL
#include "nag/Dialect/Row/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nag/Dialect/Row/Transforms/Passes.h.inc"

/// Lets MLIR's one-shot bufferization take `row.kernel` from tensors to memrefs.
void registerBufferizableOpInterfaceExternalModels(mlir::DialectRegistry &registry);

} // namespace nag::row

#endif // NAG_DIALECT_ROW_TRANSFORMS_PASSES_H
