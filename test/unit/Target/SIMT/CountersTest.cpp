//===- CountersTest.cpp - Tests of the counters of simt -----------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Kernels whose traffic can be counted by hand.

#include "SimtTest.h"

#include "nag/Target/SIMT/Traffic.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace nag;
using namespace nag::test;
using testing::HasSubstr;

namespace {

/// y[t] = x[t * n], as floats.
constexpr char kStrided[] = R"mlir(
    %t64 = llvm.sext %t : i32 to i64
    %i = llvm.mul %t64, %n : i64
    %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %to = llvm.getelementptr %y[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    llvm.store %v, %to : f32, !llvm.ptr)mlir";

class Counters : public SimtTest {
protected:
  /// Buffers on a sector's boundary, which a vector's memory need not be.
  alignas(128) float alignedX[4096] = {}, alignedY[4096] = {};

  KernelCounts count(llvm::StringRef text, uint32_t blocks, uint32_t threads, int64_t n, uint64_t seed = 0) {
    SimtOptions options;
    options.count = true;
    options.seed = seed;
    compile(text, options);
    if (!program) {
      ADD_FAILURE() << failure;
      return {};
    }
    for (float *data : {alignedX, alignedY}) {
      SimtBuffer buffer;
      buffer.name = data == alignedX ? "x" : "y";
      buffer.base = data;
      buffer.bytes = sizeof(alignedX);
      buffer.elementBytes = 4;
      buffer.columns = 64;
      buffer.rowStride = 256;
      buffer.isPerToken = true;
      program->registerBuffer(buffer);
    }
    void *xData = alignedX, *yData = alignedY;
    void *params[] = {&xData, &yData, &n};
    simt::Dim3 grid, block;
    grid.x = blocks;
    block.x = threads;
    if (llvm::Error error = program->launch("k", grid, block, 0, params))
      ADD_FAILURE() << llvm::toString(std::move(error));
    const SimtReport &report = program->getReport();
    return report.kernels.empty() ? KernelCounts() : report.kernels[0];
  }
  static const BufferCounts &find(const KernelCounts &kernel, llvm::StringRef name) {
    for (const BufferCounts &buffer : kernel.buffers)
      if (buffer.name == name)
        return buffer;
    static const BufferCounts none;
    ADD_FAILURE() << "no buffer " << name.str();
    return none;
  }
};

TEST_F(Counters, Coalesced) {
  KernelCounts kernel = count(makeModule(kStrided), 1, 64, 1);
  const TrafficCounts &reads = find(kernel, "x").reads, &writes = find(kernel, "y").writes;
  EXPECT_EQ(reads.warpAccesses, 2u);
  EXPECT_EQ(reads.threadAccesses, 64u);
  EXPECT_EQ(reads.askedBytes, 256u);
  EXPECT_EQ(reads.sectors, 8u);
  EXPECT_EQ(reads.firstSectors, 8u);
  EXPECT_EQ(reads.usedShare(), 1.0);
  EXPECT_EQ(reads.widths[2], 64u);
  EXPECT_EQ(writes.sectors, 8u);
  EXPECT_EQ(kernel.movedBytes(), 512u);
  EXPECT_EQ(kernel.floorBytes(), 512u);
  EXPECT_EQ(kernel.tokens, 64u);
}

TEST_F(Counters, EightFloatsApart) {
  // Every thread has a sector to itself.
  KernelCounts kernel = count(makeModule(kStrided), 1, 32, 8);
  const TrafficCounts &reads = find(kernel, "x").reads;
  EXPECT_EQ(reads.sectors, 32u);
  EXPECT_EQ(reads.usedShare(), 0.125);
  EXPECT_EQ(kernel.floorBytes(), 256u);
  EXPECT_EQ(kernel.movedBytes(), 32u * 32 + 128);
}

TEST_F(Counters, AllThreadsReadOneFloat) {
  KernelCounts kernel = count(makeModule(kStrided), 1, 32, 0);
  const TrafficCounts &reads = find(kernel, "x").reads;
  EXPECT_EQ(reads.askedBytes, 128u);
  EXPECT_EQ(reads.uniqueBytes, 4u);
  EXPECT_EQ(reads.sectors, 1u);
}

TEST_F(Counters, SecondReadIsInL2) {
  KernelCounts kernel = count(makeModule(kStrided), 2, 32, 1);
  const TrafficCounts &reads = find(kernel, "x").reads;
  EXPECT_EQ(reads.sectors, 8u);
  EXPECT_EQ(reads.firstSectors, 4u);
  EXPECT_EQ(reads.hitSectors, 4u);
  EXPECT_EQ(reads.lostSectors, 0u);
}

TEST_F(Counters, TheOrderOfThreadsChangesNothing) {
  KernelCounts first = count(makeModule(kStrided), 4, 128, 2);
  for (uint64_t seed : {1, 2, 3}) {
    KernelCounts other = count(makeModule(kStrided), 4, 128, 2, seed);
    EXPECT_EQ(find(first, "x").reads.sectors, find(other, "x").reads.sectors);
    EXPECT_EQ(find(first, "y").writes.sectors, find(other, "y").writes.sectors);
    EXPECT_EQ(first.instructions, other.instructions);
    EXPECT_EQ(first.movedBytes(), other.movedBytes());
  }
}

TEST_F(Counters, VectorsAreCutAsTheInstructionsAre) {
  // 32 bytes a thread are two accesses of 16 bytes, each of which uses half of the sectors it touches.
  constexpr char body[] = R"mlir(
    %t64 = llvm.sext %t : i32 to i64
    %from = llvm.getelementptr %x[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, vector<8xf32>
    %to = llvm.getelementptr %y[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, vector<8xf32>
    %v = llvm.load %from {alignment = 32} : !llvm.ptr -> vector<8xf32>
    llvm.store %v, %to {alignment = 8} : vector<8xf32>, !llvm.ptr)mlir";
  KernelCounts kernel = count(makeModule(body), 1, 32, 0);
  const TrafficCounts &reads = find(kernel, "x").reads, &writes = find(kernel, "y").writes;
  EXPECT_EQ(reads.warpAccesses, 2u);
  EXPECT_EQ(reads.sectors, 64u);
  EXPECT_EQ(reads.usedShare(), 0.5);
  EXPECT_EQ(reads.firstSectors, 32u);
  EXPECT_EQ(reads.widths[4], 64u);
  EXPECT_EQ(writes.warpAccesses, 4u);
  EXPECT_EQ(writes.widths[3], 128u);
}

TEST_F(Counters, LanesThatTakeDifferentBranches) {
  // Only the even lanes load, once more in each of n rounds.
  constexpr char body[] = R"mlir(
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %bit = llvm.and %t, %c1 : i32
    %isEven = llvm.icmp "eq" %bit, %c0 : i32
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rounds = arith.index_cast %n : i64 to index
    %from = llvm.getelementptr %x[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    scf.if %isEven {
      scf.for %i = %zero to %rounds step %one {
        %v = llvm.load volatile %from : !llvm.ptr -> f32
      }
    })mlir";
  KernelCounts kernel = count(makeModule(body), 1, 32, 3);
  const TrafficCounts &reads = find(kernel, "x").reads;
  EXPECT_EQ(reads.warpAccesses, 3u);
  EXPECT_EQ(reads.threadAccesses, 48u);
  EXPECT_EQ(reads.sectors, 12u);
  EXPECT_EQ(reads.uniqueBytes, 3u * 64);
}

/// Thread t touches word t * n of shared memory.
constexpr char kBanks[] = R"mlir(
    %stride = llvm.trunc %n : i64 to i32
    %i = llvm.mul %t, %stride : i32
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %mine = llvm.getelementptr %base[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %v = llvm.load volatile %mine : !llvm.ptr<3> -> f32
    nvvm.barrier0)mlir";
constexpr char kBuf[] = "  llvm.mlir.global internal @buf() {addr_space = 3 : i32} : !llvm.array<1024 x f32>";

TEST_F(Counters, Banks) {
  const uint64_t cases[][2] = {{0, 0}, {1, 0}, {2, 1}, {3, 0}, {4, 3}, {32, 31}};
  for (auto [stride, conflicts] : cases) {
    KernelCounts kernel = count(makeModule(kBanks, kBuf), 1, 32, int64_t(stride));
    EXPECT_EQ(kernel.sharedAccesses, 1u);
    EXPECT_EQ(kernel.bankConflicts, conflicts) << "stride " << stride;
    EXPECT_EQ(kernel.sharedWavefronts, conflicts + 1);
    EXPECT_EQ(kernel.barriers, 1u);
  }
}

TEST_F(Counters, WordsOfSixteenBytes) {
  constexpr char body[] = R"mlir(
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %mine = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
    %v = llvm.load volatile %mine {alignment = 16} : !llvm.ptr<3> -> vector<4xf32>)mlir";
  KernelCounts kernel = count(makeModule(body, kBuf), 1, 32, 0);
  EXPECT_EQ(kernel.sharedAccesses, 1u);
  EXPECT_EQ(kernel.sharedWavefronts, 4u);
  EXPECT_EQ(kernel.bankConflicts, 0u);
}

TEST_F(Counters, InstructionsByKind) {
  KernelCounts kernel = count(makeModule(kStrided), 1, 32, 1);
  auto get = [&](simt::InstructionKind kind) { return kernel.instructions[static_cast<size_t>(kind)]; };
  EXPECT_EQ(get(simt::InstructionKind::Load), 32u);
  EXPECT_EQ(get(simt::InstructionKind::Store), 32u);
  EXPECT_EQ(get(simt::InstructionKind::Float), 0u);
  EXPECT_EQ(get(simt::InstructionKind::Control), 32u);
}

TEST_F(Counters, TextAndJson) {
  count(makeModule(kStrided), 1, 64, 1);
  std::string text, json;
  llvm::raw_string_ostream textStream(text), jsonStream(json);
  program->getReport().printCounts(textStream);
  program->getReport().printJson(jsonStream);
  EXPECT_THAT(text, HasSubstr("kernel k: 1 launch, 1 blocks, 64 threads, 64 tokens"));
  EXPECT_THAT(text, HasSubstr("moved 512 B, 8.0 B/token; floor 512 B, ratio 1.000"));
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  const llvm::json::Object &kernel = *(*value->getAsObject()->getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(*kernel.getInteger("moved_bytes"), 512);
  EXPECT_EQ(*kernel.getString("name"), "k");
}

TEST(SectorCache, LosesWhatWasUsedLongestAgo) {
  simt::SectorCache cache(64 * 1024);
  EXPECT_FALSE(cache.touch(0));
  EXPECT_TRUE(cache.touch(0));
  // Another sector of the same line has to be fetched too.
  EXPECT_FALSE(cache.touch(1));
  for (uint64_t sector = 0; sector < 64 * 1024; sector += 4)
    cache.touch(1000000 + sector);
  EXPECT_FALSE(cache.touch(0));
}

} // namespace
