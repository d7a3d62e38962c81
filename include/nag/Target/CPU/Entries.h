//===- Entries.h - Functions that callers see ---------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// What marks a function as an entry, and which signatures the C calling convention can carry.

#ifndef NAG_TARGET_CPU_ENTRIES_H
#define NAG_TARGET_CPU_ENTRIES_H

#include "nag/Dialect/Nag/IR/Entry.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nag {

/// On an entry during lowering: the indices of the arguments that are memref descriptors.
inline constexpr llvm::StringLiteral kDescriptorArgsAttr = "nag.descriptor_args";
/// What the generic form of an entry is called: NAME_packed.
inline constexpr llvm::StringLiteral kPackedSuffix = "_packed";

inline bool isEntry(mlir::func::FuncOp func) { return func->hasAttr(kEntryAttr) && func.isPublic(); }

/// Arguments are ranked strided memrefs, !llvm.ptr, or numbers; there is at most one result, an integer or a float.
mlir::LogicalResult verifyEntrySignature(mlir::func::FuncOp func);

/// Each entry has its C symbols to itself, and none that a C program or compiled code has for something else.
mlir::LogicalResult verifyEntryNames(mlir::ModuleOp module);

/// Whose function `name` is, if compiled code may call it without the source having said so ("is a function of the C
/// library"); otherwise nothing.
std::string describeRuntimeName(llvm::StringRef name);

} // namespace nag

#endif // NAG_TARGET_CPU_ENTRIES_H
