//===- Passes.h - Passes from one dialect to the next -------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_CONVERSION_PASSES_H
#define NAG_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace nag {

#define GEN_PASS_DECL
#include "nag/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "nag/Conversion/Passes.h.inc"

} // namespace nag

#endif // NAG_CONVERSION_PASSES_H
