//===- Link.h - Finding and running a linker ----------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Links an object into a shared library with a linker found on the machine, and finds the OpenMP runtime.

#ifndef NAG_TARGET_CPU_LINK_H
#define NAG_TARGET_CPU_LINK_H

#include "nag/Target/CPU/Options.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace nag {

/// Path of LLVM's OpenMP runtime: the one of the options, else beside LLVM or where the loader looks.
llvm::Expected<std::string> findOpenMPRuntime(const CpuOptions &options);

/// Links `object` (ELF bytes) into a shared library at `path` with libm, and with the OpenMP runtime if the object asks
/// for it. Written beside its place and renamed, so `path` is never half written.
llvm::Error linkSharedLibrary(llvm::StringRef object, llvm::StringRef path, const CpuOptions &options);

} // namespace nag

#endif // NAG_TARGET_CPU_LINK_H
