//===- Npy.h - Tensors in NumPy's .npy files ------------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Reads and writes tensors as NumPy's .npy files.

#ifndef NAG_SUPPORT_NPY_H
#define NAG_SUPPORT_NPY_H

#include "nag/Support/HostTensor.h"

namespace nag {

/// Reads a file of version 1 to 3 in C order, whose elements are those of `type` in little endian: '<f8', '<f4', '<f2',
/// and for bf16 '<V2' or '|V2' (what ml_dtypes writes) or '<u2' (its bits). The error of anything else names the file.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path, ElementType type, HostLayout layout = {});

/// The shape alone.
llvm::Expected<llvm::SmallVector<int64_t>> readNpyShape(llvm::StringRef path);

/// Writes the file beside its place and renames it, so that it is there whole or not at all. bf16 is written as '|V2'.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace nag

#endif // NAG_SUPPORT_NPY_H
