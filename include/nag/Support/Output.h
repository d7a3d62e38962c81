//===- Output.h - Writing a file whole or not at all ----------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Writes a product to where the user wants it, so that a failure leaves what was there before.

#ifndef NAG_SUPPORT_OUTPUT_H
#define NAG_SUPPORT_OUTPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace nag {

/// Whether `path` can be written at all, as far as can be told before: a mistake in a name should not cost a
/// compilation. `-` is the standard output.
llvm::Error checkOutput(llvm::StringRef path);

/// Writes `contents` to `path`, or to the standard output for `-`. A file is written beside its place and renamed, so
/// that it is there whole or as it was before; what is not a regular file (a device, a pipe) is written to directly.
llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef contents, bool executable = false);

} // namespace nag

#endif // NAG_SUPPORT_OUTPUT_H
