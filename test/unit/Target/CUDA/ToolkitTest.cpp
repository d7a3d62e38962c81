//===- ToolkitTest.cpp - Finding and running the toolkit's tools --------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Tests the search for the toolkit, and tools that are missing, fail, crash or hang.
//
//===--------------------------------------------------------------------------------------------------===//

#include "TestKernels.h"
#include "nag/Target/CUDA/Ptxas.h"
#include "nag/Target/CUDA/RunTool.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <thread>

using namespace mlir;
using namespace nag;
using namespace nag::test;

namespace {
class ToolkitTest : public CudaTest {
protected:
  bool hasError(StringRef text) const { return StringRef(errors).contains(text); }

  /// Assembles something with this ptxas, which must fail.
  void expectFailure(StringRef ptxas, std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
    ToolkitOptions options;
    options.ptxas = ptxas.str();
    options.timeout = timeout;
    errors.clear();
    EXPECT_TRUE(failed(assemble(".version 7.8", getChips()[0], Toolkit(options), getEmitError())));
    EXPECT_TRUE(hasError("'" + ptxas.str() + "'")) << errors;
  }

  ToolDirectory directory;
  /// Nothing that is installed may be found unless a test says so.
  ScopedEnvironment environment{{{"NAG_PTXAS", nullptr},
                                 {"NAG_FATBINARY", nullptr},
                                 {"NAG_LIBDEVICE", nullptr},
                                 {"CUDA_HOME", nullptr},
                                 {"CUDA_PATH", nullptr},
                                 {"PATH", "/usr/bin:/bin"}}};
};

TEST_F(ToolkitTest, OptionComesBeforeEnvironmentBeforeRoots) {
  std::string option = directory.addScript("option", "exit 0"), variable = directory.addScript("variable", "exit 0");
  ASSERT_FALSE(llvm::sys::fs::create_directories(directory.getPath("root/bin")));
  std::string below = directory.addScript("root/bin/ptxas", "exit 0"), root = directory.getPath("root");
  ScopedEnvironment home({{"CUDA_HOME", root.c_str()}});
  EXPECT_EQ(*Toolkit().findPtxas(getEmitError()), below);
  ScopedEnvironment named({{"NAG_PTXAS", variable.c_str()}});
  EXPECT_EQ(*Toolkit().findPtxas(getEmitError()), variable);
  ToolkitOptions options;
  options.ptxas = option;
  EXPECT_EQ(*Toolkit(options).findPtxas(getEmitError()), option);
}

TEST_F(ToolkitTest, PathLeadsToTheToolkitThroughLinks) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(directory.getPath("root/bin")));
  ASSERT_FALSE(llvm::sys::fs::create_directories(directory.getPath("root/nvvm/libdevice")));
  ASSERT_FALSE(llvm::sys::fs::create_directories(directory.getPath("links")));
  directory.addScript("root/nvvm/libdevice/libdevice.10.bc", "", /*executable=*/false);
  std::string ptxas = directory.addScript("root/bin/ptxas", "exit 0");
  ASSERT_FALSE(llvm::sys::fs::create_link(ptxas, directory.getPath("links/ptxas")));
  ScopedEnvironment path({{"PATH", directory.getPath("links").c_str()}});
  EXPECT_EQ(*Toolkit().findPtxas(getEmitError()), directory.getPath("links/ptxas"));
  FailureOr<std::string> libdevice = Toolkit().findLibdevice("a test", getEmitError());
  ASSERT_TRUE(succeeded(libdevice)) << errors;
  EXPECT_TRUE(StringRef(*libdevice).ends_with("root/nvvm/libdevice/libdevice.10.bc")) << *libdevice;
}

