//===- Passes.h - Passes on the nag dialect -------------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//
//
// Creation and registration of the passes on the nag dialect, which Passes.td describes.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_NAG_TRANSFORMS_PASSES_H
#define NAG_DIALECT_NAG_TRANSFORMS_PASSES_H

#include "nag/Dialect/Nag/IR/NagDialect.h"

#include "mlir/Pass/Pass.h"

namespace nag {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nag/Dialect/Nag/Transforms/Passes.h.inc"

} // namespace nag

#endif // NAG_DIALECT_NAG_TRANSFORMS_PASSES_H
