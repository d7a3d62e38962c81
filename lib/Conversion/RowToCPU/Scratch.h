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

#include <optional>

namespace nag::row {

/// Which row vectors of a kernel are kept from the round that computes them to later ones, and in which buffers.
class Scratch {
public:
  /// `width` is that of a buffer, in elements.
  Scratch(KernelPlan &plan, int64_t width);

  /// The element types of the buffers.
  llvm::ArrayRef<mlir::Type> getBuffers() const { return buffers; }

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

  llvm::MapVector<mlir::Operation *, Span> kept;
  llvm::SmallVector<mlir::Type> buffers;
};

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOCPU_SCRATCH_H
