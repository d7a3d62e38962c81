//===- ErrorTest.cpp - What the CPU target refuses ----------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Bad processors, bad input and missing tools: one message that names what is wrong, and no file left behind.

#include "Fixture.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

using namespace nag;
using namespace nag::test;

namespace {

struct Refuse : TargetCPU {
  void expectRefusal(const std::string &source, const CpuOptions &options, const std::string &message) {
    diagnostics.clear();
    auto module = parse(source);
    EXPECT_TRUE(failed(lowerToLLVMDialect(*module, options)));
    EXPECT_NE(diagnostics.find(message), std::string::npos) << "wanted: " << message << "\ngot: " << diagnostics;
    EXPECT_EQ(std::count(diagnostics.begin(), diagnostics.end(), '\n'), 1) << diagnostics;
  }
};

TEST_F(Refuse, UnknownProcessor) {
  expectRefusal(scaledAdd("f32"), forCpu("znver99"), "unknown CPU 'znver99': expected native, x86-64,");
  expectRefusal(scaledAdd("f32"), forCpu(""), "unknown CPU ''");
  expectRefusal(scaledAdd("f32"), forCpu("i386"), "CPU 'i386' has no 64-bit mode");
  CpuOptions options = forCpu("x86-64");
  options.features = "+f16c,+nonsense";
  expectRefusal(scaledAdd("f32"), options, "unknown CPU feature '+nonsense'");
  options.features = "f16c";
  expectRefusal(scaledAdd("f32"), options, "unknown CPU feature 'f16c'");
  EXPECT_GT(CpuMachine::knownCpus().size(), 50u);
}

TEST_F(Refuse, Input) {
  CpuOptions options = forCpu("x86-64");
  expectRefusal("module {}", options, "no kernel to compile");
  expectRefusal("func.func private @f(memref<?xf32>)", options, "no kernel to compile");
  expectRefusal("func.func @f(%a: memref<?xf32>) attributes {nag.entry} {\n"
                "  %c = arith.constant 4 : index\n  %m = memref.alloc(%c) : memref<?xf32>\n  return }",
                options, "an entry allocates nothing");
  expectRefusal(
      "func.func @f(%c: index) attributes {nag.entry} {\n  %m = memref.alloca(%c) : memref<?xf32>\n  return }", options,
      "must have a static size");
  expectRefusal("func.func @f(%a: memref<*xf32>) attributes {nag.entry} { return }", options,
                "entry argument #0: expected a memref");
  expectRefusal("func.func @f(%a: memref<4xf32>) -> memref<4xf32> attributes {nag.entry} { return %a : memref<4xf32> }",
                options, "entry result: expected i32");
  expectRefusal("func.func @f(%a: bf16) attributes {nag.entry} { return }", options, "got 'bf16'");
  expectRefusal("module { module @inner { func.func @f() attributes {nag.entry} { return } } }", options,
                "nested module");
  expectRefusal(
      "func.func @f() attributes {nag.entry} { return }\nfunc.func @f_packed() attributes {nag.entry} {return}",
      options, "the name 'f_packed' is taken: entry 'f' needs it for its packed form");
}

TEST_F(Refuse, HelperRoutinesAreNamed) {
  CpuOptions options = forCpu("x86-64");
  // f128 has no expansion, and its arithmetic is a routine of the compiler's library.
  auto module = lower("func.func @f(%a: memref<f128>) attributes {nag.entry} {\n"
                      "  %x = memref.load %a[] : memref<f128>\n  %y = arith.mulf %x, %x : f128\n"
                      "  memref.store %y, %a[] : memref<f128>\n  return }",
                      options);
  EXPECT_TRUE(failed(emitForCpu(*module, options, CpuFormat::Object)));
  EXPECT_NE(diagnostics.find("helper routine '__multf3'"), std::string::npos) << diagnostics;
}

TEST_F(Refuse, MissingTools) {
  llvm::SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("nag-cpu-test", directory));
  llvm::scope_exit clean([&] { llvm::sys::fs::remove_directories(directory); });
  std::string path = (directory + "/out.so").str();
  CpuOptions options = forCpu("x86-64", /*openmp=*/true);
  auto module = lower(scaledAdd("f32"), options);
  auto expectFailure = [&](const std::string &message) {
    diagnostics.clear();
    EXPECT_TRUE(failed(emitSharedLibrary(*module, options, path)));
    EXPECT_NE(diagnostics.find(message), std::string::npos) << "wanted: " << message << "\ngot: " << diagnostics;
    EXPECT_TRUE(llvm::sys::fs::is_directory(directory));
    std::error_code code;
    EXPECT_EQ(llvm::sys::fs::directory_iterator(directory, code), llvm::sys::fs::directory_iterator());
  };
  options.linker = "/no/such/ld";
  expectFailure("the linker '/no/such/ld' does not exist");
  options.linker = "no-such-ld";
  expectFailure("the linker 'no-such-ld' is not in PATH");
  options.linker = "false";
  expectFailure("/false' failed: exit code 1");
  options.linker = "";
  options.ompLibrary = "/no/such/libomp.so";
  expectFailure("the OpenMP runtime '/no/such/libomp.so' does not exist");
  diagnostics.clear();
  CpuOptions native = forCpu("native", /*openmp=*/true);
  native.ompLibrary = "/no/such/libomp.so";
  EXPECT_TRUE(failed(CpuKernels::create(*lower(scaledAdd("f32"), native), native)));
  EXPECT_NE(diagnostics.find("'/no/such/libomp.so' does not exist"), std::string::npos) << diagnostics;
  options.ompLibrary = "";
  path = "/no/such/directory/out.so";
  diagnostics.clear();
  EXPECT_TRUE(failed(emitSharedLibrary(*module, options, path)));
  EXPECT_NE(diagnostics.find("cannot write to '/no/such/directory'"), std::string::npos) << diagnostics;
}

TEST_F(Refuse, RunningWithoutAFunction) {
  CpuOptions options = forCpu("native");
  auto module = lower("func.func private @nowhere_to_be_found()\n"
                      "func.func @f() attributes {nag.entry} { call @nowhere_to_be_found() : () -> ()\n return }",
                      options);
  EXPECT_TRUE(failed(CpuKernels::create(*module, options)));
  EXPECT_NE(diagnostics.find("Symbols not found: [ nowhere_to_be_found ]"), std::string::npos) << diagnostics;
}

TEST_F(Refuse, RunningCodeForAnotherProcessor) {
  // No machine has all of these: AMD's and Intel's extensions exclude each other.
  CpuOptions options = forCpu("native");
  options.features = "+xop,+amx-tile";
  auto module = lower(scaledAdd("f32"), options);
  EXPECT_TRUE(failed(CpuKernels::create(*module, options)));
  EXPECT_NE(diagnostics.find("cannot run on this machine, which lacks"), std::string::npos) << diagnostics;
}

} // namespace
