//===- GpuImage.h - The device code that goes into the host's -------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Hands compiled kernels to the pass nag-launch-to-runtime.

#ifndef NAG_CONVERSION_GPUIMAGE_H
#define NAG_CONVERSION_GPUIMAGE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Twine.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nag {

/// String attribute of a gpu.module: its kernels as a fat binary, a cubin, or PTX text.
inline constexpr llvm::StringLiteral kGpuImageAttr = "nag.image";

/// The function that loads the kernels of `entry` ahead of its first call, and the one that unloads them.
inline std::string getPrepareName(llvm::StringRef entry) { return (entry + "_prepare").str(); }
inline std::string getReleaseName(llvm::StringRef entry) { return (entry + "_release").str(); }

/// Attaches `image` to the one gpu.module of `module`, where nag-launch-to-runtime finds it. Fails where there is none
/// or more than one.
mlir::LogicalResult embedGpuImage(mlir::ModuleOp module, llvm::StringRef image);

} // namespace nag

#endif // NAG_CONVERSION_GPUIMAGE_H
