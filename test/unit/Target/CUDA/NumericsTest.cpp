//===- NumericsTest.cpp - What the target does to numbers ---------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Tests that arithmetic comes out correctly rounded, not contracted and not flushed, in every type.
//
//===--------------------------------------------------------------------------------------------------===//

#include "TestKernels.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace nag;
using namespace nag::test;

namespace {
class NumericsTest : public CudaTest {
protected:
  /// Compiles `%w = OPERATIONS(%v)` on a loaded element for a chip with and one without native bf16 arithmetic.
  void expectPtx(StringRef operations, StringRef type, ArrayRef<StringRef> present, ArrayRef<StringRef> absent) {
    std::string body = ("%v = memref.load %x[%i] : memref<?x" + type + ">\n" + operations +
                        "\nmemref.store %w, %x[%i] : memref<?x" + type + ">")
                           .str();
    for (StringRef chip : {"sm_80", "sm_100"}) {
      std::string ptx = compileToPtx(makeKernel(body, type), chip);
      for (StringRef text : present)
        EXPECT_TRUE(StringRef(ptx).contains(text)) << "expected " << text.str() << " in\n" << ptx;
      for (StringRef text : absent)
        EXPECT_FALSE(StringRef(ptx).contains(text)) << "did not expect " << text.str() << " in\n" << ptx;
    }
  }
};

StringRef getElement(StringRef type) { return type.starts_with("vector") ? type.split('x').second.drop_back() : type; }

TEST_F(NumericsTest, RootIsCorrectlyRounded) {
  expectPtx("%w = math.sqrt %v : f32", "f32", {"sqrt.rn.f32"}, {".approx", ".ftz"});
  expectPtx("%w = math.sqrt %v : f64", "f64", {"sqrt.rn.f64"}, {".approx", ".ftz"});
  expectPtx("%w = math.sqrt %v : f16", "f16", {"sqrt.rn.f32", "cvt.rn.f16.f32"}, {".approx", ".ftz"});
  expectPtx("%w = math.sqrt %v : bf16", "bf16", {"sqrt.rn.f32", "cvt.rn.bf16.f32"}, {".approx", ".ftz"});
}

TEST_F(NumericsTest, ReciprocalRootIsRootAndDivision) {
  for (StringRef operations : {"%w = math.rsqrt %v : f32",
                               "%one = arith.constant 1.0 : f32\n%r = math.sqrt %v : f32\n%w = arith.divf %one, %r : "
                               "f32"})
    expectPtx(operations, "f32", {"sqrt.rn.f32", "rcp.rn.f32"}, {".approx", ".ftz"});
  if (hasToolkit())
    expectPtx("%w = math.rsqrt %v fastmath<afn> : f32", "f32", {"rsqrt.approx"}, {"sqrt.rn"});
}

TEST_F(NumericsTest, DivisionIsCorrectlyRounded) {
  expectPtx("%c = arith.constant 3.0 : f32\n%w = arith.divf %c, %v : f32", "f32", {"div.rn.f32"},
            {".approx", ".ftz", ".full"});
  expectPtx("%c = arith.constant 3.0 : f64\n%w = arith.divf %c, %v : f64", "f64", {"div.rn.f64"}, {".approx", ".ftz"});
}

TEST_F(NumericsTest, ProductsAreRoundedBeforeTheyAreAdded) {
  expectPtx("%p = arith.mulf %v, %v : f32\n%w = arith.addf %p, %v : f32", "f32", {"mul.rn.f32", "add.rn.f32"}, {"fma"});
  expectPtx("%p = arith.mulf %v, %v : f64\n%w = arith.addf %p, %v : f64", "f64", {"mul.rn.f64", "add.rn.f64"}, {"fma"});
  expectPtx("%w = math.fma %v, %v, %v : f32", "f32", {"fma.rn.f32"}, {"mul.rn", "call"});
}

TEST_F(NumericsTest, NothingIsLeftForPtxasToContract) {
  // ptxas fuses a product and a sum unless both state their rounding.
  llvm::Regex unstated("\\b(add|sub|mul)\\.(f64|f32|f16|bf16)");
  for (const Chip &chip : getChips())
    for (StringRef type :
         {"f64", "f32", "f16", "bf16", "vector<2xf32>", "vector<4xf32>", "vector<2xf16>", "vector<2xbf16>"}) {
      std::string element = getElement(type).str();
      StringRef access = type.starts_with("vector") ? "vector" : "memref";
      std::string suffix = (access == "vector" ? ", " + type : Twine()).str();
      std::string body = (access + ".store %d, %x[%i] : memref<?x" + element + ">" + suffix).str();
      body = ("%v = " + access + ".load %x[%i] : memref<?x" + element + ">" + suffix +
              "\n%p = arith.mulf %v, %v : " + type + "\n%s = arith.addf %p, %v : " + type +
              "\n%q = arith.mulf %s, %v : " + type + "\n%d = arith.subf %v, %q : " + type + "\n" + body)
                 .str();
      std::string ptx = compileToPtx(makeKernel(body, element), chip.name);
      EXPECT_FALSE(unstated.match(ptx)) << type.str() << "\n" << ptx;
    }
}

TEST_F(NumericsTest, SumsKeepTheirOrder) {
  // (v + 1) - 1 is not v.
  expectPtx("%c = arith.constant 1.0 : f32\n%p = arith.addf %v, %c : f32\n%w = arith.subf %p, %c : f32", "f32",
            {"add.rn.f32"}, {});
}

TEST_F(NumericsTest, StoresRoundToNearestEven) {
  // A factor that neither 16-bit type holds; LLVM would, rightly, take an operation of 16-bit values to their type.
  for (auto [type, load, store] : {std::tuple<StringRef, StringRef, StringRef>("bf16", "shl.b32", "cvt.rn.bf16.f32"),
                                   std::tuple<StringRef, StringRef, StringRef>("f16", "cvt.f32.f16", "cvt.rn.f16.f32")})
    for (StringRef chip : {"sm_80", "sm_100"}) {
      std::string ptx =
          compileToPtx(makeKernel(("%v = memref.load %x[%i] : memref<?x" + type + ">\n%f = arith.extf %v : " + type +
                                   " to f32\n%c = arith.constant 1.00001 : f32\n%g = arith.mulf %f, %c : f32\n%w = "
                                   "arith.truncf %g : f32 to " +
                                   type + "\nmemref.store %w, %x[%i] : memref<?x" + type + ">")
                                      .str(),
                                  type),
                       chip);
      EXPECT_TRUE(StringRef(ptx).contains("mul.rn.f32")) << ptx;
      EXPECT_TRUE(StringRef(ptx).contains(store)) << ptx;
      EXPECT_TRUE(StringRef(ptx).contains(load) || StringRef(ptx).contains("cvt.f32." + type.str())) << ptx;
    }
}

TEST_F(NumericsTest, SignAndMagnitudeNeedNoLibrary) {
  expectPtx("%w = math.absf %v : f32", "f32", {"abs.f32"}, {"call", ".ftz"});
  expectPtx("%w = math.copysign %v, %v : f32", "f32", {}, {"call"});
  expectPtx("%w = math.floor %v : f32", "f32", {"cvt.rmi.f32.f32"}, {".ftz"});
  expectPtx("%w = math.roundeven %v : f32", "f32", {"cvt.rni.f32.f32"}, {".ftz"});
}

TEST_F(NumericsTest, MaximumKeepsNan) {
  expectPtx("%c = arith.constant 2.0 : f32\n%w = arith.maximumf %v, %c : f32", "f32", {"max.NaN.f32"}, {".ftz"});
}

TEST_F(NumericsTest, ElementaryFunctionsComeFromLibdevice) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA Toolkit";
  // libdevice's exponential takes ex2.approx.ftz of a reduced argument, which is never subnormal.
  expectPtx("%w = math.exp %v : f32", "f32", {"ex2.approx"}, {"call", "ex2.approx.f32"});
  expectPtx("%w = math.log %v : f32", "f32", {"fma.rn.f32"}, {"call", "lg2.approx"});
  expectPtx("%w = math.log1p %v : f32", "f32", {"fma.rn.f32"}, {"call", "lg2.approx"});
  expectPtx("%w = math.exp %v : f64", "f64", {"fma.rn.f64"}, {"call", ".approx"});
}

TEST_F(NumericsTest, VectorsAreTreatedAsTheirElements) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA Toolkit";
  for (StringRef chip : {"sm_80", "sm_100"}) {
    std::string ptx = compileToPtx(makeKernel(R"mlir(
      %v = vector.load %x[%i] {alignment = 16} : memref<?xf32>, vector<4xf32>
      %r = math.sqrt %v : vector<4xf32>
      %d = arith.divf %v, %r : vector<4xf32>
      %p = arith.mulf %d, %v : vector<4xf32>
      %s = arith.addf %p, %r : vector<4xf32>
      %e = math.exp %s : vector<4xf32>
      vector.store %e, %x[%i] {alignment = 16} : memref<?xf32>, vector<4xf32>)mlir"),
                                   chip);
    EXPECT_EQ(StringRef(ptx).count("sqrt.rn.f32"), 4u) << ptx;
    EXPECT_EQ(StringRef(ptx).count("div.rn.f32"), 4u) << ptx;
    EXPECT_EQ(StringRef(ptx).count("ex2.approx"), 4u) << ptx;
    EXPECT_FALSE(StringRef(ptx).contains("call")) << ptx;
  }
}
} // namespace
