//===- RunTool.cpp - Running a program of the toolkit -------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Runs an external program on temporary files, without a shell, under a time limit, and says what became of it.
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Target/CUDA/RunTool.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <thread>

using namespace mlir;
using namespace nag;
namespace fs = llvm::sys::fs;

FailureOr<std::unique_ptr<TempDirectory>> TempDirectory::create(EmitError emitError) {
  SmallString<128> parent, path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  // The tools may not share our idea of the working directory's meaning in a relative TMPDIR.
  if (std::error_code error = fs::make_absolute(parent))
    return emitError() << "cannot make '" << parent << "' an absolute path: " << error.message();
  SmallString<128> prefix = parent;
  llvm::sys::path::append(prefix, "nag");
  if (std::error_code error = fs::createUniqueDirectory(prefix, path))
    return emitError() << "cannot create a temporary directory in '" << parent << "': " << error.message()
                       << "; set TMPDIR to a directory that can be written to";
  return std::unique_ptr<TempDirectory>(new TempDirectory(path.str().str()));
}

TempDirectory::~TempDirectory() { (void)fs::remove_directories(path, /*IgnoreErrors=*/true); }

std::string TempDirectory::getPath(StringRef fileName) const {
  SmallString<128> result(path);
  llvm::sys::path::append(result, fileName);
  return result.str().str();
}

LogicalResult nag::writeFile(StringRef path, StringRef contents, EmitError emitError) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, fs::OF_None);
  if (!error) {
    stream << contents;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return emitError() << "cannot write '" << path << "': " << error.message();
  return success();
}

FailureOr<std::string> nag::readFile(StringRef path, EmitError emitError) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError() << "cannot read '" << path << "': " << buffer.getError().message();
  return (*buffer)->getBuffer().str();
}

/// Waits for the process, or kills it and its children when the time is up. LLVM's own time limit works with alarm(),
/// which belongs to the whole process and so serves only one thread.
static std::optional<int> waitFor(const llvm::sys::ProcessInfo &process, std::chrono::milliseconds timeout,
                                  std::string &message) {
  auto deadline = std::chrono::steady_clock::now() + timeout;
  auto pause = std::chrono::milliseconds(1);
  while (true) {
    llvm::sys::ProcessInfo state = llvm::sys::Wait(process, /*SecondsToWait=*/0, &message);
    if (state.Pid != 0)
      return state.ReturnCode;
    if (std::chrono::steady_clock::now() >= deadline)
      break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(8));
  }
  // The tool was started as the leader of its own process group.
  if (::kill(-process.Pid, SIGKILL) != 0)
    ::kill(process.Pid, SIGKILL);
  llvm::sys::Wait(process, /*SecondsToWait=*/std::nullopt, &message);
  return std::nullopt;
}

FailureOr<std::string> nag::runTool(StringRef program, ArrayRef<std::string> arguments,
                                    std::chrono::milliseconds timeout, const TempDirectory &scratch,
                                    EmitError emitError) {
  SmallVector<StringRef> argv{program};
  argv.append(arguments.begin(), arguments.end());
  std::string output = scratch.getPath("output.txt");
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(output), StringRef(output)};
  std::string message;
  bool notStarted = false;
  llvm::sys::ProcessInfo process =
      llvm::sys::ExecuteNoWait(program, argv, /*Env=*/std::nullopt, redirects, /*MemoryLimit=*/0, &message, &notStarted,
                               /*AffinityMask=*/nullptr, /*DetachProcess=*/true);
  if (notStarted)
    return emitError() << "cannot start '" << program << "': " << message;

  std::optional<int> code = waitFor(process, timeout, message);
  if (code == 0)
    return readFile(output, emitError);

  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "'" << program << "' ";
  if (!code)
    diagnostic << "did not finish within " << llvm::formatv("{0:f1}", timeout.count() / 1000.0).str()
               << " s and was killed";
  else if (*code == -1)
    diagnostic << "could not be started: " << message;
  else if (*code < 0)
    diagnostic << "was killed by a signal: " << message;
  else
    diagnostic << "failed with exit code " << *code;
  auto text = llvm::MemoryBuffer::getFile(output);
  StringRef printed = text ? (*text)->getBuffer().trim() : StringRef();
  if (printed.empty())
    diagnostic << "; it printed nothing";
  else
    diagnostic << "; it printed:\n" << printed;
  return diagnostic;
}
