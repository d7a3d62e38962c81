//===- ExecutorTest.cpp - Tests that kernels do what a GPU would --------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Special registers, exchanges, barriers, shared memory, copies and arithmetic; and what is refused.

#include "SimtTest.h"

#include "llvm/ADT/StringRef.h"

#include <cmath>

using namespace nag;
using namespace nag::test;
using testing::HasSubstr;

namespace {

class Executor : public SimtTest {
protected:
  /// Runs with the checker and several orders of threads; every order must give the same.
  void run(llvm::StringRef text, uint32_t blocks, uint32_t threads, int64_t n = 0, uint32_t dynamicShared = 0) {
    std::vector<float> first;
    for (uint64_t seed : {0, 1, 2}) {
      SimtOptions options;
      options.seed = seed;
      options.check = true;
      compile(text, options);
      ASSERT_TRUE(program) << failure;
      registerBuffers();
      std::fill(y.begin(), y.end(), 0.0f);
      if (llvm::Error error = launch(blocks, threads, n, dynamicShared))
        FAIL() << llvm::toString(std::move(error));
      for (const Finding &finding : program->getReport().findings)
        ADD_FAILURE() << "seed " << seed << ": " << finding.toString();
      if (seed == 0)
        first = y;
      else
        EXPECT_EQ(0, memcmp(first.data(), y.data(), y.size() * sizeof(float))) << "seed " << seed;
    }
  }
  int32_t word(size_t index) const {
    int32_t value;
    memcpy(&value, &y[index], sizeof(value));
    return value;
  }
  std::string refuse(llvm::StringRef text) {
    compile(text, SimtOptions());
    EXPECT_FALSE(program);
    return failure;
  }
};

/// Stores the i32 %v of each thread at its place in the grid, of blocks of %n threads.
constexpr char kStore[] = R"mlir(
    %threads = llvm.trunc %n : i64 to i32
    %first = llvm.mul %block, %threads : i32
    %place = llvm.add %first, %t : i32
    %to = llvm.getelementptr %y[%place] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %v, %to : i32, !llvm.ptr)mlir";

class Values : public Executor {
protected:
  std::string storing(llvm::StringRef body, llvm::StringRef globals = "") {
    return makeModule((body + kStore).str(), globals);
  }
  static std::string constants() {
    return R"mlir(
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32)mlir";
  }
};

TEST_F(Values, PlaceInTheGrid) {
  run(storing("%v = nvvm.read.ptx.sreg.nctaid.x : i32"), 3, 40, 40);
  EXPECT_EQ(word(0), 3);
  EXPECT_EQ(word(119), 3);
  EXPECT_EQ(word(120), 0);
  run(storing("%v = nvvm.read.ptx.sreg.laneid : i32"), 1, 64, 64);
  EXPECT_EQ(word(33), 1);
}

TEST_F(Values, ShuffleButterfly) {
  run(storing(constants() + "%v = nvvm.shfl.sync bfly %all, %t, %c2, %c31 : i32 -> i32"), 1, 64, 64);
  EXPECT_EQ(word(0), 2);
  EXPECT_EQ(word(63), 61);
}

TEST_F(Values, ShuffleDownKeepsItsOwnPastTheEnd) {
  run(storing(constants() + "%v = nvvm.shfl.sync down %all, %t, %c1, %c31 : i32 -> i32"), 1, 32, 32);
  EXPECT_EQ(word(30), 31);
  EXPECT_EQ(word(31), 31);
}

TEST_F(Values, ShuffleUpWithinSegments) {
  // Segments of 8 lanes: the mask of the segment in the upper bits, clamp 0.
  std::string clamp = "%clamp = llvm.mlir.constant(6144 : i32) : i32\n";
  run(storing(constants() + "\n" + clamp + "%v = nvvm.shfl.sync up %all, %t, %c1, %clamp : i32 -> i32"), 1, 32, 32);
  EXPECT_EQ(word(7), 6);
  EXPECT_EQ(word(8), 8);
  EXPECT_EQ(word(9), 8);
}

