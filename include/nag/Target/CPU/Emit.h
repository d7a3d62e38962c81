//===- Emit.h - LLVM IR, assembly, objects, shared libraries ------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Makes optimised LLVM IR of a module in the LLVM dialect, and writes it in the forms that users take away.

#ifndef NAG_TARGET_CPU_EMIT_H
#define NAG_TARGET_CPU_EMIT_H

#include "nag/Target/CPU/Options.h"

#include "mlir/Support/LLVM.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nag {

enum class CpuFormat { LLVMIR, Assembly, Object };

/// Optimised LLVM IR for the processor. `module` comes from lowerToLLVMDialect with the same options.
mlir::FailureOr<std::unique_ptr<llvm::Module>> translateForCpu(mlir::ModuleOp module, const CpuOptions &options,
                                                               llvm::LLVMContext &context);

/// The text or the bytes of one format. An object that would need a helper routine which a user's C library does not
/// have is refused, by the name of the routine.
mlir::FailureOr<std::string> emitForCpu(mlir::ModuleOp module, const CpuOptions &options, CpuFormat format);

/// Links a shared library at `path`; the file is there whole or not at all.
mlir::LogicalResult emitSharedLibrary(mlir::ModuleOp module, const CpuOptions &options, mlir::StringRef path);

} // namespace nag

#endif // NAG_TARGET_CPU_EMIT_H
