//===- ExecuteTest.cpp - Running what was compiled ----------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Runs a row kernel by JIT and from a shared library, on strided and offset data, against scalar C++.

#include "Fixture.h"
#include "nag/Runtime/Abi.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <vector>

using namespace nag;
using namespace nag::test;

namespace {

using ScaledAdd = int32_t (*)(const nag_memref_2d *, const nag_memref_2d *, const nag_memref_0d *,
                              const nag_memref_2d *, const nag_memref_1d *, const nag_memref_1d *, void *);

/// bf16 in scalar C++, on its own: round to nearest even by adding to the dropped half.
uint16_t toBF16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  uint32_t dropped = bits & 0xffff;
  bits >>= 16;
  return bits + (dropped > 0x8000 || (dropped == 0x8000 && (bits & 1)));
}

float fromBF16(uint16_t x) {
  uint32_t bits = static_cast<uint32_t>(x) << 16;
  float result;
  std::memcpy(&result, &bits, 4);
  return result;
}

constexpr int64_t kWidth = 100;

/// Arguments on buffers with guards between the rows, an odd offset, and different strides.
struct Data {
  explicit Data(int64_t rows) : rows(rows) {
    std::mt19937 generator(7);
    std::normal_distribution<float> normal;
    for (auto *buffer : {&R, &f})
      for (int64_t i = 0, e = rows * 131 + 200; i < e; ++i)
        buffer->push_back(toBF16(normal(generator)));
    out.assign(rows * 131 + 200, 0xabab);
    sums.assign(rows * 3 + 5, -7.0f);
  }

  nag_memref_2d describe(std::vector<uint16_t> &buffer, int64_t offset, int64_t stride) {
    return {buffer.data(), buffer.data(), offset, {rows, kWidth}, {stride, 1}};
  }

  int32_t run(ScaledAdd entry) {
    nag_memref_2d dR = describe(R, 3, 131), df = describe(f, 1, 103), dOut = describe(out, 5, 117);
    nag_memref_0d dAlpha = {&alpha, &alpha, 0};
    nag_memref_1d dSums = {sums.data(), sums.data(), 2, {rows}, {3}}, workspace = {nullptr, nullptr, 0, {0}, {1}};
    return entry(&dR, &df, &dAlpha, &dOut, &dSums, &workspace, nullptr);
  }

  /// Checks every element, guards included, to the bit.
  void check() {
    std::vector<uint16_t> wantOut(out.size(), 0xabab);
    std::vector<float> wantSums(sums.size(), -7.0f);
    for (int64_t t = 0; t < rows; ++t) {
      float lanes[64] = {};
      for (int64_t i = 0; i < kWidth; ++i) {
        volatile float product = alpha * fromBF16(R[3 + t * 131 + i]);
        float sum = product + fromBF16(f[1 + t * 103 + i]);
        wantOut[5 + t * 117 + i] = toBF16(sum);
        lanes[i % 64] += sum;
      }
      for (int width = 32; width; width /= 2)
        for (int i = 0; i < width; ++i)
          lanes[i] += lanes[i + width];
      wantSums[2 + t * 3] = lanes[0];
    }
    EXPECT_EQ(out, wantOut);
    EXPECT_EQ(sums, wantSums);
  }

  int64_t rows;
  std::vector<uint16_t> R, f, out;
  std::vector<float> sums;
  float alpha = 0.7f;
};

struct Execute : TargetCPU, ::testing::WithParamInterface<std::tuple<std::string, bool>> {};

