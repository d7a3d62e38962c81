//===- Schedule.h - What a schedule follows from --------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_TRANSFORMS_SCHEDULE_H
#define NAG_DIALECT_ROW_TRANSFORMS_SCHEDULE_H

#include "nag/Dialect/Row/IR/RowDialect.h"

namespace nag::row {

/// On a kernel: contractions may go to tensor cores, in their own order of sums.
inline constexpr llvm::StringLiteral kTensorCoresAttr = "row.tensor_cores";

/// Why the kernel has the schedule that it has, for people: what decides the cost model on a chip whose blocks can have
/// `maxSharedBytes` of shared memory, and whether somebody asked for another one.
std::string explainSchedule(KernelOp kernel, ScheduleAttr schedule, int64_t maxSharedBytes);

/// Whether tensor cores take the contraction: they may, and both operands have the same 16-bit type. The rows of a
/// block then share the table.
bool usesTensorCores(ContractOp contraction);
bool usesTensorCores(KernelOp kernel);

} // namespace nag::row

#endif // NAG_DIALECT_ROW_TRANSFORMS_SCHEDULE_H
