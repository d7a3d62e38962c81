//===- Intrinsics.h - Device intrinsics as code for the host --------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Replaces one intrinsic of the NVPTX back end by host code and calls into the executor.

#ifndef NAG_TARGET_SIMT_INTRINSICS_H
#define NAG_TARGET_SIMT_INTRINSICS_H

#include "nag/Target/SIMT/Lowered.h"

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallInst;
class Value;
} // namespace llvm

namespace nag::simt {

/// The executor's functions that generated code calls, by name.
std::vector<std::pair<std::string, void *>> getRuntimeSymbols();

/// What an intrinsic counts as.
InstructionKind classifyIntrinsic(llvm::StringRef name);

/// Replaces `call`, to `llvm.nvvm.NAME`, which is then gone. `self` is the thread's state. False where the intrinsic is
/// not known; the module is of no use then.
bool lowerIntrinsic(llvm::CallInst &call, llvm::StringRef name, llvm::Value &self, LoweredModule &lowered);

/// A new site for an instruction.
uint32_t addSite(LoweredModule &lowered, const llvm::Value &instruction, Site site);

} // namespace nag::simt

#endif // NAG_TARGET_SIMT_INTRINSICS_H
