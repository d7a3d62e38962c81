//===- two_sublayers.mlir - Attention's update, then the MLP's ------------------------------------------*- mlir -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Two sub-layers of one transformer layer, one after the other, in lane form. In a network the second branch is computed
// from D1 between the two updates; here both branches come in, so that the file runs by itself.
//
// Both walk the same rows, so they become one kernel, and D1 and s1 never leave its registers. With --no-fuse every
// operation is a kernel of its own: then D1 and s1 go into the workspace, whose size the caller asks for
// (layer_workspace_size) and provides. A compiled entry allocates nothing.
//
// The stream is f32 and the branches are bf16: a stream may be wider than what is added to it. `tol` is the guard of
// a live row: rms(P) <= tol rms(f) is taken for rounding noise. Its default is 2^-20.
//
//   nag-run examples/two_sublayers.mlir --dim=0=4 --dim=1=16 --check
//   nagc examples/two_sublayers.mlir --target=cuda --emit=none --report

func.func @layer(
    %D:      tensor<?x?x768xf32>  {nag.name = "D"},        // [batch, sequence, d]: any leading dimensions are tokens
    %s:      tensor<?x?xf32>      {nag.name = "s"},
    %f_attn: tensor<?x?x768xbf16> {nag.name = "f_attn"},   // what attention computed
    %f_mlp:  tensor<?x?x768xbf16> {nag.name = "f_mlp"},    // what the MLP computed
    // Parameters of the first sub-layer, number l of the network: alpha starts as l^-0.5 (eq. 23-24).
    %alpha_attn: tensor<f32> {nag.name = "alpha_attn"}, %beta_attn: tensor<f32> {nag.name = "beta_attn"},
    %w_attn: tensor<8x768xbf16> {nag.name = "w_attn"}, %b_attn: tensor<8xf32> {nag.name = "b_attn"},
    %logits_attn: tensor<8xf32> {nag.name = "logits_attn"},
    // Parameters of the second one, number l + 1.
    %alpha_mlp: tensor<f32> {nag.name = "alpha_mlp"}, %beta_mlp: tensor<f32> {nag.name = "beta_mlp"},
    %w_mlp: tensor<8x768xbf16> {nag.name = "w_mlp"}, %b_mlp: tensor<8xf32> {nag.name = "b_mlp"},
    %logits_mlp: tensor<8xf32> {nag.name = "logits_mlp"}
) -> (tensor<?x?x768xf32> {nag.name = "D_new"}, tensor<?x?xf32> {nag.name = "s_new"}) {
  %D1, %s1, %m1 = nag.update %D, %s branch %f_attn alpha %alpha_attn
        modulator(%beta_attn, %w_attn, %b_attn, %logits_attn) {tol = 1.0e-6 : f64}
      : (tensor<?x?x768xf32>, tensor<?x?xf32>, tensor<?x?x768xbf16>, tensor<f32>, tensor<f32>, tensor<8x768xbf16>,
         tensor<8xf32>, tensor<8xf32>) -> (tensor<?x?x768xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
  %D2, %s2, %m2 = nag.update %D1, %s1 branch %f_mlp alpha %alpha_mlp
        modulator(%beta_mlp, %w_mlp, %b_mlp, %logits_mlp) {tol = 1.0e-6 : f64}
      : (tensor<?x?x768xf32>, tensor<?x?xf32>, tensor<?x?x768xbf16>, tensor<f32>, tensor<f32>, tensor<8x768xbf16>,
         tensor<8xf32>, tensor<8xf32>) -> (tensor<?x?x768xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
  return %D2, %s2 : tensor<?x?x768xf32>, tensor<?x?xf32>
}