TEST_F(Values, Votes) {
  std::string odd = constants() + R"mlir(
    %bit = llvm.and %t, %c1 : i32
    %p = llvm.trunc %bit : i32 to i1
)mlir";
  run(storing(odd + "%v = nvvm.vote.sync ballot %all, %p -> i32"), 1, 32, 32);
  EXPECT_EQ(uint32_t(word(4)), 0xaaaaaaaau);
  run(storing(odd + "%b = nvvm.vote.sync any %all, %p -> i1\n%v = llvm.zext %b : i1 to i32"), 1, 32, 32);
  EXPECT_EQ(word(0), 1);
  run(storing(odd + "%b = nvvm.vote.sync all %all, %p -> i1\n%v = llvm.zext %b : i1 to i32"), 1, 32, 32);
  EXPECT_EQ(word(0), 0);
}

TEST_F(Values, Reductions) {
  run(storing(constants() + "%v = nvvm.redux.sync add %t, %all : i32 -> i32"), 1, 64, 64);
  EXPECT_EQ(word(3), 31 * 32 / 2);
  EXPECT_EQ(word(40), 31 * 32 / 2 + 32 * 32);
  run(storing(constants() + "%v = nvvm.redux.sync umax %t, %all : i32 -> i32"), 1, 64, 64);
  EXPECT_EQ(word(0), 31);
}

TEST_F(Values, MatchAny) {
  run(storing(constants() + "%h = llvm.lshr %t, %c1 : i32\n%v = nvvm.match.sync any %all, %h : i32 -> i32"), 1, 32, 32);
  EXPECT_EQ(word(5), 0x30);
}

TEST_F(Values, AWarpThatIsNotFull) {
  run(storing(constants() + "%v = nvvm.redux.sync add %t, %all : i32 -> i32"), 1, 10, 10);
  EXPECT_EQ(word(0), 45);
}

