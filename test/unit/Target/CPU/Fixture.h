//===- Fixture.h - Kernels to compile and a context to do it in -----------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// What the tests of the CPU target share: a context, hand-written kernels, captured diagnostics.

#ifndef NAG_TEST_UNIT_TARGET_CPU_FIXTURE_H
#define NAG_TEST_UNIT_TARGET_CPU_FIXTURE_H

#include "nag/Target/CPU/Emit.h"
#include "nag/Target/CPU/Jit.h"
#include "nag/Target/CPU/Lowering.h"
#include "nag/Target/CPU/Machine.h"
#include "nag/Target/CPU/Register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <string>

namespace nag::test {

inline void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// out = alpha R + f on rows of 100 elements in 64-element vectors with a masked tail, and the sum of each row of out
/// before it is rounded, folded lane by lane. `type` is f32, bf16 or f16.
inline std::string scaledAdd(const std::string &type) {
  std::string source = R"mlir(
!rows = memref<?x100xTYPE, strided<[?, 1], offset: ?>>
func.func @scaled_add(%R: !rows {nag.name = "R"}, %f: !rows {nag.name = "f"}, %alpha: memref<f32> {nag.name = "alpha"},
                      %out: !rows {nag.name = "out"},
                      %sums: memref<?xf32, strided<[?], offset: ?>> {nag.name = "sums"},
                      %ws: memref<?xi8> {nag.name = "workspace"}, %stream: !llvm.ptr {nag.name = "stream"}) -> i32
    attributes {nag.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant dense<0.0> : vector<64xf32>
  %pass = arith.constant dense<0.0> : vector<64xTYPE>
  %rows = memref.dim %R, %c0 : !rows
  %a = memref.load %alpha[] : memref<f32>
  %va = vector.broadcast %a : f32 to vector<64xf32>
  scf.parallel (%t) = (%c0) to (%rows) step (%c1) {
    %total = scf.for %i = %c0 to %c100 step %c64 iter_args(%acc = %zero) -> vector<64xf32> {
      %left = arith.subi %c100, %i : index
      %mask = vector.create_mask %left : vector<64xi1>
      %r = vector.maskedload %R[%t, %i], %mask, %pass : !rows, vector<64xi1>, vector<64xTYPE> into vector<64xTYPE>
      %g = vector.maskedload %f[%t, %i], %mask, %pass : !rows, vector<64xi1>, vector<64xTYPE> into vector<64xTYPE>
      %r32 = EXTEND %r : vector<64xTYPE> to vector<64xf32>
      %g32 = EXTEND %g : vector<64xTYPE> to vector<64xf32>
      %p = arith.mulf %va, %r32 : vector<64xf32>
      %s = arith.addf %p, %g32 : vector<64xf32>
      %o = TRUNCATE %s : vector<64xf32> to vector<64xTYPE>
      vector.maskedstore %out[%t, %i], %mask, %o : !rows, vector<64xi1>, vector<64xTYPE>
      %n = arith.addf %acc, %s : vector<64xf32>
      scf.yield %n : vector<64xf32>
    }
    %l32 = vector.extract_strided_slice %total {offsets = [0], sizes = [32], strides = [1]}
      : vector<64xf32> to vector<32xf32>
    %h32 = vector.extract_strided_slice %total {offsets = [32], sizes = [32], strides = [1]}
      : vector<64xf32> to vector<32xf32>
    %s32 = arith.addf %l32, %h32 : vector<32xf32>
    %l16 = vector.shuffle %s32, %s32
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<32xf32>, vector<32xf32>
    %h16 = vector.shuffle %s32, %s32
      [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<32xf32>, vector<32xf32>
    %s16 = arith.addf %l16, %h16 : vector<16xf32>
    %l8 = vector.shuffle %s16, %s16 [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xf32>, vector<16xf32>
    %h8 = vector.shuffle %s16, %s16 [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>, vector<16xf32>
    %s8 = arith.addf %l8, %h8 : vector<8xf32>
    %l4 = vector.shuffle %s8, %s8 [0, 1, 2, 3] : vector<8xf32>, vector<8xf32>
    %h4 = vector.shuffle %s8, %s8 [4, 5, 6, 7] : vector<8xf32>, vector<8xf32>
    %s4 = arith.addf %l4, %h4 : vector<4xf32>
    %e0 = vector.extract %s4[0] : f32 from vector<4xf32>
    %e1 = vector.extract %s4[1] : f32 from vector<4xf32>
    %e2 = vector.extract %s4[2] : f32 from vector<4xf32>
    %e3 = vector.extract %s4[3] : f32 from vector<4xf32>
    %x = arith.addf %e0, %e2 : f32
    %y = arith.addf %e1, %e3 : f32
    %sum = arith.addf %x, %y : f32
    memref.store %sum, %sums[%t] : memref<?xf32, strided<[?], offset: ?>>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
func.func @scaled_add_workspace_size(%R: !rows {nag.name = "R"}) -> i64 attributes {nag.entry} {
  %size = arith.constant 0 : i64
  return %size : i64
}
)mlir";
  // The 16-bit types are converted; an f32 row is what it is.
  if (type == "f32") {
    replaceAll(source, "%r32 = EXTEND %r : vector<64xTYPE> to vector<64xf32>", "");
    replaceAll(source, "%g32 = EXTEND %g : vector<64xTYPE> to vector<64xf32>", "");
    replaceAll(source, "%o = TRUNCATE %s : vector<64xf32> to vector<64xTYPE>", "");
    replaceAll(source, "%r32", "%r");
    replaceAll(source, "%g32", "%g");
    replaceAll(source, "%mask, %o :", "%mask, %s :");
  }
  replaceAll(source, "EXTEND", "arith.extf");
  replaceAll(source, "TRUNCATE", "arith.truncf");
  replaceAll(source, "TYPE", type);
  return source;
}

class TargetCPU : public ::testing::Test {
protected:
  TargetCPU() : context(makeRegistry()) {
    handler = std::make_unique<mlir::ScopedDiagnosticHandler>(&context, [this](mlir::Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      return mlir::success();
    });
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &source) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    EXPECT_TRUE(module) << diagnostics;
    return module;
  }

  mlir::OwningOpRef<mlir::ModuleOp> lower(const std::string &source, const CpuOptions &options) {
    auto module = parse(source);
    EXPECT_TRUE(succeeded(lowerToLLVMDialect(*module, options))) << diagnostics;
    return module;
  }

  std::unique_ptr<CpuKernels> compile(const std::string &source, const CpuOptions &options) {
    auto module = lower(source, options);
    auto kernels = CpuKernels::create(*module, options);
    EXPECT_TRUE(succeeded(kernels)) << diagnostics;
    return succeeded(kernels) ? std::move(*kernels) : nullptr;
  }

  std::string diagnostics;
  mlir::MLIRContext context;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerCpuTarget(registry);
    return registry;
  }
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
};

/// Options for a processor; threads off unless a test is about them.
inline CpuOptions forCpu(const std::string &cpu, bool openmp = false) {
  CpuOptions options;
  options.cpu = cpu;
  options.openmp = openmp;
  return options;
}

/// Whether this machine can run code for a processor.
inline bool canRun(const CpuOptions &options) {
  llvm::Expected<CpuMachine> machine = CpuMachine::resolve(options);
  if (machine)
    return machine->missingOnHost().empty();
  llvm::consumeError(machine.takeError());
  return false;
}

} // namespace nag::test

#endif // NAG_TEST_UNIT_TARGET_CPU_FIXTURE_H
