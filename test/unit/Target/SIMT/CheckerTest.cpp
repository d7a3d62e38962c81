//===- CheckerTest.cpp - Tests that planted faults are found ------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// A kernel with one fault for each kind that the checker knows, and kernels next to it that are right.

#include "SimtTest.h"

#include "llvm/ADT/StringRef.h"

using namespace nag;
using namespace nag::test;
using testing::HasSubstr;

namespace {

class Checker : public SimtTest {
protected:
  /// The kernel has one fault, of this kind, at this buffer, and in this operation.
  Finding findOne(llvm::StringRef text, FindingKind kind, llvm::StringRef buffer, llvm::StringRef op, uint32_t blocks,
                  uint32_t threads, int64_t n = 0) {
    std::vector<Finding> findings = check(text, blocks, threads, n);
    std::string all;
    for (const Finding &finding : findings)
      all += finding.toString() + "\n";
    if (findings.size() != 1) {
      ADD_FAILURE() << findings.size() << " findings: " << all << failure;
      return {};
    }
    EXPECT_EQ(findings[0].kind, kind) << all;
    EXPECT_EQ(findings[0].buffer, buffer.str()) << all;
    EXPECT_EQ(findings[0].kernel, "k");
    EXPECT_EQ(findings[0].location, locate(text, op)) << all;
    return findings[0];
  }
  void findNone(llvm::StringRef text, uint32_t blocks, uint32_t threads, int64_t n = 0) {
    for (const Finding &finding : check(text, blocks, threads, n))
      ADD_FAILURE() << finding.toString();
    EXPECT_EQ(failure, "");
  }
};

/// y[t + n] = x[t]
constexpr char kCopy[] = R"mlir(
    %t64 = llvm.sext %t : i32 to i64
    %i = llvm.add %t64, %n : i64
    %from = llvm.getelementptr %x[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    llvm.store %v, %to : f32, !llvm.ptr)mlir";

TEST_F(Checker, NothingInACopy) {
  x[3] = 5;
  findNone(makeModule(kCopy), 1, 64);
  EXPECT_EQ(y[3], 5);
}

TEST_F(Checker, WriteBehindABuffer) {
  columns = 1024;
  Finding finding = findOne(makeModule(kCopy), FindingKind::OutOfBoundsWrite, "y", "llvm.store", 1, 64, 4096 - 62);
  EXPECT_EQ(finding.row, 4);
  EXPECT_EQ(finding.column, 0);
  EXPECT_EQ(finding.thread, 62);
  EXPECT_EQ(finding.occurrences, 2u);
  EXPECT_EQ(finding.instruction, "store");
}

TEST_F(Checker, WriteBeforeABuffer) {
  columns = 1024;
  // The thread's first element would be in the row before the first.
  Finding finding = findOne(makeModule(kCopy), FindingKind::OutOfBoundsWrite, "y", "llvm.store", 1, 1, -1);
  EXPECT_EQ(finding.row, -1);
  EXPECT_EQ(finding.column, 1023);
}

TEST_F(Checker, ReadBehindABuffer) {
  std::string text = makeModule(kCopy);
  text.replace(text.find("%x[%t64]"), 8, "%x[%i]");
  text.replace(text.find("%y[%i]"), 6, "%y[%t64]");
  Finding finding = findOne(text, FindingKind::OutOfBoundsRead, "x", "llvm.load", 1, 32, 4096 - 16);
  EXPECT_EQ(finding.thread, 16);
  EXPECT_EQ(finding.byteOffset, 4096 * 4);
}

TEST_F(Checker, WriteBetweenRows) {
  // Rows of 100 elements, 128 apart.
  SimtOptions options;
  options.check = true;
  compile(makeModule(kCopy), options);
  ASSERT_TRUE(program);
  SimtBuffer buffer;
  buffer.name = "y";
  buffer.base = y.data();
  buffer.bytes = (3 * 128 + 100) * 4;
  buffer.elementBytes = 4;
  buffer.columns = 100;
  buffer.rowStride = 128 * 4;
  program->registerBuffer(buffer);
  buffer.name = "x";
  buffer.base = x.data();
  buffer.bytes = x.size() * 4;
  buffer.columns = 0;
  program->registerBuffer(buffer);
  ASSERT_FALSE(bool(launch(1, 128, 128)));
  const std::vector<Finding> &findings = program->getReport().findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::OutOfBoundsWrite);
  EXPECT_EQ(findings[0].row, 1);
  EXPECT_EQ(findings[0].column, 100);
  EXPECT_EQ(findings[0].occurrences, 28u);
}