/// Each thread puts its number into shared memory and takes the next one's.
std::string makeRotation(llvm::StringRef base) {
  return ("    %threads32 = nvvm.read.ptx.sreg.ntid.x : i32\n    %one = llvm.mlir.constant(1 : i32) : i32\n" + base +
          R"mlir(
    %mine = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %mine : i32, !llvm.ptr<3>
    nvvm.barrier0
    %next = llvm.add %t, %one : i32
    %other = llvm.urem %next, %threads32 : i32
    %theirs = llvm.getelementptr %base[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %theirs : !llvm.ptr<3> -> i32)mlir")
      .str();
}

TEST_F(Values, SharedMemory) {
  run(storing(makeRotation("    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>"),
              "  llvm.mlir.global internal @buf() {addr_space = 3 : i32} : !llvm.array<1024 x i32>"),
      2, 1024, 1024);
  EXPECT_EQ(word(7), 8);
  EXPECT_EQ(word(2047), 0);
}

TEST_F(Executor, CodeThatLeansOnAnOrderFailsInAnother) {
  // Each thread takes what the one before it has put into shared memory, without waiting for it. In ascending order
  // that is there.
  constexpr char body[] = R"mlir(
    %one = llvm.mlir.constant(1 : i32) : i32
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %next = llvm.add %t, %one : i32
    %mine = llvm.getelementptr %base[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store volatile %t, %mine : i32, !llvm.ptr<3>
    %theirs = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load volatile %theirs : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %y[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %v, %to : i32, !llvm.ptr)mlir";
  compile(makeModule(body, "  llvm.mlir.global internal @buf() {addr_space = 3 : i32} : !llvm.array<65 x i32>"),
          SimtOptions());
  ASSERT_TRUE(program) << failure;
  std::vector<int> wrong;
  for (uint64_t seed : {0, 1, 2}) {
    program->setSeed(seed);
    EXPECT_EQ(program->getReport().seed, seed);
    ASSERT_FALSE(bool(launch(1, 64)));
    wrong.push_back(0);
    for (int t = 1; t < 64; ++t)
      wrong.back() += word(t) != t - 1;
  }
  EXPECT_EQ(wrong[0], 0);
  EXPECT_GT(wrong[1], 0);
  EXPECT_GT(wrong[2], 0);
}

TEST_F(Values, DynamicSharedMemory) {
  run(storing(makeRotation("    %base = llvm.mlir.addressof @dyn : !llvm.ptr<3>"),
              "  llvm.mlir.global external @dyn() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i32>"),
      1, 96, 96, 96 * 4);
  EXPECT_EQ(word(94), 95);
  EXPECT_EQ(word(95), 0);
}

TEST_F(Values, NamedBarrierOfSomeWarps) {
  // The first two warps meet at barrier 1, the others do not.
  constexpr char body[] = R"mlir(
    %id = llvm.mlir.constant(1 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %first2 = llvm.icmp "ult" %t, %c64 : i32
    scf.if %first2 {
      nvvm.barrier id = %id number_of_threads = %c64
    }
    %v = llvm.add %t, %id : i32)mlir";
  run(storing(body), 1, 128, 128);
  EXPECT_EQ(word(127), 128);
}

/// x[t] comes into shared memory by an asynchronous copy.
std::string makeCopy(llvm::StringRef wait) {
  return (R"mlir(
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %mine = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %from = llvm.getelementptr %x[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %global = llvm.addrspacecast %from : !llvm.ptr to !llvm.ptr<1>
    %old = llvm.mlir.constant(-5 : i32) : i32
    llvm.store volatile %old, %mine : i32, !llvm.ptr<3>
    nvvm.cp.async.shared.global %mine, %global, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
)mlir" + wait +
          "\n    %v = llvm.load volatile %mine : !llvm.ptr<3> -> i32")
      .str();
}
constexpr char kBuf[] = "  llvm.mlir.global internal @buf() {addr_space = 3 : i32} : !llvm.array<64 x f32>";

TEST_F(Values, AsynchronousCopy) {
  x[9] = 1;
  run(storing(makeCopy("nvvm.cp.async.wait.group 0"), kBuf), 1, 64, 64);
  EXPECT_EQ(word(9), 0x3f800000);
}

TEST_F(Values, AsynchronousCopyIsNotThereBeforeTheWait) {
  x[9] = 1;
  run(storing(makeCopy("nvvm.cp.async.wait.group 1"), kBuf), 1, 64, 64);
  EXPECT_EQ(word(9), -5);
}

/// Matrices of 8 x 8 halves in shared memory; thread t stores what one `ldmatrix` gives it at word 4 t.
/// Element (r, c) of matrix k is 100 k + 10 r + c.
std::string makeMatrixLoad(unsigned matrices, llvm::StringRef layout) {
  std::string type = matrices == 1 ? "i32" : "!llvm.struct<(i32";
  for (unsigned i = 1; i < matrices; ++i)
    type += ", i32";
  type += matrices == 1 ? "" : ")>";
  std::string stores;
  for (unsigned i = 0; i < matrices; ++i) {
    std::string n = std::to_string(i);
    stores += "    %to" + n + " = llvm.getelementptr %y[%t, " + n +
              "] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<4 x i32>\n";
    if (matrices > 1)
      stores += "    %v" + n + " = llvm.extractvalue %v[" + n + "] : " + type + "\n";
    stores += "    llvm.store %v" + (matrices > 1 ? n : "") + ", %to" + n + " : i32, !llvm.ptr\n";
  }
  return R"mlir(
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c10 = llvm.mlir.constant(10 : i32) : i32
    %c100 = llvm.mlir.constant(100 : i32) : i32
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %row = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<8 x i16>
    // Thread t fills row t % 8 of matrix t / 8.
    %k = llvm.lshr %t, %c3 : i32
    %r = llvm.and %t, %c7 : i32
    %hundreds = llvm.mul %k, %c100 : i32
    %tens = llvm.mul %r, %c10 : i32
    %first = llvm.add %hundreds, %tens : i32
    scf.for %c = %c0 to %c8 step %c1 : i32 {
      %n32 = llvm.add %first, %c : i32
      %n16 = llvm.trunc %n32 : i32 to i16
      %at = llvm.getelementptr %row[0, %c] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<8 x i16>
      llvm.store %n16, %at : i16, !llvm.ptr<3>
    }
    nvvm.barrier0
    %v = nvvm.ldmatrix %row {num = )mlir" +
         std::to_string(matrices) + " : i32, layout = #nvvm.mma_layout<" + layout.str() +
         ">, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : "
         "(!llvm.ptr<3>) -> " +
         type + "\n" + stores;
}
constexpr char kMatrices[] = "  llvm.mlir.global internal @buf() {addr_space = 3 : i32, alignment = 16 : i64} : "
                             "!llvm.array<256 x i16>";

TEST_F(Values, MatrixLoad) {
  // The manual: thread t gets row t / 4, elements 2 (t % 4) and the next, of each matrix.
  for (unsigned matrices : {1, 2, 4}) {
    run(makeModule(makeMatrixLoad(matrices, "row"), kMatrices), 1, 32);
    for (int t = 0; t < 32; ++t)
      for (unsigned k = 0; k < matrices; ++k) {
        int first = static_cast<int>(100 * k) + 10 * (t / 4) + 2 * (t % 4);
        ASSERT_EQ(word(4 * t + k), first | (first + 1) << 16) << matrices << " matrices, thread " << t;
      }
  }
}

TEST_F(Values, TransposedMatrixLoad) {
  // Column t / 4, elements 2 (t % 4) and the next.
  for (unsigned matrices : {1, 2, 4}) {
    run(makeModule(makeMatrixLoad(matrices, "col"), kMatrices), 1, 32);
    for (int t = 0; t < 32; ++t)
      for (unsigned k = 0; k < matrices; ++k) {
        int first = static_cast<int>(100 * k) + 10 * (2 * (t % 4)) + t / 4;
        ASSERT_EQ(word(4 * t + k), first | (first + 10) << 16) << matrices << " matrices, thread " << t;
      }
  }
}

/// A product of m16n8k16 of the fragments at words 10 t of x, sums at words 4 t of y.
std::string makeMatrixProduct(llvm::StringRef element) {
  bool isF16 = element == "f16";
  std::string half = isF16 ? "vector<2xf16>" : "i32", loads;
  for (unsigned i = 0; i < 10; ++i) {
    std::string n = std::to_string(i);
    loads += "    %at" + n + " = llvm.getelementptr %x[%t, " + n +
             "] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<10 x i32>\n    %f" + n + " = llvm.load %at" + n +
             " : !llvm.ptr -> " + (i < 6 ? half : "f32") + "\n";
  }
  std::string types = isF16 ? ""
                            : "multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = "
                              "#nvvm.mma_type<bf16>, ";
  std::string stores;
  for (unsigned i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    stores += "    %e" + n + " = llvm.extractvalue %v[" + n + "] : !llvm.struct<(f32, f32, f32, f32)>\n    %to" + n +
              " = llvm.getelementptr %y[%t, " + n + "] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<4 x f32>\n" +
              "    llvm.store %e" + n + ", %to" + n + " : f32, !llvm.ptr\n";
  }
  return loads + "    %v = nvvm.mma.sync A[%f0, %f1, %f2, %f3] B[%f4, %f5] C[%f6, %f7, %f8, %f9] {" + types +
         "layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = "
         "16>} "
         ": (" +
         half + ", " + half + ", f32) -> !llvm.struct<(f32, f32, f32, f32)>\n" + stores;
}

TEST_F(Values, MatrixProduct) {
  // Small integers, whose halves are known: the value's upper bits as bf16, and as f16 by its exponent.
  auto a = [](int m, int k) { return (3 * m + 5 * k) % 7 - 3; };
  auto b = [](int k, int n) { return (2 * k + 3 * n) % 5 - 2; };
  auto c = [](int m, int n) { return 100 * m + n; };
  for (bool isF16 : {false, true}) {
    auto half = [&](int value) {
      static constexpr uint16_t f16[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
      auto f = static_cast<float>(value);
      uint32_t bits;
      memcpy(&bits, &f, sizeof(bits));
      return isF16 ? uint32_t(f16[value + 3]) : bits >> 16;
    };
    // The layouts as the manual of PTX has them: element i of a fragment.
    for (int t = 0; t < 32; ++t) {
      uint32_t words[6] = {};
      for (int i = 0; i < 8; ++i)
        words[i / 2] |= half(a(i % 4 < 2 ? t / 4 : t / 4 + 8, t % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0))) << (i % 2 * 16);
      for (int i = 0; i < 4; ++i)
        words[4 + i / 2] |= half(b(t % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), t / 4)) << (i % 2 * 16);
      memcpy(&x[10 * t], words, sizeof(words));
      for (int i = 0; i < 4; ++i)
        x[10 * t + 6 + i] = static_cast<float>(c(i < 2 ? t / 4 : t / 4 + 8, t % 4 * 2 + (i & 1)));
    }
    run(makeModule(makeMatrixProduct(isF16 ? "f16" : "bf16")), 1, 32);
    for (int t = 0; t < 32; ++t)
      for (int i = 0; i < 4; ++i) {
        int m = i < 2 ? t / 4 : t / 4 + 8, n = t % 4 * 2 + (i & 1), sum = c(m, n);
        for (int k = 0; k < 16; ++k)
          sum += a(m, k) * b(k, n);
        ASSERT_EQ(y[4 * t + i], static_cast<float>(sum)) << "(" << m << ", " << n << "), f16: " << isF16;
      }
  }
}

TEST_F(Values, MatrixProductRoundsOnce) {
  // 2^24 + 1 + 1: two additions in f32 would lose both ones.
  std::fill(x.begin(), x.end(), 0.0f);
  const uint32_t one = 0x3f80, pair = one | one << 16;
  for (int t = 0; t < 32; ++t) {
    uint32_t zero = 0;
    memcpy(&x[10 * t], t % 4 ? &zero : &pair, sizeof(pair));
    memcpy(&x[10 * t + 4], t % 4 ? &zero : &pair, sizeof(pair));
    x[10 * t + 6] = 0x1p24f;
  }
  run(makeModule(makeMatrixProduct("bf16")), 1, 32);
  EXPECT_EQ(y[0], 0x1p24f + 2);
}

TEST_F(Executor, BrainFloatsRoundToNearestEven) {
  constexpr char body[] = R"mlir(
    %from = llvm.getelementptr %x[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %to = llvm.getelementptr %y[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %b = llvm.fptrunc %v : f32 to bf16
    %w = llvm.fpext %b : bf16 to f32
    llvm.store %w, %to : f32, !llvm.ptr)mlir";
  const float cases[][2] = {{1, 1},
                            {1 + 0x1p-8f, 1},
                            {1 + 3 * 0x1p-8f, 1 + 0x1p-6f},
                            {1 + 0x1p-8f + 0x1p-20f, 1 + 0x1p-7f},
                            {0x1.ffffp127f, INFINITY},
                            {-INFINITY, -INFINITY},
                            {0x1p-133f, 0x1p-133f},
                            {0x1.8p-134f, 0x1p-133f},
                            {-0x1p-140f, -0.0f}};
  for (size_t i = 0; i < std::size(cases); ++i)
    x[i] = cases[i][0];
  x[20] = NAN;
  run(makeModule(body), 1, 32);
  for (size_t i = 0; i < std::size(cases); ++i)
    EXPECT_EQ(0, memcmp(&y[i], &cases[i][1], 4)) << cases[i][0] << " gives " << y[i];
  EXPECT_TRUE(std::isnan(y[20]));
}

TEST_F(Executor, HalfFloats) {
  constexpr char body[] = R"mlir(
    %from = llvm.getelementptr %x[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %to = llvm.getelementptr %y[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    %h = llvm.fptrunc %v : f32 to f16
    %s = llvm.fadd %h, %h : f16
    %w = llvm.fpext %s : f16 to f32
    llvm.store %w, %to : f32, !llvm.ptr)mlir";
  x[0] = 1 + 0x1p-11f;
  x[1] = 0x1p-24f;
  x[2] = 60000;
  run(makeModule(body), 1, 32);
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 0x1p-23f);
  EXPECT_EQ(y[2], INFINITY);
}

TEST_F(Executor, ProductsAndSumsAreNotFused) {
  constexpr char body[] = R"mlir(
    %v = llvm.load %x : !llvm.ptr -> f32
    %p = llvm.fmul %v, %v : f32
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %s = llvm.fsub %p, %one : f32
    llvm.store %s, %y : f32, !llvm.ptr)mlir";
  x[0] = 1 + 0x1p-12f;
  run(makeModule(body), 1, 1);
  EXPECT_EQ(y[0], 0x1p-11f);
}

TEST_F(Executor, NothingIsFlushedToZero) {
  constexpr char body[] = R"mlir(
    %v = llvm.load %x : !llvm.ptr -> f32
    %half = llvm.mlir.constant(0.5 : f32) : f32
    %p = llvm.fmul %v, %half : f32
    llvm.store %p, %y : f32, !llvm.ptr)mlir";
  x[0] = 0x1p-140f;
  run(makeModule(body), 1, 1);
  EXPECT_EQ(y[0], 0x1p-141f);
}

