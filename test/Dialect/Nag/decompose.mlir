// nag-decompose: the fused update as a chain of small operations, in both stream forms and with each kind of modulator.

// RUN: nag-opt %s -nag-decompose -split-input-file | FileCheck %s --implicit-check-not=nag.update
// A second run finds nothing to do.
// RUN: nag-opt %s -nag-decompose -split-input-file -o %t.once
// RUN: nag-opt %s -nag-decompose -nag-decompose -split-input-file -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func @residual_form(
// CHECK-SAME:      %[[R:[^:]*]]: tensor<?x4096xbf16>, %[[F:[^:]*]]: tensor<?x4096xbf16>, %[[ALPHA:[^:]*]]: tensor<f32>, %[[BETA:[^:]*]]: tensor<f32>,
// CHECK-SAME:      %[[W:[^:]*]]: tensor<8x4096xbf16>, %[[B:[^:]*]]: tensor<8xf32>, %[[L:[^:]*]]: tensor<8xf32>)
func.func @residual_form(%R: tensor<?x4096xbf16>, %f: tensor<?x4096xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                         %w: tensor<8x4096xbf16>, %b: tensor<8xf32>, %logits: tensor<8xf32>)
    -> (tensor<?x4096xbf16>, tensor<?xf32>) {
  // CHECK-NEXT: %[[M:.*]] = nag.modulate %[[R]] by(%[[BETA]], %[[W]], %[[B]], %[[L]]) : {{.*}} -> tensor<?xf32>
  // CHECK-NEXT: %[[FC:.*]] = nag.center %[[F]] : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // CHECK-NEXT: %[[P:.*]] = nag.orthogonalize %[[FC]] against %[[R]] : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // CHECK-NEXT: %[[U:.*]] = nag.scale %[[P]] relative_to %[[F]] : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // CHECK-NEXT: %[[R1:.*]] = nag.rotate %[[R]] towards %[[U]] alpha %[[ALPHA]] modulator %[[M]] : {{.*}} -> tensor<?x4096xbf16>
  // CHECK-NEXT: return %[[R1]], %[[M]]
  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>,
         tensor<8xf32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
  return %R1, %m : tensor<?x4096xbf16>, tensor<?xf32>
}

// A given modulator, a stream wider than the branch, a tolerance.
// CHECK-LABEL: func @lane_form(
// CHECK-SAME:      %[[D:[^:]*]]: tensor<?x8xf32>, %[[S:[^:]*]]: tensor<?xf32>, %[[F:[^:]*]]: tensor<?x8xbf16>, %[[ALPHA:[^:]*]]: tensor<f32>, %[[M:[^:]*]]: tensor<?xf32>)
func.func @lane_form(%D: tensor<?x8xf32>, %s: tensor<?xf32>, %f: tensor<?x8xbf16>, %alpha: tensor<f32>, %m: tensor<?xf32>)
    -> (tensor<?x8xf32>, tensor<?xf32>) {
  // CHECK-NEXT: %[[FC:.*]] = nag.center %[[F]] : tensor<?x8xbf16> -> tensor<?x8xf32>
  // CHECK-NEXT: %[[P:.*]] = nag.orthogonalize %[[FC]] against %[[D]] :
  // CHECK-NEXT: %[[U:.*]] = nag.scale %[[P]] relative_to %[[F]] {tol = 1.000000e-03 : f64} :
  // CHECK-NEXT: %[[D1:.*]], %[[S1:.*]] = nag.rotate %[[D]], %[[S]] towards %[[U]] alpha %[[ALPHA]] modulator %[[M]] :
  // CHECK-NEXT: return %[[D1]], %[[S1]]
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha modulated_by %m {tol = 1.0e-3 : f64}
      : (tensor<?x8xf32>, tensor<?xf32>, tensor<?x8xbf16>, tensor<f32>, tensor<?xf32>) -> (tensor<?x8xf32>, tensor<?xf32>)
  return %D1, %s1 : tensor<?x8xf32>, tensor<?xf32>
}

