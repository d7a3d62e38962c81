//===- small_ops.mlir - The update in small operations --------------------------------------------------*- mlir -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// What residual.mlir says with one nag.update, step by step: one operation for one formula. `nag-opt --nag-decompose`
// makes these steps of an update. They are kernels of their own: good to look at what happens in between, slow to run.
//
//   nag-run examples/small_ops.mlir --entry=update --rows=64 --check
//   nag-opt examples/residual.mlir --nag-decompose
//
// @split_and_merge takes a stream apart into lanes and back.

func.func @update(
    %R:      tensor<?x4096xbf16> {nag.name = "R"},
    %f:      tensor<?x4096xbf16> {nag.name = "f"},
    %alpha:  tensor<f32>         {nag.name = "alpha"},
    %beta:   tensor<f32>         {nag.name = "beta"},
    %w:      tensor<8x4096xbf16> {nag.name = "w"},
    %b:      tensor<8xf32>       {nag.name = "b"},
    %logits: tensor<8xf32>       {nag.name = "logits"}
) -> (tensor<?x4096xbf16> {nag.name = "R_new"}, tensor<?xf32> {nag.name = "m"}) {
  // f_c = f - mean(f). What lies between two steps is kept in f32, so that nothing is rounded to bf16 in between.
  %fc = nag.center %f : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // P = f_c - (<f_c, D> / <D, D>) D (eq. 10-11). The length of D cancels: R serves as well.
  %P = nag.orthogonalize %fc against %R : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // u = P / rms(P) (eq. 12), or 0 where P is only rounding noise beside f.
  %u = nag.scale %P relative_to %f : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // m (eq. 13); R is normalised as it is read.
  %m = nag.modulate %R by(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  // R' = R + rms(R) alpha m u (eq. 14).
  %R1 = nag.rotate %R towards %u alpha %alpha modulator %m
      : (tensor<?x4096xbf16>, tensor<?x4096xf32>, tensor<f32>, tensor<?xf32>) -> tensor<?x4096xbf16>
  return %R1, %m : tensor<?x4096xbf16>, tensor<?xf32>
}

func.func @split_and_merge(%R: tensor<?x4096xf32> {nag.name = "R"})
    -> (tensor<?x4096xf32> {nag.name = "D"}, tensor<?xf32> {nag.name = "s"}, tensor<?x4096xf32> {nag.name = "R_new"}) {
  // D = R / rms(R), s = log rms(R) (eq. 3-5), and back: R = exp(s) D.
  %D, %s = nag.split %R : tensor<?x4096xf32> -> tensor<?x4096xf32>, tensor<?xf32>
  %R1 = nag.merge %D, %s : tensor<?x4096xf32>, tensor<?xf32> -> tensor<?x4096xf32>
  return %D, %s, %R1 : tensor<?x4096xf32>, tensor<?xf32>, tensor<?x4096xf32>
}
