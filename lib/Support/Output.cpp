//===- Output.cpp - Writing a file whole or not at all ------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Writes products to files, devices and the standard output.

#include "nag/Support/Output.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace nag;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static llvm::Error cannotWrite(llvm::StringRef name, std::error_code code) {
  return llvm::createStringError("cannot write '" + name + "': " + code.message());
}

static llvm::Error makeLastError(llvm::StringRef name) {
  return cannotWrite(name, std::error_code(errno, std::generic_category()));
}

/// Writes all of `contents` and closes. A raw_fd_ostream would end the process on an error that nobody asks about.
static std::error_code writeAll(int descriptor, llvm::StringRef contents) {
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/false, /*unbuffered=*/true);
  stream << contents;
  std::error_code code = stream.error();
  stream.clear_error();
  return code;
}

llvm::Error nag::checkOutput(llvm::StringRef name) {
  if (name == "-")
    return llvm::Error::success();
  if (name.empty())
    return llvm::createStringError("cannot write to a file without a name");
  fs::file_status status;
  std::error_code code = fs::status(name, status);
  if (!code && status.type() == fs::file_type::directory_file)
    return llvm::createStringError("cannot write '" + name + "': it is a directory");
  if (!code && fs::exists(status)) {
    if (::access(name.str().c_str(), W_OK) != 0)
      return makeLastError(name);
    return llvm::Error::success();
  }
  if (code && code != std::errc::no_such_file_or_directory)
    return cannotWrite(name, code);
  llvm::StringRef directory = path::parent_path(name);
  if (directory.empty())
    directory = ".";
  if (path::filename(name) == "." || name.ends_with("/") || !fs::is_directory(directory))
    return llvm::createStringError("cannot write '" + name + "': there is no directory '" +
                                   (name.ends_with("/") ? name.drop_back() : directory) + "'");
  if (::access(directory.str().c_str(), W_OK) != 0)
    return makeLastError(name);
  return llvm::Error::success();
}

llvm::Error nag::writeOutput(llvm::StringRef name, llvm::StringRef contents, bool executable) {
  if (name == "-") {
    llvm::outs().flush();
    if (std::error_code code = writeAll(STDOUT_FILENO, contents))
      return cannotWrite("standard output", code);
    return llvm::Error::success();
  }
  if (llvm::Error error = checkOutput(name))
    return error;

  // What a link leads to is replaced, not the link.
  llvm::SmallString<256> place(name);
  if (fs::exists(name))
    if (std::error_code code = fs::real_path(name, place))
      return cannotWrite(name, code);
  if (fs::exists(place) && !fs::is_regular_file(place)) {
    int descriptor;
    if (std::error_code code = fs::openFileForWrite(place, descriptor, fs::CD_OpenExisting))
      return cannotWrite(name, code);
    std::error_code code = writeAll(descriptor, contents);
    if (std::error_code closed = llvm::sys::Process::SafelyCloseFileDescriptor(descriptor); !code)
      code = closed;
    return code ? cannotWrite(name, code) : llvm::Error::success();
  }

  // A short name, so that it is not too long where the file's own is just short enough.
  llvm::SmallString<256> model(path::parent_path(place)), temporary;
  path::append(model, ".nag-%%%%%%%%");
  int descriptor;
  unsigned mode = fs::all_read | fs::all_write | (executable ? fs::all_exe : 0);
  if (std::error_code code = fs::createUniqueFile(model, descriptor, temporary, fs::OF_None, mode))
    return cannotWrite(name, code);
  llvm::scope_exit removeTemporary([&] { fs::remove(temporary); });
  std::error_code code = writeAll(descriptor, contents);
  if (std::error_code closed = llvm::sys::Process::SafelyCloseFileDescriptor(descriptor); !code)
    code = closed;
  if (!code)
    code = fs::rename(temporary, place);
  if (code)
    return cannotWrite(name, code);
  removeTemporary.release();
  return llvm::Error::success();
}
