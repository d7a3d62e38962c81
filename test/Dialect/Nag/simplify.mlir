// nag-simplify: each rewrite with what it needs, and what refuses it.

// RUN: nag-opt %s -nag-simplify -split-input-file | FileCheck %s
// A second run finds nothing to do.
// RUN: nag-opt %s -nag-simplify -split-input-file -o %t.once
// RUN: nag-opt %s -nag-simplify -nag-simplify -split-input-file -o %t.twice
// RUN: diff %t.once %t.twice

//===--------------------------------------------------------------------------------------------------===//
// merge(split(R))
//===--------------------------------------------------------------------------------------------------===//

// The direction in between may be narrower; it was a rounding more.
// CHECK-LABEL: func @merge_of_split(
// CHECK-SAME:      %[[R:[^:]*]]: tensor<?x8xf32>)
func.func @merge_of_split(%R: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK-NEXT: return %[[R]]
  %D, %s = nag.split %R : tensor<?x8xf32> -> tensor<?x8xbf16>, tensor<?xf32>
  %0 = nag.merge %D, %s : tensor<?x8xbf16>, tensor<?xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func @merge_of_split_type(
func.func @merge_of_split_type(%R: tensor<?x8xf32>) -> tensor<?x8xbf16> {
  // CHECK: nag.merge
  %D, %s = nag.split %R : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  %0 = nag.merge %D, %s : tensor<?x8xf32>, tensor<?xf32> -> tensor<?x8xbf16>
  return %0 : tensor<?x8xbf16>
}

// CHECK-LABEL: func @merge_of_two_splits(
func.func @merge_of_two_splits(%R: tensor<?x8xf32>, %Q: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: nag.merge
  %D, %s = nag.split %R : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  %E, %t = nag.split %Q : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  %0 = nag.merge %D, %t : tensor<?x8xf32>, tensor<?xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

//===--------------------------------------------------------------------------------------------------===//
// split(merge(D, s))
//===--------------------------------------------------------------------------------------------------===//

// Lanes of a split that an update has turned.
// CHECK-LABEL: func @split_of_merge(
func.func @split_of_merge(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK: %[[D1:.*]], %[[S1:.*]] = nag.update
  // CHECK-NEXT: return %[[D1]], %[[S1]]
  %D, %s = nag.split %R : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %R1 = nag.merge %D1, %s1 : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  %D2, %s2 = nag.split %R1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  return %D2, %s2 : tensor<4x8xf32>, tensor<4xf32>
}

// The same, taken apart.
// CHECK-LABEL: func @split_of_merge_of_rotate(
func.func @split_of_merge_of_rotate(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK: %[[D1:.*]], %[[S1:.*]] = nag.rotate
  // CHECK-NEXT: return %[[D1]], %[[S1]]
  %D, %s = nag.split %R : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  %P = nag.orthogonalize %f against %D : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %u = nag.scale %P relative_to %f : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %D1, %s1 = nag.rotate %D, %s towards %u alpha %alpha
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %R1 = nag.merge %D1, %s1 : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  %D2, %s2 = nag.split %R1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  return %D2, %s2 : tensor<4x8xf32>, tensor<4xf32>
}

// A row that is not known to be a unit row orthogonal to the stream leaves no direction.
// CHECK-LABEL: func @split_of_merge_of_any_rotate(
func.func @split_of_merge_of_any_rotate(%R: tensor<4x8xf32>, %u: tensor<4x8xf32>, %alpha: tensor<f32>) -> tensor<4x8xf32> {
  // CHECK: nag.merge
  // CHECK-NEXT: nag.split
  %D, %s = nag.split %R : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  %D1, %s1 = nag.rotate %D, %s towards %u alpha %alpha
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %R1 = nag.merge %D1, %s1 : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  %D2, %s2 = nag.split %R1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  return %D2 : tensor<4x8xf32>
}

// An argument need not have RMS 1, nor a log-norm of -inf where it is zero.
// CHECK-LABEL: func @split_of_merge_of_arguments(
func.func @split_of_merge_of_arguments(%D: tensor<4x8xf32>, %s: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK: nag.merge
  // CHECK-NEXT: nag.split
  %R = nag.merge %D, %s : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  %D1, %s1 = nag.split %R : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  return %D1, %s1 : tensor<4x8xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @split_of_merge_type(
func.func @split_of_merge_type(%R: tensor<4x8xbf16>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK: nag.merge
  // CHECK-NEXT: nag.split
  %D, %s = nag.split %R : tensor<4x8xbf16> -> tensor<4x8xbf16>, tensor<4xf32>
  %R1 = nag.merge %D, %s : tensor<4x8xbf16>, tensor<4xf32> -> tensor<4x8xf32>
  %D1, %s1 = nag.split %R1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  return %D1, %s1 : tensor<4x8xf32>, tensor<4xf32>
}

//===--------------------------------------------------------------------------------------------------===//
// center(center(f))
//===--------------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func @center_of_center(
// CHECK-SAME:      %[[F:[^:]*]]: tensor<4x8xf32>, %[[G:[^:]*]]: tensor<4x8xf32>)
func.func @center_of_center(%f: tensor<4x8xf32>, %g: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[FC:.*]] = nag.center %[[F]] : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %[[GC:.*]] = nag.center %[[G]] : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: return %[[FC]], %[[GC]]
  %0 = nag.center %f : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = nag.center %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  // The narrow type in between was a rounding more.
  %2 = nag.center %g : tensor<4x8xf32> -> tensor<4x8xbf16>
  %3 = nag.center %2 : tensor<4x8xbf16> -> tensor<4x8xf32>
  return %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func @center_contradicting_sizes(
func.func @center_contradicting_sizes(%f: tensor<4x8xf32>) -> tensor<5x8xf32> {
  // CHECK-COUNT-2: nag.center
  %0 = nag.center %f : tensor<4x8xf32> -> tensor<?x8xf32>
  %1 = nag.center %0 : tensor<?x8xf32> -> tensor<5x8xf32>
  return %1 : tensor<5x8xf32>
}

//===--------------------------------------------------------------------------------------------------===//
// orthogonalize(orthogonalize(f, D), D)
//===--------------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func @orthogonalize_twice(
// CHECK-SAME:      %[[F:[^:]*]]: tensor<4x8xf32>, %[[D:[^:]*]]: tensor<4x8xf32>)
func.func @orthogonalize_twice(%f: tensor<4x8xf32>, %D: tensor<4x8xf32>) -> tensor<4x8xbf16> {
  // CHECK-NEXT: %[[P:.*]] = nag.orthogonalize %[[F]] against %[[D]] : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xbf16>
  // CHECK-NEXT: return %[[P]]
  %0 = nag.orthogonalize %f against %D : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = nag.orthogonalize %0 against %D : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xbf16>
  return %1 : tensor<4x8xbf16>
}

// Orthogonal to one direction is not orthogonal to another, and centring in between is another function.
// CHECK-LABEL: func @orthogonalize_others(
func.func @orthogonalize_others(%f: tensor<4x8xf32>, %D: tensor<4x8xf32>, %E: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: nag.orthogonalize
  // CHECK-NEXT: nag.orthogonalize
  // CHECK-NEXT: nag.center
  // CHECK-NEXT: nag.orthogonalize
  %0 = nag.orthogonalize %f against %D : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = nag.orthogonalize %0 against %E : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = nag.center %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = nag.orthogonalize %2 against %D : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

//===--------------------------------------------------------------------------------------------------===//
// scale(u, u)
//===--------------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func @scale_of_scale(
// CHECK-SAME:      %[[P:[^:]*]]: tensor<4x8xf32>, %[[F:[^:]*]]: tensor<4x8xf32>)
func.func @scale_of_scale(%P: tensor<4x8xf32>, %f: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[U:.*]] = nag.scale %[[P]] relative_to %[[F]] {tol = 5.000000e-01 : f64} :
  // CHECK-NEXT: return %[[U]]
  %0 = nag.scale %P relative_to %f {tol = 0.5 : f64} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = nag.scale %0 relative_to %0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Against a long branch, or with a tolerance of 1, the second guard makes zero of what passed the first.
// CHECK-LABEL: func @scale_guarded(
func.func @scale_guarded(%P: tensor<4x8xf32>, %f: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-COUNT-3: nag.scale
  %0 = nag.scale %P relative_to %f : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = nag.scale %0 relative_to %f : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = nag.scale %0 relative_to %0 {tol = 1.0 : f64} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

//===--------------------------------------------------------------------------------------------------===//
// alpha = 0
//===--------------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func @zero_alpha_residual(
// CHECK-SAME:      %[[R:[^:]*]]: tensor<4x8xf32>, %[[F:[^:]*]]: tensor<4x8xf32>, %[[BETA:[^:]*]]: tensor<f32>, %[[W:[^:]*]]: tensor<2x8xf32>, %[[B:[^:]*]]: tensor<2xf32>)
func.func @zero_alpha_residual(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[M:.*]] = nag.modulate %[[R]] by(%[[BETA]], %[[W]], %[[B]], %[[B]])
  // CHECK-NEXT: return %[[R]], %[[R]], %[[M]], %[[R]]
  %zero = arith.constant dense<0.0> : tensor<f32>
  %minus = arith.constant dense<-0.0> : tensor<f32>
  %0 = nag.update %R branch %f alpha %zero : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1:2 = nag.update %R branch %f alpha %minus modulator(%beta, %w, %b, %b)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %2 = nag.rotate %R towards %f alpha %zero : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0, %1#0, %1#1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>
}

// A modulator without uses leaves nothing.
// CHECK-LABEL: func @zero_alpha_lanes_of_split(
// CHECK-SAME:      %[[R:[^:]*]]: tensor<4x8xf32>
func.func @zero_alpha_lanes_of_split(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[D:.*]], %[[S:.*]] = nag.split %[[R]]
  // CHECK-NEXT: return %[[D]], %[[S]]
  %zero = arith.constant dense<0.0> : tensor<f32>
  %D, %s = nag.split %R : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  %0:3 = nag.update %D, %s branch %f alpha %zero modulator(%zero, %w, %b, %b)
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  %1:2 = nag.rotate %0#0, %0#1 towards %f alpha %zero
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %1#0, %1#1 : tensor<4x8xf32>, tensor<4xf32>
}

// Other lanes would be renormalised; an alpha that is not the constant 0 may be anything.
// CHECK-LABEL: func @zero_alpha_refused(
func.func @zero_alpha_refused(%D: tensor<4x8xf32>, %s: tensor<4xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>)
    -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-COUNT-3: nag.update
  %zero = arith.constant dense<0.0> : tensor<f32>
  %small = arith.constant dense<1.0e-45> : tensor<f32>
  %0:2 = nag.update %D, %s branch %f alpha %zero
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %1 = nag.update %D branch %f alpha %alpha : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = nag.update %D branch %f alpha %small : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0#0, %0#1, %1, %2 : tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Declarations, other operations, several blocks and nested modules are no obstacle.
// CHECK-LABEL: func private @ext(tensor<?x768xf32>) -> tensor<?x768xf32>
func.func private @ext(tensor<?x768xf32>) -> tensor<?x768xf32>
// CHECK-LABEL: func @blocks(
func.func @blocks(%f: tensor<?x768xf32>, %again: i1, %x: f32) -> (tensor<?x768xf32>, f32) {
  cf.br ^loop(%f : tensor<?x768xf32>)
^loop(%0: tensor<?x768xf32>):
  // CHECK: nag.center
  // CHECK-NOT: nag.center
  // What is not ours is not folded.
  // CHECK: arith.addf
  %1 = func.call @ext(%0) : (tensor<?x768xf32>) -> tensor<?x768xf32>
  %2 = nag.center %1 : tensor<?x768xf32> -> tensor<?x768xf32>
  %3 = nag.center %2 : tensor<?x768xf32> -> tensor<?x768xf32>
  %minus_zero = arith.constant -0.0 : f32
  %y = arith.addf %x, %minus_zero : f32
  cf.cond_br %again, ^loop(%3 : tensor<?x768xf32>), ^exit
^exit:
  return %3, %y : tensor<?x768xf32>, f32
}
// CHECK-LABEL: module @a
module @a {
  // CHECK: module @b
  module @b {
    // CHECK-LABEL: func @nested(
    func.func @nested(%f: tensor<7x768xf32>) -> tensor<7x768xf32> {
      // CHECK: nag.center
      // CHECK-NOT: nag.center
      // CHECK: return
      %0 = nag.center %f : tensor<7x768xf32> -> tensor<7x768xf32>
      %1 = nag.center %0 : tensor<7x768xf32> -> tensor<7x768xf32>
      return %1 : tensor<7x768xf32>
    }
  }
}
// CHECK: module @empty
module @empty {
}

// -----

// CHECK: memref.global "private" @g : memref<4xf32>
memref.global "private" @g : memref<4xf32>

// -----

// Where a region is a graph, operations may use themselves: no run without end.
// CHECK-LABEL: module @graph
module @graph {
  // CHECK-COUNT-2: nag.center
  %0 = nag.center %0 : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = nag.center %2 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = nag.center %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: nag.update
  %zero = arith.constant dense<0.0> : tensor<f32>
  %D, %s = nag.update %D, %s branch %0 alpha %zero
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>)
}