TEST_F(ToolkitTest, AGivenRootIsNotLeft) {
  ToolkitOptions options;
  options.root = directory.getPath("nowhere");
  EXPECT_TRUE(failed(Toolkit(options).findPtxas(getEmitError())));
  EXPECT_TRUE(hasError("cannot find ptxas")) << errors;
  EXPECT_TRUE(hasError("nowhere/bin/ptxas (the given toolkit)")) << errors;
  EXPECT_TRUE(hasError("set CUDA_HOME to its root or NAG_PTXAS to the file")) << errors;
  errors.clear();
  EXPECT_TRUE(failed(Toolkit(options).findFatbinary(getEmitError())));
  EXPECT_TRUE(hasError("cannot find fatbinary")) << errors;
}

TEST_F(ToolkitTest, NoToolkitAtAllSaysWhereItLookedAndWhatToDo) {
  std::string home = directory.getPath("home"), bin = directory.getPath("bin");
  ScopedEnvironment places({{"CUDA_HOME", home.c_str()}, {"PATH", bin.c_str()}});
  ToolkitOptions options;
  options.usualRoot = directory.getPath("usual");
  EXPECT_TRUE(failed(Toolkit(options).findPtxas(getEmitError())));
  EXPECT_TRUE(
      hasError("cannot find ptxas, which is needed for machine code (PTX and LLVM IR do without); tried " + home +
               "/bin/ptxas (CUDA_HOME), the directories in PATH, " + options.usualRoot +
               "/bin/ptxas (the usual place); install the CUDA Toolkit, or set CUDA_HOME to its root or NAG_PTXAS "
               "to the file"))
      << errors;
  errors.clear();
  EXPECT_TRUE(failed(Toolkit(options).findLibdevice("the function __nv_expf", getEmitError())));
  EXPECT_TRUE(hasError("cannot find libdevice.10.bc, which is needed for the function __nv_expf; tried " + home))
      << errors;
  EXPECT_TRUE(hasError("or NAG_LIBDEVICE to the file")) << errors;
}

TEST_F(ToolkitTest, AnOverrideThatIsNoUseIsAnError) {
  ScopedEnvironment named({{"NAG_PTXAS", "/nonexistent/ptxas"}});
  EXPECT_TRUE(failed(Toolkit().findPtxas(getEmitError())));
  EXPECT_TRUE(hasError("ptxas '/nonexistent/ptxas', given by the environment variable NAG_PTXAS, does not exist"))
      << errors;
}

TEST_F(ToolkitTest, MissingLibdeviceIsSaidByNameAndOnlyWhenNeeded) {
  CudaOptions options;
  options.chip = "sm_90";
  options.toolkit.libdevice = directory.getPath("none.bc");
  EXPECT_TRUE(failed(compile(makeRowKernelWithExp(), options)));
  EXPECT_TRUE(hasError("libdevice.10.bc '" + options.toolkit.libdevice + "'")) << errors;
  options.toolkit = {};
  options.toolkit.root = directory.getPath("nowhere");
  errors.clear();
  EXPECT_TRUE(failed(compile(makeRowKernelWithExp(), options)));
  EXPECT_TRUE(hasError("cannot find libdevice.10.bc, which is needed for the function __nv_expf")) << errors;

  // Neither libdevice nor ptxas: a kernel of plain arithmetic compiles to PTX.
  errors.clear();
  std::string plain = makeKernel("%v = memref.load %x[%i] : memref<?xf32>\n%r = math.sqrt %v : f32\n"
                                 "%w = arith.divf %r, %v : f32\nmemref.store %w, %x[%i] : memref<?xf32>");
  FailureOr<CompiledKernels> kernels = compile(plain, options);
  ASSERT_TRUE(succeeded(kernels)) << errors;
  EXPECT_NE(kernels->ptx.find(".maxntid 128"), std::string::npos);
}

TEST_F(ToolkitTest, LibdeviceThatIsNoBitcodeIsAnError) {
  CudaOptions options;
  options.chip = "sm_90";
  options.toolkit.libdevice = directory.addScript("broken.bc", "not bitcode");
  EXPECT_TRUE(failed(compile(makeRowKernelWithExp(), options)));
  EXPECT_TRUE(hasError("broken.bc'")) << errors;
}

TEST_F(ToolkitTest, MissingPtxas) {
  expectFailure(directory.getPath("missing"));
  EXPECT_TRUE(hasError("does not exist")) << errors;
}

