//===- Register.h - What the CUDA target needs registered ---------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Registers the dialects, interfaces and translations of MLIR that the CUDA target works with.
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_TARGET_CUDA_REGISTER_H
#define NAG_TARGET_CUDA_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace nag {

void registerCudaTarget(mlir::DialectRegistry &registry);

} // namespace nag

#endif // NAG_TARGET_CUDA_REGISTER_H
