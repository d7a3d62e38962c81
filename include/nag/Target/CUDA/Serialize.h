//===- Serialize.h - From a gpu.module to LLVM IR and PTX ---------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Compiles the kernels of a gpu.module to optimised LLVM IR and PTX, in process.
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_TARGET_CUDA_SERIALIZE_H
#define NAG_TARGET_CUDA_SERIALIZE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "nag/Target/CUDA/Toolkit.h"

namespace nag {

struct CudaOptions {
  std::string chip;
  /// 0 to 3.
  unsigned optLevel = 3;
  /// PTX version times ten, to raise what is chosen; 0 takes the lowest that the chip and the instructions need.
  unsigned ptxVersion = 0;
  ToolkitOptions toolkit;
};

struct CompiledKernels {
  const Chip *chip;
  /// The module after optimisation, libdevice linked in: exactly what the code generator was given.
  std::string llvmIR;
  /// The same, with the source locations of instructions.
  std::string llvmBitcode;
  std::string ptx;
};

/// Compiles `module`, which is left as it is. Kernels keep their names. A kernel's memrefs arrive as MLIR's descriptors
/// taken apart (pointer, aligned pointer, offset, sizes, strides), indices have 64 bits, and a known block size becomes
/// `.maxntid`. Needs no tool, and libdevice only if a kernel calls a function that is in it.
///
/// Numbers: f32 addition and multiplication are not contracted, division and square root are rounded correctly, and
/// nothing is flushed to zero. Only what carries a fast-math flag is approximated.
///
/// May be called by several threads at once, and from within a pass, where the dialects that `registerCudaTarget`
/// inserts have been loaded (a pass names them as its dependent dialects).
mlir::FailureOr<CompiledKernels> compileGpuModule(mlir::gpu::GPUModuleOp module, const CudaOptions &options);

} // namespace nag

#endif // NAG_TARGET_CUDA_SERIALIZE_H
