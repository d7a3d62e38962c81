//===- Register.h - What the CPU target needs registered ----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Registers the dialects, interfaces and translations that the CPU target works with, and its passes.

#ifndef NAG_TARGET_CPU_REGISTER_H
#define NAG_TARGET_CPU_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace nag {

/// Dialects that the CPU target takes and makes, and their translations to LLVM IR.
void registerCpuTarget(mlir::DialectRegistry &registry);

/// The passes nag-cpu-* and the pipeline nag-cpu-to-llvm, for tools in the manner of mlir-opt.
void registerCpuPasses();

} // namespace nag

#endif // NAG_TARGET_CPU_REGISTER_H
