//===- Link.cpp - Finding and running a linker --------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Runs a linker found on the machine, without a shell, and publishes its output by one rename.

#include "nag/Target/CPU/Link.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <dlfcn.h>

using namespace nag;

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Path of the shared object that the running process has `address` from, links resolved; empty if unknown.
static std::string libraryOf(const void *address) {
  Dl_info info;
  llvm::SmallString<256> real;
  if (!dladdr(address, &info) || !info.dli_fname || fs::real_path(info.dli_fname, real))
    return "";
  return real.str().str();
}

llvm::Expected<std::string> nag::findOpenMPRuntime(const CpuOptions &options) {
  if (!options.ompLibrary.empty()) {
    if (fs::exists(options.ompLibrary))
      return options.ompLibrary;
    return makeError("the OpenMP runtime '" + options.ompLibrary + "' does not exist");
  }
  // LLVM's own copy lies beside libLLVM.so, or in a prefix next to it.
  llvm::SmallVector<std::string> directories;
  std::string llvmLibrary = libraryOf(reinterpret_cast<const void *>(&llvm::outs));
  if (!llvmLibrary.empty()) {
    std::string directory = path::parent_path(llvmLibrary).str();
    directories.push_back(directory);
    directories.push_back(directory + "/../llvm-" + std::to_string(LLVM_VERSION_MAJOR) + "/lib");
    directories.push_back(directory + "/../lib");
  }
#ifdef NAG_LLVM_LIBRARY_DIR
  directories.push_back(NAG_LLVM_LIBRARY_DIR);
#endif
  const char *names[] = {"libomp.so.5", "libomp.so"};
  for (const std::string &directory : directories)
    for (const char *name : names)
      if (llvm::SmallString<256> candidate(directory); path::append(candidate, name), fs::exists(candidate)) {
        path::remove_dots(candidate, /*remove_dot_dot=*/true);
        return candidate.str().str();
      }
  // Wherever the loader looks.
  for (const char *name : names)
    if (void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL))
      if (void *symbol = dlsym(handle, "__kmpc_fork_call"))
        if (std::string library = libraryOf(symbol); !library.empty())
          return library;
  return makeError("LLVM's OpenMP runtime (libomp.so) was not found beside LLVM (" + llvm::join(directories, ", ") +
                   ") nor by the loader: install libomp-" + std::to_string(LLVM_VERSION_MAJOR) +
                   "-dev, give its path, or compile without OpenMP");
}

/// Path of the linker, and whether it is a compiler driver, which finds the C library by itself.
struct Linker {
  std::string program;
  bool isDriver;
};

static llvm::Expected<Linker> findLinker(llvm::StringRef wanted) {
  auto isDriver = [](llvm::StringRef program) {
    llvm::StringRef name = path::filename(program);
    return !(name == "ld" || name.starts_with("ld.") || name.ends_with("-ld") || name == "lld" ||
             name.starts_with("ld64") || name == "mold");
  };
  if (!wanted.empty()) {
    if (wanted.contains('/')) {
      if (!fs::can_execute(wanted))
        return makeError("the linker '" + wanted + "' does not exist or cannot be executed");
      return Linker{wanted.str(), isDriver(wanted)};
    }
    if (llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(wanted))
      return Linker{*program, isDriver(wanted)};
    return makeError("the linker '" + wanted + "' is not in PATH");
  }
  std::string versioned = "clang-" + std::to_string(LLVM_VERSION_MAJOR);
  std::string versionedLld = "ld.lld-" + std::to_string(LLVM_VERSION_MAJOR);
  llvm::StringRef names[] = {versioned, "clang", "cc", "gcc", "ld.lld", versionedLld, "ld"};
  for (llvm::StringRef name : names)
    if (llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(name))
      return Linker{*program, isDriver(name)};
  return makeError("no linker found in PATH (tried " + llvm::join(llvm::ArrayRef(names), ", ") +
                   "): a shared library needs one; an object does not");
}

/// Whether the object refers to the OpenMP runtime.
static llvm::Expected<bool> usesOpenMP(llvm::StringRef bytes) {
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "object"));
  if (!object)
    return object.takeError();
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->starts_with("__kmpc_") || name->starts_with("omp_"))
      return true;
  }
  return false;
}

