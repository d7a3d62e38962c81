//===- Passes.h - Passes of the CPU target ------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Declares the passes that the CPU pipeline is made of, beside those of MLIR.

#ifndef NAG_TARGET_CPU_PASSES_H
#define NAG_TARGET_CPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace nag {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nag/Target/CPU/Passes.h.inc"

} // namespace nag

#endif // NAG_TARGET_CPU_PASSES_H