TEST_F(Checker, MisalignedVector) {
  constexpr char body[] = R"mlir(
    %t64 = llvm.sext %t : i32 to i64
    %four = llvm.mlir.constant(4 : i64) : i64
    %s = llvm.mul %t64, %four : i64
    %i = llvm.add %s, %n : i64
    %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %to = llvm.getelementptr %y[%s] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from {alignment = 16} : !llvm.ptr -> vector<4xf32>
    llvm.store %v, %to {alignment = 4} : vector<4xf32>, !llvm.ptr)mlir";
  x[1] = 2;
  Finding finding = findOne(makeModule(body), FindingKind::Misaligned, "x", "llvm.load", 1, 32, 1);
  EXPECT_EQ(finding.byteOffset, 4);
  EXPECT_EQ(y[0], 2) << "the access still takes place";
}

TEST_F(Checker, WriteToAnInput) {
  std::string text = makeModule(kCopy);
  text.replace(text.find("%y[%i]"), 6, "%x[%i]");
  x[0] = 1;
  findOne(text, FindingKind::WriteToInput, "x", "llvm.store", 1, 32, 64);
  EXPECT_EQ(x[64], 0) << "the input stays as it is";
}

constexpr char kShared[] =
    R"mlir(  llvm.mlir.global internal @buf() {addr_space = 3 : i32} : !llvm.array<256 x f32>)mlir";

/// Thread t writes buf[t], and reads buf[t ^ 1] after `between`.
std::string makeExchange(llvm::StringRef between) {
  return (R"mlir(
    %t64 = llvm.sext %t : i32 to i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %other = llvm.xor %t64, %one : i64
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %mine = llvm.getelementptr %base[%t64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %theirs = llvm.getelementptr %base[%other] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %from = llvm.getelementptr %x[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %to = llvm.getelementptr %y[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %from : !llvm.ptr -> f32
    llvm.store %v, %mine : f32, !llvm.ptr<3>
)mlir" + between +
          R"mlir(
    %w = llvm.load volatile %theirs : !llvm.ptr<3> -> f32
    llvm.store %w, %to : f32, !llvm.ptr)mlir")
      .str();
}

TEST_F(Checker, NothingWithABarrier) {
  x[5] = 7;
  findNone(SimtTest::makeModule(makeExchange("nvvm.barrier0"), kShared), 1, 256);
  EXPECT_EQ(y[4], 7);
}

TEST_F(Checker, RaceWithoutABarrier) {
  // The first of two threads reads what nobody has written yet, and its partner writes it then.
  std::string text = SimtTest::makeModule(makeExchange(""), kShared);
  std::vector<Finding> findings = check(text, 1, 64);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].kind, FindingKind::UninitializedRead);
  EXPECT_EQ(findings[1].kind, FindingKind::RaceInBlock);
  EXPECT_EQ(findings[1].detail, "a write after a read");
  EXPECT_EQ(findings[1].thread, 1);
  EXPECT_EQ(findings[1].otherThread, 0);
  EXPECT_EQ(findings[2].kind, FindingKind::RaceInBlock);
  EXPECT_EQ(findings[2].detail, "a read after a write");
  for (const Finding &finding : findings)
    EXPECT_EQ(finding.buffer, "buf");
  EXPECT_EQ(findings[1].location, locate(text, "llvm.store %v, %mine"));
  EXPECT_EQ(findings[2].location, locate(text, "llvm.load volatile"));
}

