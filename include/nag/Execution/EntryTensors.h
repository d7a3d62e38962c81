//===- EntryTensors.h - The tensors that an entry is run on ---------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Makes the inputs of an entry from files and random numbers, and room for its results.

#ifndef NAG_EXECUTION_ENTRYTENSORS_H
#define NAG_EXECUTION_ENTRYTENSORS_H

#include "nag/Execution/Arguments.h"

#include "nag/Support/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>

namespace nag {

/// What the user asks for, as written on the command line.
struct TensorRequest {
  /// N=FILE, N=DISTRIBUTION, DIM=SIZE; N is an index or the argument's `nag.name`.
  std::vector<std::string> files, distributions, dims;
  /// The size of dynamic dimension 0.
  std::optional<int64_t> rows;
  uint64_t seed = 0;
  /// The layout of row arguments and row results.
  HostLayout layout;
  /// N=OFFSET:PAD for single arguments, and for single results, rows or not.
  std::vector<std::string> layouts, resultLayouts;
};

/// Splits N=TEXT; N is an index below `count`, or the name of an argument (of a result, with `results`).
llvm::Expected<std::pair<unsigned, std::string>> parseIndexed(mlir::func::FuncOp function, llvm::StringRef text,
                                                              llvm::StringRef flag, bool results);

llvm::Expected<std::vector<HostTensor>> makeInputs(mlir::func::FuncOp function, const TensorRequest &request);

/// Room for the results, whose shapes follow from the inputs'. The message of an error is empty where diagnostics have
/// told it.
llvm::Expected<std::vector<HostTensor>> makeOutputs(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> inputs,
                                                    const TensorRequest &request);

} // namespace nag

#endif // NAG_EXECUTION_ENTRYTENSORS_H