/// Runs `arguments` and makes an error of a failure, with what the program printed.
static llvm::Error run(llvm::ArrayRef<std::string> arguments) {
  llvm::SmallString<128> log;
  if (std::error_code code = fs::createTemporaryFile("nag-link", "log", log))
    return makeError("no temporary file for the linker's messages: " + code.message());
  llvm::scope_exit removeLog([&] { fs::remove(log); });
  llvm::SmallVector<llvm::StringRef> references(arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log), llvm::StringRef(log)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(arguments.front(), references, std::nullopt, redirects, /*SecondsToWait=*/300,
                                         /*MemoryLimit=*/0, &message);
  if (status == 0)
    return llvm::Error::success();
  std::string printed;
  if (auto buffer = llvm::MemoryBuffer::getFile(log))
    printed = (*buffer)->getBuffer().trim().str();
  if (message.empty())
    message = status < 0 ? "it crashed or timed out" : "exit code " + std::to_string(status);
  return makeError("the linker '" + arguments.front() + "' failed: " + message +
                   (printed.empty() ? "" : "\n" + printed));
}

static llvm::Error writeFile(llvm::StringRef file, llvm::StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream stream(file, code, fs::OF_None);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    return makeError("cannot write '" + file + "': " + code.message());
  return llvm::Error::success();
}

llvm::Error nag::linkSharedLibrary(llvm::StringRef object, llvm::StringRef output, const CpuOptions &options) {
  llvm::Expected<Linker> linker = findLinker(options.linker);
  if (!linker)
    return linker.takeError();
  llvm::Expected<bool> openmp = usesOpenMP(object);
  if (!openmp)
    return openmp.takeError();

  // Beside its place, so that the rename stays within one file system.
  llvm::SmallString<256> outputPath(output), objectPath, libraryPath;
  if (std::error_code code = fs::make_absolute(outputPath))
    return makeError("cannot find '" + output + "': " + code.message());
  llvm::StringRef directory = path::parent_path(outputPath);
  if (std::error_code code = fs::createTemporaryFile("nag", "o", objectPath))
    return makeError("no temporary file for the object: " + code.message());
  llvm::scope_exit removeObject([&] { fs::remove(objectPath); });
  if (llvm::Error error = writeFile(objectPath, object))
    return error;
  int descriptor;
  if (std::error_code code = fs::createUniqueFile(directory + "/.nag-%%%%%%%%.so", descriptor, libraryPath))
    return makeError("cannot write to '" + directory + "': " + code.message());
  fs::file_t handle = fs::convertFDToNativeFile(descriptor);
  (void)fs::closeFile(handle);
  llvm::scope_exit removeLibrary([&] { fs::remove(libraryPath); });

  std::vector<std::string> arguments = {linker->program, "-shared", "-o", libraryPath.str().str(),
                                        objectPath.str().str()};
  // A driver would split what -Wl is given at the commas of a path.
  auto addLinkerOption = [&](llvm::StringRef name, llvm::StringRef value) {
    for (llvm::StringRef part : {name, value}) {
      if (linker->isDriver)
        arguments.push_back("-Xlinker");
      arguments.push_back(part.str());
    }
  };
  addLinkerOption("-soname", path::filename(outputPath));
  if (*openmp) {
    llvm::Expected<std::string> runtime = findOpenMPRuntime(options);
    if (!runtime)
      return runtime.takeError();
    llvm::SmallString<256> runtimePath(*runtime);
    if (std::error_code code = fs::make_absolute(runtimePath))
      return makeError("cannot find '" + *runtime + "': " + code.message());
    arguments.push_back(runtimePath.str().str());
    addLinkerOption("-rpath", path::parent_path(runtimePath));
  }
  if (linker->isDriver) {
    arguments.insert(arguments.end(), {"-Wl,-z,defs", "-lm"});
  } else {
    // A bare linker does not know where the C library lies; this process does.
    std::string math = libraryOf(reinterpret_cast<const void *>(static_cast<float (*)(float)>(&::expf)));
    std::string c = libraryOf(reinterpret_cast<const void *>(&::memcpy));
    for (const std::string &library : {math, c})
      if (!library.empty())
        arguments.push_back(library);
  }
  if (llvm::Error error = run(arguments))
    return error;

  // createUniqueFile made it for us alone; a library is for everyone.
  if (std::error_code code = fs::setPermissions(libraryPath, static_cast<fs::perms>(0755 & ~fs::getUmask())))
    return makeError("cannot set the permissions of '" + libraryPath.str() + "': " + code.message());
  if (std::error_code code = fs::rename(libraryPath, outputPath))
    return makeError("cannot write '" + output + "': " + code.message());
  removeLibrary.release();
  return llvm::Error::success();
}