constexpr char kFullMask[] = "    %all = llvm.mlir.constant(-1 : i32) : i32\n";

TEST_F(Checker, AWarpBarrierIsEnoughWithinAWarp) {
  findNone(SimtTest::makeModule(makeExchange(std::string(kFullMask) + "    nvvm.bar.warp.sync %all : i32"), kShared), 1,
           64);
}

TEST_F(Checker, AWarpBarrierIsNotEnoughBetweenWarps) {
  std::string body = makeExchange(std::string(kFullMask) + "    nvvm.bar.warp.sync %all : i32");
  body.replace(body.find("%one = llvm.mlir.constant(1 : i64)"), 34, "%one = llvm.mlir.constant(32 : i64)");
  std::vector<Finding> findings = check(SimtTest::makeModule(body, kShared), 1, 64);
  ASSERT_GE(findings.size(), 2u);
  EXPECT_EQ(findings[1].kind, FindingKind::RaceInBlock);
}

TEST_F(Checker, UninitializedShared) {
  std::string body = makeExchange("nvvm.barrier0");
  body.erase(body.find("llvm.store %v, %mine"), strlen("llvm.store %v, %mine : f32, !llvm.ptr<3>"));
  Finding finding =
      findOne(SimtTest::makeModule(body, kShared), FindingKind::UninitializedRead, "buf", "llvm.load volatile", 1, 32);
  EXPECT_EQ(finding.occurrences, 32u);
}

TEST_F(Checker, SharedOfTheBlockBeforeIsUninitialized) {
  // Block 0 writes; block 1 only reads what block 0 left.
  constexpr char body[] = R"mlir(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %v = llvm.mlir.constant(1.0 : f32) : f32
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %isFirst = llvm.icmp "eq" %block, %zero : i32
    scf.if %isFirst {
      llvm.store volatile %v, %base : f32, !llvm.ptr<3>
    }
    %w = llvm.load volatile %base : !llvm.ptr<3> -> f32)mlir";
  Finding finding =
      findOne(makeModule(body, kShared), FindingKind::UninitializedRead, "buf", "llvm.load volatile", 2, 1);
  EXPECT_EQ(finding.block[0], 1u);
}

TEST_F(Checker, UninitializedOutput) {
  std::string text = makeModule(kCopy);
  text.replace(text.find("%x[%t64]"), 8, "%y[%t64]");
  findOne(text, FindingKind::UninitializedRead, "y", "llvm.load", 1, 32, 64);
}

TEST_F(Checker, SharedOutOfBounds) {
  std::string body = makeExchange("nvvm.barrier0");
  body.replace(body.find("%base[%t64]"), 11, "%base[%n]");
  std::vector<Finding> findings = check(SimtTest::makeModule(body, kShared), 1, 1, 256);
  ASSERT_GE(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::OutOfBoundsWrite);
}

TEST_F(Checker, RaceBetweenBlocks) {
  // Two blocks write the same rows.
  Finding finding = findOne(makeModule(kCopy), FindingKind::RaceBetweenBlocks, "y", "llvm.store", 2, 32);
  EXPECT_EQ(finding.block[0], 1u);
  EXPECT_EQ(finding.otherBlock, 0);
  EXPECT_EQ(finding.otherThread, finding.thread);
}

