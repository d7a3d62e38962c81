//===- Toolkit.cpp - Where the CUDA Toolkit is --------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Finds the parts of the CUDA Toolkit that the compiler uses: ptxas, fatbinary, libdevice.
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Target/CUDA/Toolkit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace nag;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// One file of the toolkit and the ways to it.
struct Part {
  StringRef name;
  /// Where it lies below the toolkit's root.
  StringRef relativePath;
  bool executable;
  StringRef option;
  StringRef environmentVariable;
};

/// The search for one part; keeps account of where it looked.
class Search {
public:
  Search(const Part &part, const ToolkitOptions &options, StringRef reason, EmitError emitError)
      : part(part), options(options), reason(reason), emitError(emitError) {}

  FailureOr<std::string> run(StringRef explicitPath);

private:
  bool isUsable(const Twine &file) const {
    // A directory can be "executable", so it is not enough to ask for that.
    return fs::is_regular_file(file) && (part.executable ? fs::can_execute(file) : fs::exists(file));
  }
  FailureOr<std::string> takeExactly(StringRef file, const Twine &origin) const;
  std::optional<std::string> tryRoot(StringRef root, const Twine &origin);
  std::optional<std::string> tryPath();

  const Part &part;
  const ToolkitOptions &options;
  StringRef reason;
  EmitError emitError;
  SmallVector<std::string> tried;
};

} // namespace

FailureOr<std::string> Search::takeExactly(StringRef file, const Twine &origin) const {
  if (isUsable(file))
    return file.str();
  StringRef problem = !fs::exists(file)            ? "does not exist"
                      : !fs::is_regular_file(file) ? "is not a file"
                                                   : "is not executable";
  return emitError() << part.name << " '" << file << "', given by " << origin.str() << ", " << problem;
}

std::optional<std::string> Search::tryRoot(StringRef root, const Twine &origin) {
  SmallString<128> file(root);
  path::append(file, part.relativePath);
  if (isUsable(file))
    return file.str().str();
  tried.push_back((file + " (" + origin + ")").str());
  return std::nullopt;
}

/// Looks through PATH, for the tool itself, or for the root above the ptxas that is found there.
std::optional<std::string> Search::tryPath() {
  std::string list = llvm::sys::Process::GetEnv("PATH").value_or("");
  SmallVector<StringRef> directories;
  StringRef(list).split(directories, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (part.executable) {
    for (StringRef directory : directories) {
      SmallString<128> file(directory);
      path::append(file, part.name);
      if (isUsable(file))
        return file.str().str();
    }
    tried.push_back("the directories in PATH");
    return std::nullopt;
  }
  for (StringRef directory : directories) {
    SmallString<128> file(directory), real;
    path::append(file, "ptxas");
    // Distributions put links into /usr/bin; the toolkit is where they lead.
    if (fs::can_execute(file) && !fs::real_path(file, real))
      if (auto found = tryRoot(path::parent_path(path::parent_path(real)), "above the ptxas in PATH"))
        return found;
  }
  return std::nullopt;
}

FailureOr<std::string> Search::run(StringRef explicitPath) {
  if (!explicitPath.empty())
    return takeExactly(explicitPath, part.option);
  if (auto value = llvm::sys::Process::GetEnv(part.environmentVariable); value && !value->empty())
    return takeExactly(*value, "the environment variable " + part.environmentVariable);
  if (!options.root.empty()) {
    if (auto found = tryRoot(options.root, "the given toolkit"))
      return *found;
  } else {
    for (StringRef variable : {"CUDA_HOME", "CUDA_PATH"})
      if (auto value = llvm::sys::Process::GetEnv(variable); value && !value->empty())
        if (auto found = tryRoot(*value, variable))
          return *found;
    if (auto found = tryPath())
      return *found;
    if (auto found = tryRoot(options.usualRoot, "the usual place"))
      return *found;
  }
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "cannot find " << part.name;
  if (!reason.empty())
    diagnostic << ", which is needed for " << reason;
  return diagnostic << "; tried " << llvm::join(tried, ", ")
                    << "; install the CUDA Toolkit, or set CUDA_HOME to its root or " << part.environmentVariable
                    << " to the file";
}

FailureOr<std::string> Toolkit::findPtxas(EmitError emitError) const {
  static constexpr Part part{"ptxas", "bin/ptxas", /*executable=*/true, "the option for ptxas", "NAG_PTXAS"};
  return Search(part, options, "machine code (PTX and LLVM IR do without)", emitError).run(options.ptxas);
}

FailureOr<std::string> Toolkit::findFatbinary(EmitError emitError) const {
  static constexpr Part part{"fatbinary", "bin/fatbinary", /*executable=*/true, "the option for fatbinary",
                             "NAG_FATBINARY"};
  return Search(part, options, "fat binaries", emitError).run(options.fatbinary);
}

FailureOr<std::string> Toolkit::findLibdevice(StringRef reason, EmitError emitError) const {
  static constexpr Part part{"libdevice.10.bc", "nvvm/libdevice/libdevice.10.bc", /*executable=*/false,
                             "the option for libdevice", "NAG_LIBDEVICE"};
  return Search(part, options, reason, emitError).run(options.libdevice);
}
