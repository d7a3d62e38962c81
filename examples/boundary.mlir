//===- boundary.mlir - From one sub-layer to the next --------------------------------------------------*- mlir -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// What lies between the branch of sub-layer l and that of sub-layer l + 1, in lane form: the update that ends l, and the
// modulator that says how far l + 1 will turn (and whether it is worth running for a token at all). The direction D' is
// the input of the next branch as it is. Read lanes.mlir first.
//
// Both operations walk the same rows, so they become one kernel: it reads D and f, writes D', and computes the modulator
// from the D' that it has at hand, as it was rounded. Three rows move for each token; the fused add and RMSNorm of an
// ordinary transformer moves four.
//
//   nag-run examples/boundary.mlir --rows=64 --check
//   nagc examples/boundary.mlir --target=cuda --emit=none --report

func.func @boundary(
    %D:      tensor<?x4096xbf16> {nag.name = "D"},        // the direction of each token
    %s:      tensor<?xf32>       {nag.name = "s"},        // the log-norm of each token
    %f:      tensor<?x4096xbf16> {nag.name = "f"},        // what the branch of sub-layer l gave
    %m:      tensor<?xf32>       {nag.name = "m"},        // its modulator, from the boundary before
    %alpha:  tensor<f32>         {nag.name = "alpha"},    // of sub-layer l
    %beta:   tensor<f32>         {nag.name = "beta"},     // of sub-layer l + 1, as are the following
    %w:      tensor<8x4096xbf16> {nag.name = "w"},
    %b:      tensor<8xf32>       {nag.name = "b"},
    %logits: tensor<8xf32>       {nag.name = "logits"}
) -> (tensor<?x4096xbf16> {nag.name = "D_new"}, tensor<?xf32> {nag.name = "s_new"}, tensor<?xf32> {nag.name = "m_new"}) {
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha modulated_by %m
      : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xbf16>, tensor<f32>, tensor<?xf32>)
      -> (tensor<?x4096xbf16>, tensor<?xf32>)
  %m1 = nag.modulate %D1 by(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %D1, %s1, %m1 : tensor<?x4096xbf16>, tensor<?xf32>, tensor<?xf32>
}
