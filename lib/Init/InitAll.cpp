//===- InitAll.cpp - Everything of this project in one call each --------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/InitAll.h"

#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Nag/IR/NagDialect.h"
#include "nag/Dialect/Nag/Transforms/Passes.h"
#include "nag/Dialect/Row/IR/RowDialect.h"
#include "nag/Dialect/Row/Transforms/Passes.h"
#include "nag/Pipelines/Pipelines.h"
#include "nag/Target/CPU/Register.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void nag::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<NagDialect, row::RowDialect>();
  row::registerBufferizableOpInterfaceExternalModels(registry);
  registerCpuTarget(registry);
}

void nag::registerAllPasses() {
  mlir::registerAllPasses();
  registerNagTransformsPasses();
  registerNagConversionPasses();
  row::registerRowTransformsPasses();
  registerCpuPasses();
  registerPipelines();
}
