//===- PtxasTest.cpp - Assembling, resources and fat binaries -----------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Tests the reading of ptxas' report, and, where the toolkit is installed, cubins and fat binaries of a kernel.
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Target/CUDA/Ptxas.h"
#include "TestKernels.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace nag;
using namespace nag::test;

namespace {
class PtxasTest : public CudaTest {};

TEST_F(PtxasTest, ReportOfSeveralKernels) {
  auto kernels =
      parsePtxasReport("ptxas info    : 0 bytes gmem, 24 bytes cmem[4]\n"
                       "ptxas info    : Compiling entry function 'second' for 'sm_80'\n"
                       "ptxas info    : Function properties for second\n"
                       "    176 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
                       "ptxas info    : Function properties for inner\n"
                       "    99 bytes stack frame, 98 bytes spill stores, 97 bytes spill loads\n"
                       "ptxas info    : Used 255 registers, used 2 barriers, 176 bytes cumulative stack size, "
                       "49152 bytes smem, 488 bytes cmem[0], 8 bytes cmem[2]\n"
                       "ptxas info    : Compile time = 1.5 ms\n"
                       "ptxas warning : something about the weather\n"
                       "ptxas info    : Compiling entry function 'first' for 'sm_80'\n"
                       "ptxas info    : Function properties for first\n"
                       "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                       "ptxas info    : Used 8 registers, used 0 barriers, 400 bytes cmem[0]\n",
                       getEmitError());
  ASSERT_TRUE(succeeded(kernels)) << errors;
  ASSERT_EQ(kernels->size(), 2u);
  const KernelResources &first = (*kernels)[0], &second = (*kernels)[1];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.registers, 8u);
  EXPECT_EQ(first.staticSharedBytes, 0u);
  EXPECT_EQ(second.name, "second");
  EXPECT_EQ(second.registers, 255u);
  EXPECT_EQ(second.barriers, 2u);
  EXPECT_EQ(second.staticSharedBytes, 49152u);
  EXPECT_EQ(second.stackFrameBytes, 176u);
  EXPECT_EQ(second.spillStoreBytes, 8u);
  EXPECT_EQ(second.spillLoadBytes, 12u);
  EXPECT_EQ(second.constantBytes, 496u);
}

TEST_F(PtxasTest, ReportWithoutRegistersIsAnError) {
  EXPECT_TRUE(failed(parsePtxasReport("ptxas info    : Compiling entry function 'k' for 'sm_80'\n", getEmitError())));
  EXPECT_NE(errors.find("cannot read the resources of kernel 'k'"), std::string::npos) << errors;
}

TEST_F(PtxasTest, RowKernelAssemblesWithoutSpills) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA Toolkit";
  for (const Chip &chip : getChips()) {
    FailureOr<Cubin> cubin = assemble(compileToPtx(makeRowKernelWithExp(), chip.name), chip, Toolkit(), getEmitError());
    ASSERT_TRUE(succeeded(cubin)) << errors;
    EXPECT_EQ(cubin->image.substr(0, 4), "\x7f"
                                         "ELF");
    ASSERT_EQ(cubin->kernels.size(), 1u);
    const KernelResources &kernel = cubin->kernels[0];
    EXPECT_EQ(kernel.name, "row_kernel");
    EXPECT_GT(kernel.registers, 8u);
    EXPECT_LE(kernel.registers, 128u);
    EXPECT_EQ(kernel.barriers, 1u);
    EXPECT_EQ(kernel.staticSharedBytes, 64u);
    EXPECT_EQ(kernel.spillStoreBytes + kernel.spillLoadBytes + kernel.stackFrameBytes, 0u);
  }
}

TEST_F(PtxasTest, SpillsAreSeen) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA Toolkit";
  // 128 values that are loaded before a barrier and stored after it, and the 64 registers that a thread of 1,024 may
  // have.
  std::string body = "%c = arith.constant 128 : index\n%j = arith.muli %i, %c : index\n";
  for (int n = 0; n < 128; ++n)
    body += llvm::formatv("%n{0} = arith.constant {0} : index\n%j{0} = arith.addi %j, %n{0} : index\n"
                          "%v{0} = memref.load %x[%j{0}] : memref<?xf32>\n",
                          n);
  body += "gpu.barrier\n";
  for (int n = 0; n < 128; ++n)
    body += llvm::formatv("memref.store %v{0}, %x[%j{1}] : memref<?xf32>\n", n, 127 - n);
  std::string text = makeKernel(body);
  text.replace(text.find("i32: 128"), 8, "i32: 1024");
  FailureOr<Cubin> cubin = assemble(compileToPtx(text, "sm_80"), getChips()[0], Toolkit(), getEmitError());
  ASSERT_TRUE(succeeded(cubin)) << errors;
  EXPECT_LE(cubin->kernels[0].registers, 64u) << cubin->report;
  EXPECT_GT(cubin->kernels[0].spillStoreBytes, 0u) << cubin->report;
  EXPECT_GT(cubin->kernels[0].spillLoadBytes, 0u) << cubin->report;
  EXPECT_GT(cubin->kernels[0].stackFrameBytes, 0u) << cubin->report;
}

