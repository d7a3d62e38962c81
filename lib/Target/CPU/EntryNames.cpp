//===- EntryNames.cpp - Names that entries cannot have ------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Refuses entries whose C symbols are taken: by what generated code calls, by the start of a program, or by each other.

#include "nag/Target/CPU/Entries.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

std::string nag::describeRuntimeName(StringRef name) {
  llvm::TargetLibraryInfoImpl library{llvm::Triple(llvm::sys::getDefaultTargetTriple())};
  llvm::LibFunc function;
  if (library.getLibFunc(name, function))
    return "is a function of the C library";
  if (name.starts_with("omp_") || name.starts_with("kmp_") || name.starts_with("__kmpc_"))
    return "belongs to the OpenMP library";
  return "";
}

/// Why no entry may be called `name`, or nothing.
static std::string describeReserved(StringRef name) {
  if (std::string reason = nag::describeRuntimeName(name); !reason.empty())
    return reason + ", which compiled code may call";
  // No source calls these, but LLVM makes memcpy of a loop, and fma of an operation that the processor lacks.
  llvm::RTLIB::RuntimeLibcallsInfo routines{llvm::Triple(llvm::sys::getDefaultTargetTriple())};
  if (routines.getSupportedLibcallImpl(name) != llvm::RTLIB::Unsupported)
    return "is a routine that code generators call";
  if (name == "main")
    return "is where a C program starts";
  if (name == "nag" || name.starts_with("nag_"))
    return "is kept for the run-time library, whose functions and types begin with it";
  if (name.starts_with("__") || (name.starts_with("_") && name.size() > 1 && llvm::isUpper(name[1])))
    return "is reserved for C compilers and their libraries";
  if (name.starts_with("llvm."))
    return "is reserved for intrinsics of LLVM";
  return "";
}

LogicalResult nag::verifyEntryNames(ModuleOp module) {
  llvm::StringMap<func::FuncOp> packed;
  for (auto func : module.getOps<func::FuncOp>())
    if (isEntry(func))
      packed[(func.getSymName() + kPackedSuffix).str()] = func;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!isEntry(func))
      continue;
    StringRef name = func.getSymName();
    if (std::string reason = describeReserved(name); !reason.empty())
      return func.emitError("the name '") << name << "' " << reason << ": give the entry another one";
    if (auto other = packed.find(name); other != packed.end())
      return func.emitError("the name '") << name << "' is taken: entry '" << other->second.getSymName()
                                          << "' needs it for its packed form; give this entry another one";
  }
  return success();
}
