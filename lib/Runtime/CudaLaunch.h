//===- CudaLaunch.h - Kernels by the CUDA driver --------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The back end that serves launches unless another one is set.

#ifndef NAG_LIB_RUNTIME_CUDALAUNCH_H
#define NAG_LIB_RUNTIME_CUDALAUNCH_H

#include "nag/Runtime/Runtime.h"

namespace nag {

int32_t launchByCuda(const nag_kernel_launch &launch);
int32_t prepareForCuda(nag_gpu_module &module);
int32_t releaseFromCuda(nag_gpu_module &module);

} // namespace nag

#endif // NAG_LIB_RUNTIME_CUDALAUNCH_H
