//===- nag-opt.cpp - Every pass and pipeline of this project, as mlir-opt has it ----------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  nag::registerAllDialects(registry);
  nag::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "NAG optimizer driver\n", registry));
}
