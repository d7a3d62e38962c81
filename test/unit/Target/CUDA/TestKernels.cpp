//===- TestKernels.cpp - Kernels and diagnostics for the tests ----------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// What the tests of the CUDA target share: kernel texts, a context, and the errors that were reported.
//
//===--------------------------------------------------------------------------------------------------===//

#include "TestKernels.h"
#include "mlir/Parser/Parser.h"
#include "nag/Target/CUDA/Register.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;
using namespace nag;
using namespace nag::test;

const char *const nag::test::rowKernel = R"mlir(
gpu.module @kernels {
  gpu.func @row_kernel(%x: memref<?x4096xbf16, strided<[?, 1], offset: ?>>, %o: memref<?x4096xbf16, strided<[?, 1], offset: ?>>, %alpha: f32, %n: i64)
    workgroup(%part: memref<16xf32, #gpu.address_space<workgroup>>)
    kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %i0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %d = arith.constant 4096.0 : f32
    %w32 = arith.constant 32 : i32
    %c16 = arith.constant 16 : i32
    %row = gpu.block_id x
    %t = gpu.thread_id x
    %col = arith.muli %t, %c8 : index
    %v = vector.load %x[%row, %col] {alignment = 16} : memref<?x4096xbf16, strided<[?, 1], offset: ?>>, vector<8xbf16>
    %f = arith.extf %v : vector<8xbf16> to vector<8xf32>
    %sq = arith.mulf %f, %f : vector<8xf32>
    %s = vector.reduction <add>, %sq : vector<8xf32> into f32
    %sh, %ok = gpu.shuffle xor %s, %c16, %w32 : f32
    %s1 = arith.addf %s, %sh : f32
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %is0 = arith.cmpi eq, %lane, %c0 : index
    scf.if %is0 {
      memref.store %s1, %part[%warp] : memref<16xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %c1 = arith.constant 1 : index
    %cc16 = arith.constant 16 : index
    %tot = scf.for %i = %c0 to %cc16 step %c1 iter_args(%a = %zero) -> f32 {
      %p = memref.load %part[%i] : memref<16xf32, #gpu.address_space<workgroup>>
      %n1 = arith.addf %a, %p : f32
      scf.yield %n1 : f32
    }
    %m = arith.divf %tot, %d : f32
    %r = math.sqrt %m : f32
    %inv = arith.divf %one, %r : f32
    %l = arith.mulf %inv, %inv : f32
    %ll = arith.mulf %l, %alpha : f32
    %mv = vector.broadcast %ll : f32 to vector<8xf32>
    %g = arith.mulf %f, %mv : vector<8xf32>
    %g2 = arith.addf %g, %f : vector<8xf32>
    %b = arith.truncf %g2 : vector<8xf32> to vector<8xbf16>
    vector.store %b, %o[%row, %col] {alignment = 16} : memref<?x4096xbf16, strided<[?, 1], offset: ?>>, vector<8xbf16>
    gpu.return
  }
}
)mlir";

std::string nag::test::makeRowKernelWithExp() {
  std::string text = rowKernel;
  StringRef product = "%l = arith.mulf %inv, %inv : f32";
  text.replace(text.find(product), product.size(), "%e = math.exp %inv : f32\n    %l = math.log1p %e : f32");
  return text;
}

std::string nag::test::makeKernel(StringRef body, StringRef type) {
  return ("gpu.module @m {\n  gpu.func @k(%x: memref<?x" + type +
          ">) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {\n    %i = gpu.thread_id x\n" + body +
          "\n    gpu.return\n  }\n}\n")
      .str();
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerCudaTarget(registry);
  return registry;
}

CudaTest::CudaTest()
    : context(makeRegistry()), handler(&context,
                                       [this](Diagnostic &diagnostic) {
                                         if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
                                           errors += diagnostic.str() + "\n";
                                         return success();
                                       }),
      emitError([this] { return mlir::emitError(UnknownLoc::get(&context)); }) {}

bool CudaTest::hasToolkit() {
  bool found = succeeded(Toolkit().findPtxas(getEmitError())) && succeeded(Toolkit().findFatbinary(getEmitError())) &&
               succeeded(Toolkit().findLibdevice("the tests", getEmitError()));
  errors.clear();
  return found;
}

FailureOr<CompiledKernels> CudaTest::compile(StringRef text, const CudaOptions &options) {
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module) {
    ADD_FAILURE() << "the test's kernel does not parse: " << errors;
    return failure();
  }
  return compileGpuModule(*module->getOps<gpu::GPUModuleOp>().begin(), options);
}

std::string CudaTest::compileToPtx(StringRef text, StringRef chip) {
  CudaOptions options;
  options.chip = chip.str();
  FailureOr<CompiledKernels> kernels = compile(text, options);
  if (failed(kernels)) {
    ADD_FAILURE() << errors;
    return "";
  }
  return kernels->ptx;
}

ScopedEnvironment::ScopedEnvironment(std::map<std::string, const char *> variables) {
  for (auto &[name, value] : variables) {
    saved[name] = llvm::sys::Process::GetEnv(name);
    if (value)
      ::setenv(name.c_str(), value, /*replace=*/1);
    else
      ::unsetenv(name.c_str());
  }
}

ScopedEnvironment::~ScopedEnvironment() {
  for (auto &[name, value] : saved) {
    if (value)
      ::setenv(name.c_str(), value->c_str(), /*replace=*/1);
    else
      ::unsetenv(name.c_str());
  }
}

ToolDirectory::ToolDirectory() {
  SmallString<128> directory;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("nag tools", directory))
    ADD_FAILURE() << error.message();
  path = directory.str().str();
}

ToolDirectory::~ToolDirectory() { (void)llvm::sys::fs::remove_directories(path); }

std::string ToolDirectory::getPath(StringRef name) const {
  SmallString<128> file(path);
  llvm::sys::path::append(file, name);
  return file.str().str();
}

std::string ToolDirectory::addScript(StringRef name, StringRef body, bool executable) const {
  std::string file = getPath(name);
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(file, error);
    stream << "#!/bin/sh\n" << body << "\n";
  }
  unsigned permissions = llvm::sys::fs::owner_read | llvm::sys::fs::owner_write;
  if (executable)
    permissions |= llvm::sys::fs::owner_exe;
  if (!error)
    error = llvm::sys::fs::setPermissions(file, static_cast<llvm::sys::fs::perms>(permissions));
  if (error)
    ADD_FAILURE() << error.message();
  return file;
}
