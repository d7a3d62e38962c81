//===- Passes.td - Passes of the CPU target -----------------------------------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// The passes that the CPU pipeline is made of, beside those of MLIR, with what each does to numbers.

#ifndef NAG_TARGET_CPU_PASSES_TD
#define NAG_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def NagCpuCheckInput : Pass<"nag-cpu-check-input", "mlir::ModuleOp"> {
  let summary = "Refuse what CPU code cannot carry before anything is lowered";
  let description = [{
    One error for each thing that would fail, or go wrong silently, further down: an unknown processor, a module
    without entries, an entry whose signature has no C form or whose name is taken, and ops that would allocate memory inside an entry.
    Attaches the data layout and the target triple, and to each entry what its C form needs; makes all other functions
    private. Numbers: untouched.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"", "Processor: native, or a name that LLVM knows">,
    Option<"features", "features", "std::string", "\"\"", "Features on top of it, as in +f16c,-avx512bf16">
  ];
}

def NagCpuCopyToLoops : Pass<"nag-cpu-copy-to-loops", "mlir::func::FuncOp"> {
  let summary = "Turn memref.copy into loops";
  let description = [{
    MLIR's own lowering of a strided copy calls a run-time library that users do not have. Numbers: exact.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
}

def NagCpuParallel : Pass<"nag-cpu-parallel", "mlir::func::FuncOp"> {
  let summary = "Keep the outermost parallel loop for threads, make the others serial";
  let description = [{
    An `scf.parallel` within another one becomes `scf.for`: one level of threads is what a row kernel wants. Without
    `openmp` all of them do. Numbers: exact.
  }];
  let options = [Option<"openmp", "openmp", "bool", "true", "Keep the outermost parallel loops">];
  let dependentDialects = ["mlir::scf::SCFDialect"];
}

def NagCpuHoistAllocas : Pass<"nag-cpu-hoist-allocas", "mlir::func::FuncOp"> {
  let summary = "Give each thread its stack buffers once";
  let description = [{
    Moves a `memref.alloca` of static size out of loops to the start of the function or of the `omp.parallel` region:
    within a loop it would take new stack in each iteration. Numbers: exact.
  }];
}

def NagCpuFenceStreams : Pass<"nag-cpu-fence-streams", "mlir::func::FuncOp"> {
  let summary = "Order non-temporal stores before the end of a parallel region or function";
  let description = [{
    A thread that wrote past the caches waits until that is done before it says that it is: an `llvm.fence` at the end of
    each `omp.parallel` with a non-temporal `vector.store`, or before the returns where the store is in no such region.
    Threads then wait for each other once, at the end of the region. Numbers: exact.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def NagCpuMathToLibm : Pass<"nag-cpu-math-to-libm", "mlir::ModuleOp"> {
  let summary = "Call libm for the functions that LLVM has no instruction for";
  let description = [{
    exp, log, log1p, pow, tanh, ... call the C library, element by element on vectors; f16 and bf16 go through f32.
    sqrt, abs and rounding are left to LLVM, which has them correctly rounded. Numbers: libm's accuracy.
  }];
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::vector::VectorDialect", "mlir::arith::ArithDialect"];
}

def NagCpuExpandDot : Pass<"nag-cpu-expand-dot"> {
  let summary = "Dot products of bf16 without an instruction for them";
  let description = [{
    Expands `x86vector.avx512.dot`, on any processor, into the two fused products that it is: the second elements of the
    pairs, then the first ones.

    Numbers: exact, but for subnormal numbers, which the instruction takes and gives as zeros.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::vector::VectorDialect"];
}

def NagCpuExpandFma : Pass<"nag-cpu-expand-fma"> {
  let summary = "Fused products without an instruction for them";
  let description = [{
    A processor without `fma` would call the C library's for every element. Expands `math.fma` of f32, on scalars and
    vectors alike, into a product and a sum in f64, where the product is exact. f64 is left to the C library.

    Numbers: the sum is rounded to f64 and then to f32, which can differ from a fused one by a unit in the last place
    where it lies almost exactly between two f32.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def NagCpuExpandHalf : Pass<"nag-cpu-expand-half"> {
  let summary = "Convert to and from f16 and bf16 without run-time helpers";
  let description = [{
    A processor without an instruction for it would call `__truncsfbf2`, `__truncsfhf2` or `__extendhfsf2`, which the C
    compiler's library of many systems lacks. Expands `arith.truncf` and `arith.extf`, on scalars and vectors alike,
    into integer arithmetic that gives the bits the instructions give: round to nearest even, overflow to infinity, NaN
    quietened with its sign and leading payload kept, subnormal results exact. `f64` goes to the 16-bit types through
    `f32` rounded to odd, so that it is rounded once. Numbers: exact.
  }];
  let options = [
    Option<"f16", "f16", "bool", "true", "Expand conversions of f16">,
    Option<"bf16", "bf16", "bool", "true", "Expand conversions of bf16">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def NagCpuHalfAsInteger : Pass<"nag-cpu-half-as-integer", "mlir::ModuleOp"> {
  let summary = "Move 16-bit floats as integers";
  let description = [{
    Runs on the LLVM dialect. Where a processor has no f16 or bf16, LLVM widens a value to f32 even to select it or to
    store it under a mask, and calls a helper to narrow it again. Every such value gets the type i16, except at the
    conversions that are instructions. Numbers: exact.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def NagCpuExportEntries : Pass<"nag-cpu-export-entries", "mlir::ModuleOp"> {
  let summary = "Give each entry its C symbol and hide everything else";
  let description = [{
    Runs on the LLVM dialect. The C symbol of an entry has the entry's name and takes pointers to memref descriptors; a
    null descriptor is answered with a status. NAME_packed takes an array of the same arguments. Numbers: untouched.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // NAG_TARGET_CPU_PASSES_TD
