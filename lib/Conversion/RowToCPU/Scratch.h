//===- Scratch.h - Row vectors that are kept between walks --------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_LIB_CONVERSION_ROWTOCPU_SCRATCH_H
#define NAG_LIB_CONVERSION_ROWTOCPU_SCRATCH_H

#include "nag/Dialect/Row/Transforms/KernelPlan.h"

#include "llvm/ADT/MapVector.h"

#include <functional>
#include <optional>

namespace nag::row {

/// Which row vectors of a kernel are kept from the round that computes them to later ones, and in which buffers.
class Scratch {
public:
  /// For how many tokens at once a vector is kept that is computed in round `first` and read in `last`.
  using CopiesFn = std::function<int64_t(size_t first, size_t last)>;

  /// `width` is that of a row in a buffer, in elements.
  Scratch(KernelPlan &plan, int64_t width, CopiesFn getCopies);

  struct Buffer {
    mlir::Type type;
    int64_t copies;
  };
  llvm::ArrayRef<Buffer> getBuffers() const { return buffers; }

  /// The buffer of `op`, if it is kept.
  std::optional<size_t> getBuffer(mlir::Operation *op) const;
  /// Whether `op` was computed and kept before `round`.
  bool isKeptBefore(mlir::Operation *op, size_t round) const;

private:
  struct Span {
    size_t first, last; ///< The round that computes it, and the last one that reads it.
    size_t buffer = 0;
  };

  /// The rounds in which each vector is computed or read while those in `kept` are kept.
  llvm::MapVector<mlir::Operation *, Span> computeSpans(KernelPlan &plan) const;
  void choose(KernelPlan &plan);
  /// Deals out buffers; false if they are too large together.
  bool assignBuffers(int64_t width);

  CopiesFn getCopies;
  llvm::MapVector<mlir::Operation *, Span> kept;
  llvm::SmallVector<Buffer> buffers;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOCPU_SCRATCH_H