TEST_P(Execute, ScaledAddEqualsScalarCode) {
  auto [cpu, openmp] = GetParam();
  CpuOptions options = forCpu(cpu, openmp);
  if (!canRun(options))
    GTEST_SKIP() << "this machine cannot run code for " << cpu;
  auto kernels = compile(scaledAdd("bf16"), options);
  ASSERT_TRUE(kernels);
  auto entry = reinterpret_cast<ScaledAdd>(kernels->lookup("scaled_add"));
  ASSERT_TRUE(entry);
  for (int64_t rows : {0, 1, 2, 37, 1000}) {
    Data data(rows);
    EXPECT_EQ(data.run(entry), NAG_STATUS_OK);
    data.check();
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, Execute,
                         ::testing::Combine(::testing::Values("x86-64", "x86-64-v3", "x86-64-v4", "native"),
                                            ::testing::Bool()),
                         [](const auto &info) {
                           std::string name = std::get<0>(info.param) + (std::get<1>(info.param) ? "_omp" : "");
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(TargetCPU, PackedFormAndNullDescriptors) {
  auto kernels = compile(scaledAdd("bf16"), forCpu("native"));
  ASSERT_TRUE(kernels);
  Data data(3);
  nag_memref_2d R = data.describe(data.R, 3, 131), f = data.describe(data.f, 1, 103),
                out = data.describe(data.out, 5, 117);
  nag_memref_0d alpha = {&data.alpha, &data.alpha, 0};
  nag_memref_1d sums = {data.sums.data(), data.sums.data(), 2, {3}, {3}}, workspace = {nullptr, nullptr, 0, {0}, {1}};
  void *args[] = {&R, &f, &alpha, &out, &sums, &workspace, nullptr};
  auto packed = reinterpret_cast<int32_t (*)(void *const *)>(kernels->lookup("scaled_add_packed"));
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed(args), NAG_STATUS_OK);
  data.check();

  args[3] = nullptr;
  int32_t status = packed(args);
  EXPECT_EQ(NAG_STATUS_KIND(status), NAG_STATUS_NULL);
  EXPECT_EQ(NAG_STATUS_ARG(status), 3);
  EXPECT_EQ(NAG_STATUS_DIM(status), NAG_STATUS_NONE);
  auto size = reinterpret_cast<int64_t (*)(const nag_memref_2d *)>(kernels->lookup("scaled_add_workspace_size"));
  EXPECT_EQ(size(&R), 0);
  EXPECT_EQ(NAG_STATUS_KIND(-size(nullptr)), NAG_STATUS_NULL);

  EXPECT_EQ(kernels->lookup("scaled_add.impl"), nullptr);
  EXPECT_EQ(kernels->lookup("nothing"), nullptr);
}

TEST_F(TargetCPU, NumbersAsArguments) {
  auto kernels = compile(R"mlir(
    func.func @blend(%a: f32, %n: index, %out: memref<f32>) -> f64 attributes {nag.entry} {
      %i = arith.index_cast %n : index to i64
      %x = arith.sitofp %i : i64 to f32
      %y = arith.mulf %a, %x : f32
      memref.store %y, %out[] : memref<f32>
      %z = arith.extf %y : f32 to f64
      return %z : f64
    })mlir",
                         forCpu("native"));
  ASSERT_TRUE(kernels);
  float out = 0, a = 1.5f;
  int64_t n = 3;
  nag_memref_0d descriptor = {&out, &out, 0};
  auto entry = reinterpret_cast<double (*)(float, int64_t, nag_memref_0d *)>(kernels->lookup("blend"));
  EXPECT_EQ(entry(a, n, &descriptor), 4.5);
  void *args[] = {&a, &n, &descriptor};
  auto packed = reinterpret_cast<double (*)(void *const *)>(kernels->lookup("blend_packed"));
  n = 4;
  EXPECT_EQ(packed(args), 6.0);
  EXPECT_EQ(out, 6.0f);
}

TEST_F(TargetCPU, MathIsLibm) {
  auto kernels = compile(R"mlir(
    func.func @f(%in: memref<8xf32>, %out: memref<5x8xf32>) attributes {nag.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %x = vector.load %in[%c0] : memref<8xf32>, vector<8xf32>
      %e = math.exp %x : vector<8xf32>
      %l = math.log1p %x : vector<8xf32>
      %s = math.sqrt %x : vector<8xf32>
      %p = math.powf %x, %x : vector<8xf32>
      %r = math.rsqrt %x : vector<8xf32>
      vector.store %e, %out[%c0, %c0] : memref<5x8xf32>, vector<8xf32>
      vector.store %l, %out[%c1, %c0] : memref<5x8xf32>, vector<8xf32>
      vector.store %s, %out[%c2, %c0] : memref<5x8xf32>, vector<8xf32>
      vector.store %p, %out[%c3, %c0] : memref<5x8xf32>, vector<8xf32>
      vector.store %r, %out[%c4, %c0] : memref<5x8xf32>, vector<8xf32>
      return
    })mlir",
                         forCpu("native"));
  ASSERT_TRUE(kernels);
  float in[8] = {1e-20f, 0.1f, 2.0f, 80.0f, 1e-7f, 0.5f, 3.0f, 1e-38f}, out[5][8];
  nag_memref_1d dIn = {in, in, 0, {8}, {1}};
  nag_memref_2d dOut = {out, out, 0, {5, 8}, {8, 1}};
  reinterpret_cast<void (*)(nag_memref_1d *, nag_memref_2d *)>(kernels->lookup("f"))(&dIn, &dOut);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(out[0][i], std::exp(in[i]));
    EXPECT_EQ(out[1][i], std::log1p(in[i]));
    EXPECT_EQ(out[2][i], std::sqrt(in[i]));
    EXPECT_EQ(out[3][i], std::pow(in[i], in[i]));
    EXPECT_EQ(out[4][i], 1.0f / std::sqrt(in[i]));
  }
}

