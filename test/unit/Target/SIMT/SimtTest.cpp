//===- SimtTest.cpp - Hand-written kernels for the tests of simt --------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The way from a text to a launch.

#include "SimtTest.h"

#include "nag/Target/CUDA/Register.h"
#include "nag/Target/CUDA/Serialize.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nag;
using namespace nag::test;

std::string SimtTest::makeModule(StringRef body, StringRef globals) {
  return ("gpu.module @m {\n" + globals +
          "\n  gpu.func @k(%x: !llvm.ptr, %y: !llvm.ptr, %n: i64) kernel {\n"
          "    %t = nvvm.read.ptx.sreg.tid.x : i32\n    %block = nvvm.read.ptx.sreg.ctaid.x : i32\n" +
          body + "\n    gpu.return\n  }\n}\n")
      .str();
}

static constexpr char kFileName[] = "kernel.mlir";

std::string SimtTest::locate(StringRef text, StringRef op) {
  StringRef before = text.take_front(text.find(op));
  return (kFileName + Twine(":") + Twine(before.count('\n') + 1) + ":" + Twine(before.size() - before.rfind('\n')))
      .str();
}

void SimtTest::compile(StringRef text, const SimtOptions &options) {
  DialectRegistry registry;
  registerCudaTarget(registry);
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context), kFileName);
  ASSERT_TRUE(module);
  CudaOptions cuda;
  cuda.chip = "sm_90";
  FailureOr<CompiledKernels> kernels = compileGpuModule(*module->getOps<gpu::GPUModuleOp>().begin(), cuda);
  ASSERT_TRUE(succeeded(kernels));
  makeProgram(kernels->llvmBitcode, options);
}

void SimtTest::compileIR(StringRef text, const SimtOptions &options) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  std::string bitcode;
  {
    llvm::raw_string_ostream stream(bitcode);
    llvm::WriteBitcodeToFile(*module, stream);
  }
  makeProgram(bitcode, options);
}

void SimtTest::makeProgram(StringRef bitcode, const SimtOptions &options) {
  program.reset();
  failure.clear();
  llvm::Expected<std::unique_ptr<SimtProgram>> made = SimtProgram::create(bitcode, options);
  if (!made) {
    failure = llvm::toString(made.takeError());
    return;
  }
  program = std::move(*made);
}

llvm::Error SimtTest::launch(uint32_t blocks, uint32_t threads, int64_t n, uint32_t dynamicShared) {
  void *xData = x.data(), *yData = y.data();
  void *params[] = {&xData, &yData, &n};
  simt::Dim3 grid, block;
  grid.x = blocks;
  block.x = threads;
  return program->launch("k", grid, block, dynamicShared, params);
}

void SimtTest::registerBuffers(uint64_t columns) {
  for (std::vector<float> *data : {&x, &y}) {
    SimtBuffer buffer;
    buffer.name = data == &x ? "x" : "y";
    buffer.base = data->data();
    buffer.bytes = data->size() * sizeof(float);
    buffer.isReadOnly = buffer.isInitialized = data == &x;
    buffer.elementBytes = sizeof(float);
    buffer.columns = columns;
    buffer.rowStride = columns * sizeof(float);
    buffer.isPerToken = columns != 0;
    program->registerBuffer(std::move(buffer));
  }
}

std::vector<Finding> SimtTest::check(StringRef text, uint32_t blocks, uint32_t threads, int64_t n) {
  SimtOptions options;
  options.check = true;
  compile(text, options);
  if (!program) {
    ADD_FAILURE() << failure;
    return {};
  }
  registerBuffers(columns);
  if (llvm::Error error = launch(blocks, threads, n))
    failure = llvm::toString(std::move(error));
  return program->getReport().findings;
}
