//===- Kernels.h - What nag-bench measures --------------------------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_TOOLS_NAGBENCH_KERNELS_H
#define NAG_TOOLS_NAGBENCH_KERNELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nag {

/// One kernel, as an entry in text.
struct BenchKernel {
  std::string name; ///< Of the kind of kernel, or of the user's entry.
  std::string entry;
  std::string source; ///< MLIR.
  // What it was made of; of a user's entry, unknown: 0 and empty.
  int64_t width = 0, components = 0;
  std::string type;

  /// "update_lanes/d:4096/bf16/C:8"
  std::string getTitle() const;
};

/// The kinds of kernels, and what each is in a few words.
struct KernelKind {
  llvm::StringRef name, summary;
  bool takesComponents; ///< Whether it may have a modulator of C components.
  bool needsComponents; ///< Whether it must.
  std::string (*getBody)(const BenchKernel &kernel);
};
llvm::ArrayRef<KernelKind> getKernelKinds();

/// The kernel of a kind for rows of `width` elements of `type` (f32, bf16, f16 or f64), with `components` rows in w, 0
/// for none.
BenchKernel makeKernel(const KernelKind &kind, int64_t width, llvm::StringRef type, int64_t components);

} // namespace nag

#endif // NAG_TOOLS_NAGBENCH_KERNELS_H