TEST_F(Checker, RaceOfAReadWithAnotherBlocksWrite) {
  // Block 0 writes y[t], block 1 reads it.
  constexpr char body[] = R"mlir(
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %at = llvm.getelementptr %y[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %isFirst = llvm.icmp "eq" %block, %zero : i32
    scf.if %isFirst {
      llvm.store %one, %at : f32, !llvm.ptr
    } else {
      %v = llvm.load volatile %at : !llvm.ptr -> f32
    })mlir";
  columns = 16;
  Finding finding = findOne(makeModule(body), FindingKind::RaceBetweenBlocks, "y", "llvm.load volatile", 2, 32);
  EXPECT_EQ(finding.detail, "a read after a write");
  EXPECT_EQ(finding.block[0], 1u);
  EXPECT_EQ(finding.otherBlock, 0);
  EXPECT_EQ(finding.occurrences, 32u);
  EXPECT_EQ(finding.row, 0);
  EXPECT_EQ(finding.column, 0);
}

TEST_F(Checker, CopyThatNobodyWaitsFor) {
  constexpr char body[] = R"mlir(
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %mine = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %from = llvm.getelementptr %x[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %global = llvm.addrspacecast %from : !llvm.ptr to !llvm.ptr<1>
    nvvm.cp.async.shared.global %mine, %global, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    %v = llvm.load volatile %mine : !llvm.ptr<3> -> f32)mlir";
  findOne(makeModule(body, kShared), FindingKind::UninitializedRead, "buf", "llvm.load volatile", 1, 32);
}

TEST_F(Checker, CopyPastTheEndOfAnInput) {
  constexpr char body[] = R"mlir(
    %base = llvm.mlir.addressof @buf : !llvm.ptr<3>
    %mine = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %t64 = llvm.sext %t : i32 to i64
    %i = llvm.add %t64, %n : i64
    %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %global = llvm.addrspacecast %from : !llvm.ptr to !llvm.ptr<1>
    nvvm.cp.async.shared.global %mine, %global, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0)mlir";
  Finding finding =
      findOne(makeModule(body, kShared), FindingKind::OutOfBoundsRead, "x", "nvvm.cp.async.shared", 1, 32, 4096 - 16);
  EXPECT_EQ(finding.thread, 16);
}

TEST_F(Checker, AtomicsDoNotRace) {
  constexpr char body[] = R"mlir(
    %one = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %old = llvm.atomicrmw add %y, %one monotonic : !llvm.ptr, i32)mlir";
  // Nobody has set the sum to zero, which is what there is to find.
  findOne(makeModule(body), FindingKind::UninitializedRead, "y", "llvm.atomicrmw", 4, 64);
  int32_t sum;
  memcpy(&sum, y.data(), 4);
  EXPECT_EQ(sum, 256);
}

TEST_F(Checker, LaunchesDoNotRace) {
  findNone(makeModule(kCopy), 1, 64);
  ASSERT_FALSE(bool(launch(1, 64)));
  EXPECT_TRUE(program->getReport().findings.empty());
}

/// A shuffle by `mask`, of threads below `n` only.
std::string makeShuffle(llvm::StringRef mask, llvm::StringRef lane) {
  return (R"mlir(
    %t64 = llvm.sext %t : i32 to i64
    %mask = llvm.mlir.constant()mlir" +
          mask + R"mlir( : i32) : i32
    %lane = llvm.mlir.constant()mlir" +
          lane + R"mlir( : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %takesPart = llvm.icmp "slt" %t64, %n : i64
    scf.if %takesPart {
      %v = nvvm.shfl.sync idx %mask, %t, %lane, %clamp : i32 -> i32
      %to = llvm.getelementptr %y[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %to : i32, !llvm.ptr
    })mlir")
      .str();
}

TEST_F(Checker, ShuffleOfAllLanes) {
  findNone(makeModule(makeShuffle("-1", "3")), 1, 32, 32);
  int32_t lane;
  memcpy(&lane, &y[9], 4);
  EXPECT_EQ(lane, 3);
}

TEST_F(Checker, ShuffleOfSomeLanes) { findNone(makeModule(makeShuffle("255", "3")), 1, 32, 8); }

TEST_F(Checker, ShuffleFromALaneThatDoesNotTakePart) {
  Finding finding = findOne(makeModule(makeShuffle("255", "9")), FindingKind::InactiveLane, "", "nvvm.shfl", 1, 32, 8);
  EXPECT_THAT(finding.detail, HasSubstr("reads lane 9"));
  EXPECT_THAT(finding.instruction, HasSubstr("shfl.sync.idx"));
}

TEST_F(Checker, ShuffleThatLanesMissWhichHaveEnded) {
  Finding finding = findOne(makeModule(makeShuffle("-1", "3")), FindingKind::InactiveLane, "", "nvvm.shfl", 1, 32, 8);
  EXPECT_THAT(finding.detail, HasSubstr("has ended"));
}

TEST_F(Checker, LaneOutsideItsOwnMask) {
  Finding finding = findOne(makeModule(makeShuffle("255", "3")), FindingKind::InactiveLane, "", "nvvm.shfl", 1, 32, 9);
  EXPECT_EQ(finding.thread, 8);
}

constexpr char kHalfBarrier[] = R"mlir(
    %t64 = llvm.sext %t : i32 to i64
    %takesPart = llvm.icmp "slt" %t64, %n : i64
    scf.if %takesPart {
      nvvm.barrier0
    })mlir";

