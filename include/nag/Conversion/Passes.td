//===- Passes.td - Passes from one dialect to the next ------------------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_CONVERSION_PASSES_TD
#define NAG_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def NagToRow : Pass<"nag-to-row"> {
  let summary = "every nag operation becomes a row program";
  let description = [{
    Each `nag` operation becomes one `row.kernel` in destination style, on fresh `tensor.empty` destinations. Every
    operation is defined once, by this translation; targets see row programs only.

    Numbers: this is where the arithmetic of an operation is fixed, but for the order of sums.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect", "::nag::row::RowDialect"];
}

def ElementwiseToRow : Pass<"elementwise-to-row"> {
  let summary = "element-wise operations on tensors become row programs";
  let description = [{
    Each element-wise operation on ranked tensors of floats becomes a `row.kernel`, which `row-fuse` joins with the kernels
    around it: what is done to a branch before it meets the stream, or a cast behind it.

    - `arith`: `addf`, `subf`, `mulf`, `divf`, `negf`, `maximumf`, `minimumf`, `maxnumf`, `minnumf`, `select`, `extf`, `truncf`
      (to nearest even);
    - `math`: `absf`, `sqrt`, `exp`, `log`, `log1p`, and `fma` in `f32` and `f64`.

    Conditions (`cmpf` and `andi`, `ori`, `xori` of them), which no kernel can store, are computed where they are used.
    Operands that are the same number throughout are constants of the kernel.

    A tensor is a number for each token where a kernel around it says so or its last dimension is dynamic, else a row for
    each token. An operation that is not listed stays as it is, and so does one that has an operand that is no float,
    but for conditions.

    Numbers: each operation rounds to the element type of its result, fused or not. Sums, products, quotients and roots
    are the exact ones rounded; the functions have the error of `f32` (`f64`) before that. Fast-math flags are dropped.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
                           "::nag::row::RowDialect"];
}

def NagEntry : Pass<"nag-entry", "::mlir::ModuleOp"> {
  let summary = "public functions on tensors become entries on buffers";
  let description = [{
    Gives every public function with a body the calling convention of a compiled entry (docs/design/pipeline.md): memref
    arguments of any size and stride, a destination for each result, a workspace, a stream, and a status as result. Sizes
    and strides are checked before anything runs; dimensions that the kernels of the function take to be equal must
    be equal, and what is written must not overlap another argument but where the entry can compute in place.

    Numbers: exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def RowToCPU : Pass<"row-to-cpu"> {
  let summary = "row programs on memrefs become parallel loops of vector code";
  let description = [{
    Each `row.kernel` becomes an `scf.parallel` over tokens. Within a token, every round of reductions is one loop over the
    row in steps of 64 elements, each of which computes the row vectors that it needs from what is loaded; the last loop
    stores. Four tokens walk together over a table whose products with a row are products of bf16. What comes after a
    `row.expect` is there twice, for numbers as expected and for others.

    Numbers: fixes the CPU's order of sums (docs/design/pipeline.md).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::x86vector::X86VectorDialect"];
}

def RowToGPU : Pass<"row-to-gpu", "::mlir::ModuleOp"> {
  let summary = "row programs on memrefs become GPU kernels and their launches";
  let description = [{
    Each `row.kernel` with a schedule becomes a `gpu.func` and a `gpu.launch_func`; where the width allows accesses of more
    than one element, a second kernel serves operands that are not aligned for them, chosen at launch.

    Numbers: fixes the GPU's order of sums (docs/design/pipeline.md), the same in every schedule.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def LaunchToRuntime : Pass<"nag-launch-to-runtime", "::mlir::ModuleOp"> {
  let summary = "launches of GPU kernels become calls of the run-time library";
  let description = [{
    Each `gpu.launch_func` becomes a call of `nag_launch`, or of `nag_launch_persistent` where it has the attribute
    `nag.persistent` (include/nag/Runtime/Runtime.h), with the kernel's arguments taken apart as the kernel takes them. The
    status of the first launch that fails is what the entry returns; the launches after it are skipped. The `gpu.module` goes; a constant holds its image, the attribute `nag.image`. Beside each entry
    stand two functions without arguments, `NAME_prepare`, which loads its kernels ahead of the first call, and
    `NAME_release`, which unloads them. What is left is host code for the CPU target.

    Numbers: exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // NAG_CONVERSION_PASSES_TD
