//===- through_lanes.mlir - Residual form that is compiled as lanes ------------------------------------*- mlir -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Two sub-layers written on the residual R, as one would write a transformer; each branch reads the direction of the
// stream. In residual form the first update writes R1 and its direction D1. With --lanes the stream becomes direction and
// log-norm between the first split and the end: D1 is the stream, R1 is not written, and R2 is merged where it leaves.
// In a network, where a branch runs between the two updates, that is three rows moved at the boundary instead of four.
//
// Values change by roundings: the stream is stored as a direction. --check compares with the lane form.
//
//   nag-opt examples/through_lanes.mlir --nag-to-lanes
//   nag-run examples/through_lanes.mlir --lanes --rows=64 --check

func.func @layer(
    %R:      tensor<?x4096xbf16> {nag.name = "R"},
    %f_attn: tensor<?x4096xbf16> {nag.name = "f_attn"},   // what attention computed of D
    %f_mlp:  tensor<?x4096xbf16> {nag.name = "f_mlp"},    // what the MLP computed of D1
    %alpha:  tensor<f32>         {nag.name = "alpha"}
) -> (tensor<?x4096xbf16> {nag.name = "D"}, tensor<?x4096xbf16> {nag.name = "D1"}, tensor<?x4096xbf16> {nag.name = "R2"}) {
  %D, %s = nag.split %R : tensor<?x4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %R1 = nag.update %R branch %f_attn alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>) -> tensor<?x4096xbf16>
  %D1, %s1 = nag.split %R1 : tensor<?x4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %R2 = nag.update %R1 branch %f_mlp alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>) -> tensor<?x4096xbf16>
  return %D, %D1, %R2 : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<?x4096xbf16>
}