// All f64; no modulator.
// CHECK-LABEL: func @f64(
func.func @f64(%R: tensor<4x8xf64>, %f: tensor<4x8xf64>, %alpha: tensor<f64>) -> tensor<4x8xf64> {
  // CHECK-NOT: nag.modulate
  // CHECK: nag.center %{{.*}} : tensor<4x8xf64> -> tensor<4x8xf64>
  // CHECK: nag.rotate %{{.*}} towards %{{.*}} alpha %{{[^ ]*}} : (tensor<4x8xf64>, tensor<4x8xf64>, tensor<f64>) -> tensor<4x8xf64>
  %0 = nag.update %R branch %f alpha %alpha : (tensor<4x8xf64>, tensor<4x8xf64>, tensor<f64>) -> tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// The modulator's directions in the branch's type, narrower than the stream; all three results.
// CHECK-LABEL: func @narrow_w(
func.func @narrow_w(%D: tensor<4x8xf32>, %s: tensor<4xf32>, %f: tensor<4x8xf16>, %alpha: tensor<f32>,
                    %w: tensor<1x8xf16>, %b: tensor<1xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[M:.*]] = nag.modulate %{{.*}} : (tensor<4x8xf32>, tensor<f32>, tensor<1x8xf16>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
  // CHECK: %[[D1:.*]], %[[S1:.*]] = nag.rotate
  // CHECK: return %[[D1]], %[[S1]], %[[M]]
  %0:3 = nag.update %D, %s branch %f alpha %alpha modulator(%alpha, %w, %b, %b)
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf16>, tensor<f32>, tensor<f32>, tensor<1x8xf16>, tensor<1xf32>,
         tensor<1xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
}

// Operands that know different token sizes.
// CHECK-LABEL: func @sizes(
func.func @sizes(%R: tensor<?x3x8xf32>, %f: tensor<4x?x8xf32>, %alpha: tensor<f32>, %m: tensor<?x?xf32>) -> tensor<?x3x8xf32> {
  // CHECK: nag.orthogonalize %{{.*}} : tensor<4x?x8xf32>, tensor<?x3x8xf32> -> tensor<4x?x8xf32>
  // CHECK: nag.rotate %{{.*}} : (tensor<?x3x8xf32>, tensor<4x?x8xf32>, tensor<f32>, tensor<?x?xf32>) -> tensor<?x3x8xf32>
  %0 = nag.update %R branch %f alpha %alpha modulated_by %m
      : (tensor<?x3x8xf32>, tensor<4x?x8xf32>, tensor<f32>, tensor<?x?xf32>) -> tensor<?x3x8xf32>
  return %0 : tensor<?x3x8xf32>
}

// -----

// Declarations, other operations, several blocks and nested modules are no obstacle.
// CHECK-LABEL: func private @ext(tensor<?x768xf32>) -> tensor<?x768xf32>
func.func private @ext(tensor<?x768xf32>) -> tensor<?x768xf32>
// CHECK-LABEL: func @blocks(
func.func @blocks(%R: tensor<?x768xf32>, %alpha: tensor<f32>, %again: i1) -> tensor<?x768xf32> {
  cf.br ^loop(%R : tensor<?x768xf32>)
^loop(%0: tensor<?x768xf32>):
  // CHECK: call @ext
  // CHECK: nag.rotate
  %f = func.call @ext(%0) : (tensor<?x768xf32>) -> tensor<?x768xf32>
  %1 = nag.update %0 branch %f alpha %alpha : (tensor<?x768xf32>, tensor<?x768xf32>, tensor<f32>) -> tensor<?x768xf32>
  cf.cond_br %again, ^loop(%1 : tensor<?x768xf32>), ^exit
^exit:
  return %1 : tensor<?x768xf32>
}
// CHECK-LABEL: module @a
module @a {
  // CHECK: module @b
  module @b {
    // CHECK-LABEL: func @nested(
    func.func @nested(%R: tensor<7x768xf32>, %alpha: tensor<f32>) -> tensor<7x768xf32> {
      // CHECK: nag.rotate
      %0 = nag.update %R branch %R alpha %alpha : (tensor<7x768xf32>, tensor<7x768xf32>, tensor<f32>) -> tensor<7x768xf32>
      return %0 : tensor<7x768xf32>
    }
  }
}
// CHECK: module @empty
module @empty {
}

// -----

// A module with nothing but a global.
// CHECK: memref.global "private" @g : memref<4xf32>
memref.global "private" @g : memref<4xf32>

// -----

// An empty module.
// CHECK: module {
module {
}