TEST_F(ToolkitTest, PtxasThatIsNotExecutable) {
  expectFailure(directory.addScript("ptxas", "exit 0", /*executable=*/false));
  EXPECT_TRUE(hasError("is not executable")) << errors;
}

TEST_F(ToolkitTest, PtxasThatIsADirectory) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(directory.getPath("ptxas")));
  expectFailure(directory.getPath("ptxas"));
  EXPECT_TRUE(hasError("is not a file")) << errors;
}

TEST_F(ToolkitTest, PtxasThatFailsAndSaysWhy) {
  expectFailure(directory.addScript("ptxas", "echo 'ptxas fatal   : bad weather' >&2; exit 255"));
  EXPECT_TRUE(hasError("failed with exit code 255; it printed:\nptxas fatal   : bad weather")) << errors;
}

TEST_F(ToolkitTest, PtxasThatFailsSilently) {
  expectFailure(directory.addScript("ptxas", "exit 1"));
  EXPECT_TRUE(hasError("failed with exit code 1; it printed nothing")) << errors;
}

TEST_F(ToolkitTest, PtxasThatIsKilled) {
  expectFailure(directory.addScript("ptxas", "kill -SEGV $$"));
  EXPECT_TRUE(hasError("was killed by a signal: Segmentation fault")) << errors;
}

TEST_F(ToolkitTest, PtxasThatHangsIsKilledWithItsChildren) {
  std::string ptxas = directory.addScript("ptxas", "sleep 300 & echo $! > \"$(dirname \"$0\")/child\"; wait");
  auto start = std::chrono::steady_clock::now();
  expectFailure(ptxas, std::chrono::milliseconds(500));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_TRUE(hasError("did not finish within 0.5 s and was killed")) << errors;
  FailureOr<std::string> child = readFile(directory.getPath("child"), getEmitError());
  ASSERT_TRUE(succeeded(child)) << errors;
  pid_t pid = std::stoi(*child);
  // Whoever inherits the orphan may take a moment to collect it; a zombie has no command line.
  bool gone = false;
  for (int i = 0; i < 100 && !gone; ++i) {
    gone =
        ::kill(pid, 0) != 0 || readFile("/proc/" + std::to_string(pid) + "/cmdline", getEmitError()).value_or("") == "";
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(gone);
}

TEST_F(ToolkitTest, PtxasThatIsNoProgram) {
  std::string file = directory.addScript("ptxas", "");
  ASSERT_TRUE(succeeded(writeFile(file, "\x7f", getEmitError())));
  expectFailure(file);
  EXPECT_TRUE(hasError("start")) << errors;
}

TEST_F(ToolkitTest, PtxasThatWritesNothing) {
  expectFailure(directory.addScript("ptxas", "exit 0"));
  // It is the tool's fault, and the error must say so.
  EXPECT_TRUE(hasError("succeeded but wrote no")) << errors;
}

TEST_F(ToolkitTest, TemporaryFilesAreRemoved) {
  std::string temporary = directory.getPath("temporary");
  ASSERT_FALSE(llvm::sys::fs::create_directories(temporary));
  ScopedEnvironment tmp({{"TMPDIR", temporary.c_str()}});
  expectFailure(directory.addScript("ptxas", "exit 1"));
  std::error_code error;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(temporary, error), llvm::sys::fs::directory_iterator());
}

TEST_F(ToolkitTest, TemporaryDirectoryThatIsMissing) {
  std::string missing = directory.getPath("missing");
  ScopedEnvironment tmp({{"TMPDIR", missing.c_str()}});
  ToolkitOptions options;
  options.ptxas = directory.addScript("ptxas", "exit 0");
  EXPECT_TRUE(failed(assemble("", getChips()[0], Toolkit(options), getEmitError())));
  EXPECT_TRUE(
      hasError("cannot create a temporary directory in '" + missing + "': No such file or directory; set TMPDIR"))
      << errors;
}
} // namespace
