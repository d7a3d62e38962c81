//===- ObjectTest.cpp - What an object refers to and is made of ---------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Objects for old and new processors: the symbols they need, the symbols they show, the registers they use.

#include "Fixture.h"

#include "llvm/Object/ObjectFile.h"

#include <set>

using namespace nag;
using namespace nag::test;

namespace {

struct Symbols {
  std::set<std::string> undefined, exported;
};

Symbols symbolsOf(const std::string &bytes) {
  Symbols result;
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "object"));
  EXPECT_TRUE(static_cast<bool>(object));
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    uint32_t flags = llvm::cantFail(symbol.getFlags());
    std::string name = llvm::cantFail(symbol.getName()).str();
    if (flags & llvm::object::SymbolRef::SF_Undefined)
      result.undefined.insert(name);
    else if (flags & llvm::object::SymbolRef::SF_Global)
      result.exported.insert(name);
  }
  result.undefined.erase("");
  result.undefined.erase("_GLOBAL_OFFSET_TABLE_");
  return result;
}

struct Object : TargetCPU, ::testing::WithParamInterface<std::tuple<std::string, std::string>> {};

TEST_P(Object, NeedsNoHelpersAndShowsOnlyEntries) {
  auto [cpu, type] = GetParam();
  for (bool openmp : {false, true}) {
    CpuOptions options = forCpu(cpu, openmp);
    auto module = lower(scaledAdd(type), options);
    auto bytes = emitForCpu(*module, options, CpuFormat::Object);
    ASSERT_TRUE(succeeded(bytes)) << diagnostics;
    Symbols symbols = symbolsOf(*bytes);
    for (const std::string &name : symbols.undefined)
      EXPECT_TRUE(openmp && llvm::StringRef(name).starts_with("__kmpc_")) << name;
    EXPECT_EQ(symbols.exported, (std::set<std::string>{"scaled_add", "scaled_add_packed", "scaled_add_workspace_size",
                                                       "scaled_add_workspace_size_packed"}));
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, Object,
                         ::testing::Combine(::testing::Values("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4",
                                                              "sapphirerapids", "native"),
                                            ::testing::Values("f32", "bf16", "f16")),
                         [](const auto &info) {
                           std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(TargetCPU, WideRegistersWhereThereAreSome) {
  for (auto [cpu, wide] : {std::pair("x86-64", "xmm"), std::pair("x86-64-v3", "ymm"), std::pair("x86-64-v4", "zmm"),
                           std::pair("sapphirerapids", "zmm"), std::pair("znver4", "zmm")}) {
    CpuOptions options = forCpu(cpu);
    auto module = lower(scaledAdd("f32"), options);
    auto assembly = emitForCpu(*module, options, CpuFormat::Assembly);
    ASSERT_TRUE(succeeded(assembly)) << diagnostics;
    EXPECT_NE(assembly->find(wide), std::string::npos) << cpu;
    // No product is fused with a sum on any of them.
    EXPECT_EQ(assembly->find("fmadd"), std::string::npos) << cpu;
  }
}

TEST_F(TargetCPU, ArithmeticOn16BitTypesGoesThroughF32) {
  const char *source = R"mlir(
    func.func @f(%in: memref<?xTYPE>) attributes {nag.entry} {
      %c0 = arith.constant 0 : index
      %x = vector.load %in[%c0] : memref<?xTYPE>, vector<16xTYPE>
      %y = arith.mulf %x, %x : vector<16xTYPE>
      %z = math.exp %y : vector<16xTYPE>
      %m = arith.maximumf %z, %x : vector<16xTYPE>
      vector.store %m, %in[%c0] : memref<?xTYPE>, vector<16xTYPE>
      return
    })mlir";
  for (const char *type : {"f16", "bf16"})
    for (const char *cpu : {"x86-64", "x86-64-v3", "znver4"}) {
      std::string text = source;
      replaceAll(text, "TYPE", type);
      CpuOptions options = forCpu(cpu);
      auto module = lower(text, options);
      auto bytes = emitForCpu(*module, options, CpuFormat::Object);
      ASSERT_TRUE(succeeded(bytes)) << diagnostics;
      EXPECT_EQ(symbolsOf(*bytes).undefined, (std::set<std::string>{"expf"})) << cpu;
    }
}

TEST_F(TargetCPU, TextIsReproducible) {
  CpuOptions options = forCpu("x86-64-v4", /*openmp=*/true);
  auto first = emitForCpu(*lower(scaledAdd("bf16"), options), options, CpuFormat::LLVMIR);
  context.disableMultithreading();
  auto second = emitForCpu(*lower(scaledAdd("bf16"), options), options, CpuFormat::LLVMIR);
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(*first, *second);
  EXPECT_NE(first->find("\"prefer-vector-width\"=\"512\""), std::string::npos);
}

} // namespace
