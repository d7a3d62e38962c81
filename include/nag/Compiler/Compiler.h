//===- Compiler.h - From a module of nag operations to a product ----------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The whole compiler as one function, for the driver, other tools and bindings.

#ifndef NAG_COMPILER_COMPILER_H
#define NAG_COMPILER_COMPILER_H

#include "nag/Compiler/CompileOptions.h"
#include "nag/Compiler/Report.h"

#include "mlir/Support/LLVM.h"

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace nag {

/// What a compilation gives. Nothing has been written anywhere.
struct Product {
  /// The text or the bytes of the product.
  std::string contents;
  /// If it was asked for.
  std::optional<Report> report;
};

/// Everything that a context must know to read the input and to compile it for every target.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Compiles the public functions of `module`, which is used up. What goes wrong is a diagnostic.
mlir::FailureOr<Product> compile(mlir::ModuleOp module, const CompileOptions &options);

} // namespace nag

#endif // NAG_COMPILER_COMPILER_H
