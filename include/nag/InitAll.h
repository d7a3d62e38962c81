//===- InitAll.h - Everything of this project in one call each ------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_INITALL_H
#define NAG_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace nag {

/// Registers the dialects of this project, those that its passes produce, and the interface implementations that its
/// pipelines rely on.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers the passes and named pipelines of this project, and MLIR's own that go with them.
void registerAllPasses();

} // namespace nag

#endif // NAG_INITALL_H
