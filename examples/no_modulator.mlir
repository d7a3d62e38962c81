//===- no_modulator.mlir - The update alone, in both forms ----------------------------------------------*- mlir -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The updates of residual.mlir and lanes.mlir with m = 1: a = alpha for every live row. It moves nearly the same bytes
// without the products with w, so its time is that of the memory; scripts/demo.sh measures it beside a plain copy.
//
// A file may hold several entries: every public function is one. nag-run wants to be told which.
//
//   nag-run examples/no_modulator.mlir --entry=lanes --rows=64 --check

func.func @residual(
    %R:     tensor<?x4096xbf16> {nag.name = "R"},
    %f:     tensor<?x4096xbf16> {nag.name = "f"},
    %alpha: tensor<f32>         {nag.name = "alpha"}
) -> (tensor<?x4096xbf16> {nag.name = "R_new"}) {
  %R1 = nag.update %R branch %f alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>) -> tensor<?x4096xbf16>
  return %R1 : tensor<?x4096xbf16>
}

func.func @lanes(
    %D:     tensor<?x4096xbf16> {nag.name = "D"},
    %s:     tensor<?xf32>       {nag.name = "s"},
    %f:     tensor<?x4096xbf16> {nag.name = "f"},
    %alpha: tensor<f32>         {nag.name = "alpha"}
) -> (tensor<?x4096xbf16> {nag.name = "D_new"}, tensor<?xf32> {nag.name = "s_new"}) {
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xbf16>, tensor<f32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
  return %D1, %s1 : tensor<?x4096xbf16>, tensor<?xf32>
}