TEST_F(TargetCPU, RoundingWithinRegistersIsKept) {
  // A fused kernel goes on with the value as stored; narrowing and widening again must not cancel.
  for (const char *type : {"bf16", "f16"})
    for (const char *cpu : {"x86-64", "x86-64-v3", "native"}) {
      std::string source = R"mlir(
        func.func @rounding(%a: memref<16xf32>) attributes {nag.entry} {
          %c0 = arith.constant 0 : index
          %x = vector.load %a[%c0] : memref<16xf32>, vector<16xf32>
          %y = arith.truncf %x : vector<16xf32> to vector<16xTYPE>
          %z = arith.extf %y : vector<16xTYPE> to vector<16xf32>
          vector.store %z, %a[%c0] : memref<16xf32>, vector<16xf32>
          return
        })mlir";
      replaceAll(source, "TYPE", type);
      CpuOptions options = forCpu(cpu);
      if (!canRun(options))
        continue;
      auto kernels = compile(source, options);
      ASSERT_TRUE(kernels);
      float a[16];
      std::fill_n(a, 16, 1.0f + 0x1p-12f);
      nag_memref_1d descriptor = {a, a, 0, {16}, {1}};
      reinterpret_cast<void (*)(nag_memref_1d *)>(kernels->lookup("rounding"))(&descriptor);
      for (float x : a)
        EXPECT_EQ(x, 1.0f) << type << " " << cpu;
    }
}

TEST_F(TargetCPU, CopiesAndStackBuffersInLoops) {
  // A buffer on the stack in each iteration of a parallel loop, nested parallel loops, and strided copies.
  const char *source = R"mlir(
    !in = memref<?x33xf32, strided<[?, 1], offset: ?>>
    !out = memref<?x33xf32, strided<[?, 2], offset: ?>>
    func.func @twice(%in: !in, %out: !out)
        attributes {nag.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c33 = arith.constant 33 : index
      %n = memref.dim %in, %c0 : !in
      memref.copy %in, %out : !in to !out
      scf.parallel (%t) = (%c0) to (%n) step (%c1) {
        %row = memref.alloca() : memref<33xf32>
        scf.parallel (%i) = (%c0) to (%c33) step (%c1) {
          %x = memref.load %out[%t, %i] : !out
          %y = arith.addf %x, %x : f32
          memref.store %y, %row[%i] : memref<33xf32>
        }
        scf.for %i = %c0 to %c33 step %c1 {
          %y = memref.load %row[%i] : memref<33xf32>
          memref.store %y, %out[%t, %i] : !out
        }
      }
      return
    })mlir";
  for (bool openmp : {false, true}) {
    auto kernels = compile(source, forCpu("native", openmp));
    ASSERT_TRUE(kernels);
    // Rows enough to overflow the stack if each took its own buffer.
    int64_t rows = 100000;
    std::vector<float> in(rows * 40), out(rows * 70);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = i % 1013;
    nag_memref_2d dIn = {in.data(), in.data(), 1, {rows, 33}, {40, 1}};
    nag_memref_2d dOut = {out.data(), out.data(), 2, {rows, 33}, {70, 2}};
    reinterpret_cast<void (*)(nag_memref_2d *, nag_memref_2d *)>(kernels->lookup("twice"))(&dIn, &dOut);
    int64_t wrong = 0;
    for (int64_t t = 0; t < rows; ++t)
      for (int64_t i = 0; i < 33; ++i)
        wrong += out[2 + t * 70 + i * 2] != 2 * in[1 + t * 40 + i];
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(TargetCPU, SharedLibraryIsCalledThroughTheLoader) {
  for (const char *linker : {"", "ld.lld", "cc"}) {
    for (bool openmp : {false, true}) {
      llvm::SmallString<128> directory;
      ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("nag cpu test", directory));
      llvm::scope_exit clean([&] { llvm::sys::fs::remove_directories(directory); });
      CpuOptions options = forCpu("x86-64", openmp);
      options.linker = linker;
      auto module = lower(scaledAdd("bf16"), options);
      std::string path = (directory + "/my kernel (1).so").str();
      ASSERT_TRUE(succeeded(emitSharedLibrary(*module, options, path))) << diagnostics;
      void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      ASSERT_TRUE(library) << dlerror();
      auto entry = reinterpret_cast<ScaledAdd>(dlsym(library, "scaled_add"));
      ASSERT_TRUE(entry);
      EXPECT_TRUE(dlsym(library, "scaled_add_packed"));
      EXPECT_FALSE(dlsym(library, "scaled_add.impl"));
      Data data(37);
      EXPECT_EQ(data.run(entry), NAG_STATUS_OK);
      data.check();
      dlclose(library);
      // Nothing else was left beside it.
      std::error_code code;
      int files = 0;
      for (llvm::sys::fs::directory_iterator it(directory, code), end; it != end && !code; it.increment(code))
        ++files;
      EXPECT_EQ(files, 1);
    }
  }
}

} // namespace
