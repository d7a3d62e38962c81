//===- RowWalk.h - A walk over one row, in vectors ----------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// The CPU's order of sums (docs/design/pipeline.md). Changing a constant here changes results.

#ifndef NAG_LIB_CONVERSION_ROWTOCPU_ROWWALK_H
#define NAG_LIB_CONVERSION_ROWTOCPU_ROWWALK_H

#include "nag/Dialect/Row/Transforms/KernelPlan.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nag::row {

/// Elements that one step of a walk takes.
inline constexpr int64_t kLanes = 64;

/// The elements [index, index + 64) of the row; of the last of them only those in `mask`, where that is there.
struct Step {
  mlir::Value index;
  mlir::Value mask;
};

/// The vector that `accumulation` is accumulated in: a lane for each element of a step, or for four of them where these
/// are products of bf16, which are added up in pairs.
mlir::VectorType getAccumulatorType(const Accumulation &accumulation);

/// What an element of the row, and a factor that is no row, are converted to before they are accumulated.
mlir::Type getSummandType(const Accumulation &accumulation);

/// Adds the summands of one step, vectors of 64 elements, to an accumulator; `factor` is null where there is none.
mlir::Value emitAccumulate(mlir::ImplicitLocOpBuilder &b, const Accumulation &accumulation, mlir::Value accumulator,
                           mlir::Value input, mlir::Value factor);

/// Walks over a row of `width` elements: `step` gives the next accumulators from those before. The result is one
/// number for each accumulation. No lane adds more than 64 terms one after the other.
llvm::SmallVector<mlir::Value>
emitWalk(mlir::ImplicitLocOpBuilder &b, int64_t width, llvm::ArrayRef<Accumulation> accumulations,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(const Step &, mlir::ValueRange)> step);

} // namespace nag::row

#endif // NAG_LIB_CONVERSION_ROWTOCPU_ROWWALK_H