TEST_F(Executor, BlocksOnSeveralHostThreads) {
  SimtOptions options;
  options.hostThreads = 4;
  constexpr char body[] = R"mlir(
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %first = llvm.mul %block, %c32 : i32
    %place = llvm.add %first, %t : i32
    %to = llvm.getelementptr %y[%place] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %place, %to : i32, !llvm.ptr)mlir";
  compile(makeModule(body), options);
  ASSERT_TRUE(program);
  ASSERT_FALSE(bool(launch(128, 32)));
  for (int i = 0; i < 4096; ++i)
    ASSERT_EQ(word(i), i);
}

TEST_F(Executor, RefusesAnIntrinsicByItsName) {
  std::string message = refuse(makeModule("    nvvm.cluster.arrive\n    nvvm.cluster.wait"));
  EXPECT_THAT(message, HasSubstr("llvm.nvvm.barrier.cluster.arrive"));
  EXPECT_THAT(message, HasSubstr("llvm.nvvm.barrier.cluster.wait"));
}

TEST_F(Executor, RefusesInlineAssembly) {
  EXPECT_THAT(refuse(makeModule(R"mlir(    llvm.inline_asm has_side_effects "nop;", "" : () -> ())mlir")),
              HasSubstr("inline assembly"));
}

TEST_F(Executor, RefusesWhatIsNotForAGpu) {
  llvm::Expected<std::unique_ptr<SimtProgram>> made = SimtProgram::create("not bitcode", SimtOptions());
  ASSERT_FALSE(bool(made));
  EXPECT_NE(llvm::toString(made.takeError()), "");
}

TEST_F(Executor, RefusesLaunchesThatAGpuWouldRefuse) {
  compile(makeModule(""), SimtOptions());
  ASSERT_TRUE(program);
  EXPECT_THAT(llvm::toString(launch(1, 1025)), HasSubstr("1025 threads"));
  EXPECT_THAT(llvm::toString(launch(0, 1)), HasSubstr("empty"));
  EXPECT_THAT(llvm::toString(launch(1, 1, 0, 300 * 1024)), HasSubstr("dynamic shared memory"));
  simt::Dim3 one;
  EXPECT_THAT(llvm::toString(program->launch("k", one, one, 0, {})), HasSubstr("expected 3 parameters, got 0"));
  EXPECT_THAT(llvm::toString(program->launch("other", one, one, 0, {})), HasSubstr("no kernel 'other'"));
}

TEST_F(Executor, StopsAtATrap) {
  compile(makeModule("    \"llvm.intr.trap\"() : () -> ()"), SimtOptions());
  ASSERT_TRUE(program) << failure;
  EXPECT_THAT(llvm::toString(launch(1, 32)), HasSubstr("trap"));
}

} // namespace
