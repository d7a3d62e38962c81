// Operations of the nag dialect are pure: equal ones are one, unused ones go, and constant ones leave loops.

// RUN: nag-opt %s -cse | FileCheck %s --check-prefix=CSE
// RUN: nag-opt %s -loop-invariant-code-motion | FileCheck %s --check-prefix=LICM

// CSE-LABEL: func @equal_updates(
// CSE-COUNT-1: nag.update
// CSE-NOT: nag.update
// CSE: return
func.func @equal_updates(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = nag.update %R branch %f alpha %alpha : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = nag.update %R branch %f alpha %alpha : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// LICM-LABEL: func @constant_in_loop(
// LICM: nag.center
// LICM: scf.for
// LICM-NOT: nag.center
// LICM: return
func.func @constant_in_loop(%f: tensor<4x8xf32>, %R: tensor<4x8xf32>, %alpha: tensor<f32>, %n: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%r = %R) -> tensor<4x8xf32> {
    %fc = nag.center %f : tensor<4x8xf32> -> tensor<4x8xf32>
    %1 = nag.rotate %r towards %fc alpha %alpha : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    scf.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
