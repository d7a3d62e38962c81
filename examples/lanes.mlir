//===- lanes.mlir - One sub-layer update, lane form -----------------------------------------------------*- mlir -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The update of residual.mlir for a stream that is kept as two lanes: the direction D of each row, and the logarithm s
// of its norm. Equation numbers are those of arXiv:2606.16112; read residual.mlir first for f_c, P, u and m.
//
//   R = exp(s) D,  rms(D) = 1
//   a  = alpha m
//   D' = (D + a u) / sqrt(1 + a^2)                                                                          (eq. 16)
//   s' = s + log1p(a^2) / 2                                                                                 (eq. 17)
//
// Both forms are equal in exact arithmetic. In this one the stream never overflows, however deep the network, and D' is
// what the next sub-layer takes as its input: no separate normalisation reads the row again.
//
//   nag-run examples/lanes.mlir --rows=64 --check
//   nagc examples/lanes.mlir --emit=ptx --chip=sm_90

func.func @update(
    %D:      tensor<?x4096xbf16> {nag.name = "D"},        // the direction of each token
    %s:      tensor<?xf32>       {nag.name = "s"},        // the log-norm of each token
    %f:      tensor<?x4096xbf16> {nag.name = "f"},        // the branch's output for each token
    %alpha:  tensor<f32>         {nag.name = "alpha"},    // how far to turn at most; a learnt number of the sub-layer
    %beta:   tensor<f32>         {nag.name = "beta"},     // exponent of the modulator; learnt
    %w:      tensor<8x4096xbf16> {nag.name = "w"},        // C = 8 rows that the direction is compared with; learnt
    %b:      tensor<8xf32>       {nag.name = "b"},        // their biases; learnt
    %logits: tensor<8xf32>       {nag.name = "logits"}    // how much each of the 8 counts, before the softmax; learnt
) -> (tensor<?x4096xbf16> {nag.name = "D_new"}, tensor<?xf32> {nag.name = "s_new"}, tensor<?xf32> {nag.name = "m"}) {
  // Two values before `branch` make it the lane form.
  %D1, %s1, %m = nag.update %D, %s branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xbf16>, tensor<f32>, tensor<f32>, tensor<8x4096xbf16>,
         tensor<8xf32>, tensor<8xf32>) -> (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?xf32>)
  return %D1, %s1, %m : tensor<?x4096xbf16>, tensor<?xf32>, tensor<?xf32>
}
