//===- HeaderTest.cpp - The generated header and Abi.h ------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compiles the generated header and Abi.h as strict C99 and as C++, and checks that both may be included.

#include "nag/Target/CPU/Header.h"
#include "Fixture.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace nag;
using namespace nag::test;

namespace {

/// Compiles `text` and gives the compiler's exit code.
int compileText(const std::string &text, const std::string &extension, std::vector<llvm::StringRef> flags) {
  auto compiler = llvm::sys::findProgramByName("cc");
  EXPECT_TRUE(static_cast<bool>(compiler));
  llvm::SmallString<128> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("nag-header", extension, path));
  llvm::scope_exit clean([&] { llvm::sys::fs::remove(path); });
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << text;
  std::vector<llvm::StringRef> arguments = {*compiler, "-fsyntax-only",     "-Wall", "-Wextra", "-pedantic",
                                            "-Werror", "-I" NAG_INCLUDE_DIR};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.push_back(path);
  return llvm::sys::ExecuteAndWait(*compiler, arguments);
}

TEST_F(TargetCPU, HeaderCompilesAsCAndCxx) {
  auto module = parse(scaledAdd("bf16"));
  const char *use = "int32_t call(const nag_memref_2d *r, const nag_memref_0d *a, const nag_memref_1d *s);\n"
                    "int32_t call(const nag_memref_2d *r, const nag_memref_0d *a, const nag_memref_1d *s) {\n"
                    "  void *args[7] = {0};\n"
                    "  if (scaled_add_workspace_size(r) < 0) return scaled_add_packed(args);\n"
                    "  return scaled_add(r, r, a, r, s, s, 0);\n}\n";
  for (bool selfContained : {true, false}) {
    auto header = emitHeader(*module, {"my-kernels", selfContained});
    ASSERT_TRUE(succeeded(header)) << diagnostics;
    for (const std::string &before : {std::string(), std::string("#include \"nag/Runtime/Abi.h\"\n")})
      for (const std::string &after : {std::string(), std::string("#include \"nag/Runtime/Abi.h\"\n")}) {
        std::string text = before + *header + *header + after + use;
        EXPECT_EQ(compileText(text, "c", {"-std=c99"}), 0) << text;
        EXPECT_EQ(compileText(text, "cpp", {"-std=c++17"}), 0) << text;
      }
  }
  auto header = emitHeader(*module, {"my-kernels", true});
  EXPECT_NE(header->find("NAG_GENERATED_MY_KERNELS_H"), std::string::npos);
  EXPECT_NE(header->find("int32_t scaled_add(const nag_memref_2d *R, const nag_memref_2d *f, "
                         "const nag_memref_0d *alpha, const nag_memref_2d *out, const nag_memref_1d *sums, "
                         "const nag_memref_1d *workspace, void *stream);"),
            std::string::npos)
      << *header;
  EXPECT_NE(header->find("R: bf16 [?, 100], strides [?, 1], offset ?"), std::string::npos) << *header;
}

TEST_F(TargetCPU, HeaderRefusesNamesThatAreNoIdentifiers) {
  auto module = parse(R"(func.func @"my-kernel"(%a: memref<4xf32>) attributes {nag.entry} { return })");
  EXPECT_TRUE(failed(emitHeader(*module, {})));
  EXPECT_NE(diagnostics.find("got 'my-kernel'"), std::string::npos) << diagnostics;
}

TEST_F(TargetCPU, HeaderNamesArgumentsThatHaveNone) {
  auto module = parse(R"(func.func @f(%a: memref<4xf32> {nag.name = "int"}, %b: f32 {nag.name = "x"},
                                      %c: index {nag.name = "x"}) attributes {nag.entry} { return })");
  auto header = emitHeader(*module, {});
  ASSERT_TRUE(succeeded(header));
  EXPECT_NE(header->find("void f(const nag_memref_1d *arg0, float x, int64_t arg2);"), std::string::npos) << *header;
  EXPECT_EQ(compileText(*header, "c", {"-std=c99"}), 0);
}

} // namespace
