//===- Toolkit.h - Where the CUDA Toolkit is ----------------------------------------------*- C++ -*-===//
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

#ifndef NAG_TARGET_CUDA_TOOLKIT_H
#define NAG_TARGET_CUDA_TOOLKIT_H

#include "mlir/Support/LLVM.h"
#include "nag/Target/CUDA/Chips.h"
#include <chrono>
#include <string>

namespace nag {

/// What the user said about the toolkit. An empty path means: look for it.
struct ToolkitOptions {
  /// The root of the toolkit, above bin/ and nvvm/.
  std::string root;
  /// The root that is tried last, where installers put it.
  std::string usualRoot = "/usr/local/cuda";
  std::string ptxas;
  std::string fatbinary;
  std::string libdevice;
  /// How long a tool may run before it is killed.
  std::chrono::milliseconds timeout = std::chrono::seconds(120);
};

/// Looks for a part of the toolkit when it is asked for and not before, so that what needs no toolkit works without
/// one.
///
/// The order: the path in the options, then the environment (NAG_PTXAS, NAG_FATBINARY, NAG_LIBDEVICE), then a root in
/// the options; without one CUDA_HOME, CUDA_PATH, PATH, the usual root. A path of the first two kinds names one file:
/// if that is no use, it is an error, and nothing else is tried.
class Toolkit {
public:
  explicit Toolkit(ToolkitOptions options = {}) : options(std::move(options)) {}

  mlir::FailureOr<std::string> findPtxas(EmitError emitError) const;
  mlir::FailureOr<std::string> findFatbinary(EmitError emitError) const;
  /// `reason` is what the library is needed for; it becomes part of the error.
  mlir::FailureOr<std::string> findLibdevice(llvm::StringRef reason, EmitError emitError) const;

  std::chrono::milliseconds getTimeout() const { return options.timeout; }

private:
  ToolkitOptions options;
};

} // namespace nag

#endif // NAG_TARGET_CUDA_TOOLKIT_H
