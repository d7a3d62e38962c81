//===- residual.mlir - One sub-layer update, residual form ----------------------------------------------*- mlir -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// What a sub-layer of a norm-agnostic (NAG) transformer does with the residual stream, as one kernel.
// Equation numbers are those of arXiv:2606.16112.
//
// A transformer keeps a residual stream: for each token a row R of d numbers (here d = 4096). A sub-layer (attention or
// MLP) computes a branch f from it and adds f to the stream. The stream grows with depth, so late layers matter less
// and less. A NAG sub-layer turns the row instead, by a bounded amount, and keeps its length apart:
//
//   D   = R / rms(R)                                the direction of the row, rms(x) = sqrt(mean(x^2))      (eq. 3-5)
//   f   = F(D)                                      the branch: computed elsewhere, comes in as a tensor
//   f_c = f - mean(f)                               centre
//   P   = f_c - (<f_c, D> / <D, D>) D               what of it is orthogonal to the direction               (eq. 10-11)
//   u   = P / rms(P)                                ... made as long as the direction                       (eq. 12)
//   m   = (sum_i p_i sigmoid(<D, w_i> + b_i))^beta  the modulator, p = softmax(logits), i < C               (eq. 13)
//   R'  = R + rms(R) alpha m u                      turn R towards u                                        (eq. 14)
//
// Rows whose P is nothing but rounding noise pass unchanged.
//
// Run it on this machine against the float64 reference, and look at the GPU code:
//
//   nag-run examples/residual.mlir --rows=64 --check
//   nagc examples/residual.mlir --emit=ptx --chip=sm_90
//
// `nag.name` gives an argument or a result its name in C headers and on command lines.

func.func @update(
    %R:      tensor<?x4096xbf16> {nag.name = "R"},        // the stream: any number of tokens, rows of 4,096
    %f:      tensor<?x4096xbf16> {nag.name = "f"},        // the branch's output for each token
    %alpha:  tensor<f32>         {nag.name = "alpha"},    // how far to turn at most; a learnt number of the sub-layer
    %beta:   tensor<f32>         {nag.name = "beta"},     // exponent of the modulator; learnt
    %w:      tensor<8x4096xbf16> {nag.name = "w"},        // C = 8 rows that the direction is compared with; learnt
    %b:      tensor<8xf32>       {nag.name = "b"},        // their biases; learnt
    %logits: tensor<8xf32>       {nag.name = "logits"}    // how much each of the 8 counts, before the softmax; learnt
) -> (tensor<?x4096xbf16> {nag.name = "R_new"}, tensor<?xf32> {nag.name = "m"}) {
  // All of the above in one operation: R is read once, f is read once, R' is written once.
  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>,
         tensor<8xf32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
  // The new stream, and the modulator of each token: how much this sub-layer had to say about it.
  return %R1, %m : tensor<?x4096xbf16>, tensor<?xf32>
}
