//===- Entry.h - How a compiled entry is marked in the IR -----------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_NAG_IR_ENTRY_H
#define NAG_DIALECT_NAG_IR_ENTRY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nag {

/// Unit attribute of a function: it has the calling convention of an entry.
inline constexpr llvm::StringLiteral kEntryAttr = "nag.entry";
/// Type attribute of a buffer argument: the tensor type that the source had for it.
inline constexpr llvm::StringLiteral kTensorTypeAttr = "nag.tensor_type";
/// String attribute of an argument, or of a result of the source: its name in the C header and in messages.
inline constexpr llvm::StringLiteral kNameAttr = "nag.name";
/// Unit attribute of a buffer argument: it is the destination of a result.
inline constexpr llvm::StringLiteral kResultAttr = "nag.result";

/// Integer attribute of a GPU function: which `row.kernel` of the module, counted from 0, it carries out.
inline constexpr llvm::StringLiteral kRowKernelAttr = "nag.row_kernel";
/// Integer attribute of a GPU function: the most elements of a row that one of its accesses takes.
inline constexpr llvm::StringLiteral kAccessAttr = "nag.access";
/// Unit attribute of a launch: its blocks go from row to row, so that the grid need not have more than the device holds
/// at once.
inline constexpr llvm::StringLiteral kPersistentAttr = "nag.persistent";

/// Descriptors of higher rank have no C type in include/nag/Runtime/Abi.h.
inline constexpr int64_t kMaxEntryRank = 6;

/// The function that tells the bytes of workspace that `entry` needs.
inline std::string getWorkspaceSizeName(mlir::func::FuncOp entry) {
  return (entry.getSymName() + "_workspace_size").str();
}

/// The function that tells the NAG_ABI_VERSION that `entry` was compiled for.
inline std::string getAbiVersionName(mlir::func::FuncOp entry) { return (entry.getSymName() + "_abi_version").str(); }

/// The private function that checks the arguments of `entry`.
inline std::string getCheckName(mlir::func::FuncOp entry) { return (entry.getSymName() + "_check").str(); }

} // namespace nag

#endif // NAG_DIALECT_NAG_IR_ENTRY_H