TEST_F(Checker, BarrierThatSomeThreadsMiss) {
  Finding finding = findOne(makeModule(kHalfBarrier), FindingKind::DivergentBarrier, "", "nvvm.barrier0", 1, 64, 40);
  EXPECT_THAT(finding.detail, HasSubstr("24 of 64 threads have ended"));
}

TEST_F(Checker, BarriersInBothBranches) {
  constexpr char body[] = R"mlir(
    %t64 = llvm.sext %t : i32 to i64
    %takesPart = llvm.icmp "slt" %t64, %n : i64
    scf.if %takesPart {
      nvvm.barrier0
      llvm.store volatile %t, %y : i32, !llvm.ptr
    } else {
      nvvm.barrier0
    })mlir";
  Finding finding = findOne(makeModule(body), FindingKind::DivergentBarrier, "", "nvvm.barrier0", 1, 32, 1);
  EXPECT_THAT(finding.detail, HasSubstr("different barrier instructions"));
}

TEST_F(Checker, ThreadsThatWaitForever) {
  // The lanes below n wait for all others at a shuffle, these for them at a barrier.
  constexpr char body[] = R"mlir(
    %mask = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %t64 = llvm.sext %t : i32 to i64
    %takesPart = llvm.icmp "slt" %t64, %n : i64
    scf.if %takesPart {
      %v = nvvm.shfl.sync idx %mask, %t, %t, %clamp : i32 -> i32
      llvm.store volatile %v, %y : i32, !llvm.ptr
    }
    nvvm.barrier0)mlir";
  Finding finding = findOne(makeModule(body), FindingKind::DivergentBarrier, "", "nvvm.barrier0", 1, 32, 8);
  EXPECT_THAT(finding.detail, HasSubstr("24 threads, the first of them 8, wait at barrier"));
  EXPECT_THAT(failure, HasSubstr("block (0, 0, 0) never ends"));
}

TEST_F(Checker, SaysAllOfIt) {
  columns = 1024;
  std::string text = makeModule(kCopy);
  std::vector<Finding> findings = check(text, 1, 64, 4096 - 62);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].toString(),
            "out-of-bounds write: kernel k, buffer y at (4, 0) byte 16384, block (0, 0, 0), thread 62, store at " +
                locate(text, "llvm.store") + ": 4 bytes (2 times)");
}

TEST_F(Checker, NamesTheSourceThatAnOperationCameFrom) {
  // As a lowering leaves it: the operation has the place of the one that it was made from, in another file.
  std::string text = makeModule(kCopy);
  text.insert(text.find("f32, !llvm.ptr", text.find("llvm.store")) + strlen("f32, !llvm.ptr"),
              " loc(\"layer.mlir\":12:3)");
  std::vector<Finding> findings = check(text, 1, 1, 5000);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].location, "layer.mlir:12:3");
}

} // namespace
