//===- GpuHost.h - The host side of GPU entries, with an image of its kernels inside --------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_EXECUTION_GPUHOST_H
#define NAG_LIB_EXECUTION_GPUHOST_H

#include "nag/Compiler/Report.h"
#include "nag/Execution/Executor.h"
#include "nag/Target/CPU/Jit.h"
#include "nag/Target/CUDA/Serialize.h"

#include "mlir/IR/BuiltinOps.h"

namespace nag {

/// What a back end launches from, made from compiled kernels: a cubin, or bitcode.
using MakeImage = llvm::function_ref<mlir::FailureOr<std::string>(const CompiledKernels &)>;

/// Takes `module` the way to a GPU and JIT-compiles its entries for this machine: they launch kernels from the image
/// through the run-time library (nag/Runtime/Runtime.h). A module without kernels has no image.
/// `programs` gets the row programs and the kernels that carry them out.
mlir::FailureOr<std::unique_ptr<CpuKernels>> compileGpuHost(mlir::ModuleOp module, const ExecutorOptions &wanted,
                                                            const CudaOptions &options, MakeImage makeImage,
                                                            std::vector<KernelReport> *programs = nullptr);

} // namespace nag

#endif // NAG_LIB_EXECUTION_GPUHOST_H
