//===- LanesOfSplit.cpp - Which lanes are known to be normalised --------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LanesOfSplit.h"

#include "nag/Dialect/Nag/IR/NagDialect.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace nag;

/// Whether `rotate` turns towards a unit row that is orthogonal to its stream, as far as the operations tell.
static bool turnsTowardsUnit(RotateOp rotate) {
  auto scale = rotate.getUnit().getDefiningOp<ScaleOp>();
  auto orthogonalize = scale ? scale.getOrthogonal().getDefiningOp<OrthogonalizeOp>() : OrthogonalizeOp();
  return orthogonalize && orthogonalize.getDirection() == rotate.getStream();
}

bool nag::areLanesOfSplit(Value direction, Value logNorm) {
  // Where a region is a graph, an update may be its own stream.
  SmallPtrSet<Operation *, 8> seen;
  while (Operation *op = direction.getDefiningOp()) {
    if (!seen.insert(op).second)
      return false;
    if (auto split = dyn_cast<SplitOp>(op))
      return direction == split.getDirection() && logNorm == split.getLogNorm();
    if (auto update = dyn_cast<UpdateOp>(op);
        update && update.isLaneForm() && direction == update.getUpdated() && logNorm == update.getUpdatedLogNorm()) {
      direction = update.getStream();
      logNorm = update.getLogNorm();
      continue;
    }
    if (auto rotate = dyn_cast<RotateOp>(op); rotate && rotate.getLogNorm() && direction == rotate.getRotated() &&
                                              logNorm == rotate.getRotatedLogNorm() && turnsTowardsUnit(rotate)) {
      direction = rotate.getStream();
      logNorm = rotate.getLogNorm();
      continue;
    }
    return false;
  }
  return false;
}