TEST_F(PtxasTest, SamePtxSameCubinAndFatbin) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA Toolkit";
  std::string ptx = compileToPtx(rowKernel, "sm_90");
  FailureOr<const Chip *> chip = lookupChip("sm_90", getEmitError());
  FailureOr<std::string> fatbins[2];
  FailureOr<Cubin> cubins[2] = {failure(), failure()};
  for (int i : {0, 1}) {
    cubins[i] = assemble(ptx, **chip, Toolkit(), getEmitError());
    ASSERT_TRUE(succeeded(cubins[i])) << errors;
    fatbins[i] = makeFatbin(*cubins[i], ptx, *chip, Toolkit(), getEmitError());
    ASSERT_TRUE(succeeded(fatbins[i])) << errors;
  }
  EXPECT_TRUE(cubins[0]->image == cubins[1]->image);
  EXPECT_TRUE(*fatbins[0] == *fatbins[1]);
}

TEST_F(PtxasTest, FatbinOfSeveralChips) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA Toolkit";
  SmallVector<Cubin> cubins;
  std::string ptx;
  for (StringRef name : {"sm_80", "sm_90a", "sm_120"}) {
    FailureOr<const Chip *> chip = lookupChip(name, getEmitError());
    ptx = compileToPtx(rowKernel, name);
    FailureOr<Cubin> cubin = assemble(ptx, **chip, Toolkit(), getEmitError());
    ASSERT_TRUE(succeeded(cubin)) << errors;
    cubins.push_back(std::move(*cubin));
  }
  auto all = makeFatbin(cubins, ptx, cubins.back().chip, Toolkit(), getEmitError());
  ASSERT_TRUE(succeeded(all)) << errors;
  auto one = makeFatbin(ArrayRef(cubins).take_front(), "", nullptr, Toolkit(), getEmitError());
  ASSERT_TRUE(succeeded(one)) << errors;
  // The magic number of a fat binary, as the driver reads it.
  EXPECT_EQ(all->substr(0, 4), "\x50\xed\x55\xba");
  EXPECT_GT(all->size(), 2 * one->size());
}

TEST_F(PtxasTest, FatbinOfNothingIsAnError) {
  EXPECT_TRUE(failed(makeFatbin({}, "", nullptr, Toolkit(), getEmitError())));
  EXPECT_NE(errors.find("at least one cubin or PTX"), std::string::npos) << errors;
}

TEST_F(PtxasTest, TwoCubinsForOneChipAreAnError) {
  Cubin cubin{&getChips()[0], "image", {}, ""};
  EXPECT_TRUE(failed(makeFatbin({cubin, cubin}, "", nullptr, Toolkit(), getEmitError())));
  EXPECT_NE(errors.find("one cubin for sm_80, got two"), std::string::npos) << errors;
}

TEST_F(PtxasTest, CommaInTheTemporaryDirectoryIsSaid) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA Toolkit";
  ToolDirectory directory;
  std::string parent = directory.addScript("a,b", "");
  ASSERT_FALSE(llvm::sys::fs::remove(parent));
  ASSERT_FALSE(llvm::sys::fs::create_directory(parent));
  ScopedEnvironment tmp({{"TMPDIR", parent.c_str()}});
  FailureOr<Cubin> cubin = assemble(compileToPtx(rowKernel, "sm_80"), getChips()[0], Toolkit(), getEmitError());
  ASSERT_TRUE(succeeded(cubin)) << errors;
  EXPECT_TRUE(failed(makeFatbin(*cubin, "", nullptr, Toolkit(), getEmitError())));
  EXPECT_NE(errors.find("comma in its path"), std::string::npos) << errors;
}

TEST_F(PtxasTest, BadPtxShowsWhatPtxasSaid) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA Toolkit";
  EXPECT_TRUE(failed(assemble("nonsense", getChips()[0], Toolkit(), getEmitError())));
  EXPECT_NE(errors.find("failed with exit code"), std::string::npos) << errors;
  EXPECT_NE(errors.find("ptxas"), std::string::npos) << errors;
}
} // namespace
