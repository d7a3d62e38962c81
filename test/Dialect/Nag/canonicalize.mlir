// Canonicalization of the nag dialect, which is exact to the bit.

// RUN: nag-opt %s -canonicalize | FileCheck %s

//===--------------------------------------------------------------------------------------------------===//
// Token sizes
//===--------------------------------------------------------------------------------------------------===//

// A cast that forgets sizes is looked through; the chain runs on known sizes, the last result forgets them again.
// CHECK-LABEL: func @sizes_through_chain(
// CHECK-SAME:      %[[R:[^:]*]]: tensor<4x8xf32>)
func.func @sizes_through_chain(%R: tensor<4x8xf32>) -> tensor<?x8xf32> {
  // CHECK-NEXT: %[[D:.*]], %[[S:.*]] = nag.split %[[R]] : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  // CHECK-NEXT: %[[M:.*]] = nag.merge %[[D]], %[[S]] : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %[[C:.*]] = tensor.cast %[[M]] : tensor<4x8xf32> to tensor<?x8xf32>
  // CHECK-NEXT: return %[[C]]
  %0 = tensor.cast %R : tensor<4x8xf32> to tensor<?x8xf32>
  %D, %s = nag.split %0 : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  %1 = nag.merge %D, %s : tensor<?x8xf32>, tensor<?xf32> -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// What the branch knows, the stream learns: a cast to known sizes.
// CHECK-LABEL: func @sizes_from_branch(
// CHECK-SAME:      %[[R:[^:]*]]: tensor<?x3x8xf32>, %[[F:[^:]*]]: tensor<4x?x8xf32>, %[[A:[^:]*]]: tensor<f32>
func.func @sizes_from_branch(%R: tensor<?x3x8xf32>, %f: tensor<4x?x8xf32>, %alpha: tensor<f32>) -> tensor<?x3x8xf32> {
  // CHECK-DAG: %[[R4:.*]] = tensor.cast %[[R]] : tensor<?x3x8xf32> to tensor<4x3x8xf32>
  // CHECK-DAG: %[[F4:.*]] = tensor.cast %[[F]] : tensor<4x?x8xf32> to tensor<4x3x8xf32>
  // CHECK: nag.update %[[R4]] branch %[[F4]] alpha %[[A]] : (tensor<4x3x8xf32>, tensor<4x3x8xf32>, tensor<f32>) -> tensor<4x3x8xf32>
  %0 = nag.update %R branch %f alpha %alpha : (tensor<?x3x8xf32>, tensor<4x?x8xf32>, tensor<f32>) -> tensor<?x3x8xf32>
  return %0 : tensor<?x3x8xf32>
}

// Every operation, in its every token operand and result; parameters have no tokens.
// CHECK-LABEL: func @sizes_every_op(
func.func @sizes_every_op(%f: tensor<4x8xf32>, %D: tensor<?x8xf32>, %s: tensor<?xf32>, %alpha: tensor<f32>,
                          %w: tensor<2x8xf32>, %b: tensor<2xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: nag.center {{.*}} : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: nag.orthogonalize {{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: nag.scale {{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: nag.modulate {{.*}} : (tensor<4x8xf32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  // CHECK: nag.rotate {{.*}} : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  // CHECK: nag.update {{.*}} -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  %f0 = tensor.cast %f : tensor<4x8xf32> to tensor<?x8xf32>
  %fc = nag.center %f0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %P = nag.orthogonalize %fc against %D : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %u = nag.scale %P relative_to %f0 : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %m = nag.modulate %u by(%alpha, %w, %b, %b)
      : (tensor<?x8xf32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>
  %D1, %s1 = nag.rotate %D, %s towards %u alpha %alpha modulator %m
      : (tensor<?x8xf32>, tensor<?xf32>, tensor<?x8xf32>, tensor<f32>, tensor<?xf32>) -> (tensor<?x8xf32>, tensor<?xf32>)
  %D2, %s2, %m2 = nag.update %D, %s branch %f0 alpha %alpha modulator(%alpha, %w, %b, %b)
      : (tensor<?x8xf32>, tensor<?xf32>, tensor<?x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>)
  return %D1, %s1, %D2, %s2, %m2 : tensor<?x8xf32>, tensor<?xf32>, tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>
}

// Sizes that contradict each other are for the program to fail on, not for us.
// CHECK-LABEL: func @sizes_contradict(
func.func @sizes_contradict(%s: tensor<5xf32>, %D: tensor<4x8xf32>) -> tensor<?x8xf32> {
  // CHECK: nag.merge %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<?xf32> -> tensor<?x8xf32>
  %0 = tensor.cast %D : tensor<4x8xf32> to tensor<?x8xf32>
  %1 = tensor.cast %s : tensor<5xf32> to tensor<?xf32>
  %2 = nag.merge %0, %1 : tensor<?x8xf32>, tensor<?xf32> -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// A user's size is no knowledge: the user need not run.
// CHECK-LABEL: func @sizes_of_users(
func.func @sizes_of_users(%f: tensor<?x8xf32>) -> tensor<4x8xf32> {
  // CHECK: nag.center %{{.*}} : tensor<?x8xf32> -> tensor<?x8xf32>
  %0 = nag.center %f : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = tensor.cast %0 : tensor<?x8xf32> to tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Casts from an unranked tensor and of the width tell nothing about tokens.
// CHECK-LABEL: func @sizes_unranked(
func.func @sizes_unranked(%f: tensor<*xf32>, %g: tensor<?x?xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  // CHECK-COUNT-2: nag.center %{{.*}} : tensor<?x8xf32> -> tensor<?x8xf32>
  %0 = tensor.cast %f : tensor<*xf32> to tensor<?x8xf32>
  %1 = nag.center %0 : tensor<?x8xf32> -> tensor<?x8xf32>
  %2 = tensor.cast %g : tensor<?x?xf32> to tensor<?x8xf32>
  %3 = nag.center %2 : tensor<?x8xf32> -> tensor<?x8xf32>
  return %1, %3 : tensor<?x8xf32>, tensor<?x8xf32>
}

//===--------------------------------------------------------------------------------------------------===//
// Tolerance
//===--------------------------------------------------------------------------------------------------===//

// 2^-20 is the default in f32 arithmetic, 2^-48 in f64; in the other one it says something.
// CHECK-LABEL: func @default_tolerance(
func.func @default_tolerance(%R: tensor<4x8xf32>, %f: tensor<4x8xbf16>, %alpha: tensor<f32>, %R64: tensor<4x8xf64>,
                             %alpha64: tensor<f64>) -> (tensor<4x8xf32>, tensor<4x8xf64>, tensor<4x8xf64>, tensor<4x8xbf16>) {
  // CHECK: nag.update %{{.*}} branch %{{.*}} alpha %{{[^ ]*}} :
  %0 = nag.update %R branch %f alpha %alpha {tol = 9.5367431640625e-07 : f64}
      : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: nag.update %{{.*}} branch %{{.*}} alpha %{{.*}} {tol = 9.5367431640625E-7 : f64} :
  %1 = nag.update %R64 branch %R64 alpha %alpha64 {tol = 9.5367431640625e-07 : f64}
      : (tensor<4x8xf64>, tensor<4x8xf64>, tensor<f64>) -> tensor<4x8xf64>
  // CHECK: nag.update %{{.*}} branch %{{.*}} alpha %{{[^ ]*}} :
  %2 = nag.update %R64 branch %R64 alpha %alpha64 {tol = 3.5527136788005009e-15 : f64}
      : (tensor<4x8xf64>, tensor<4x8xf64>, tensor<f64>) -> tensor<4x8xf64>
  // CHECK: nag.scale %{{.*}} relative_to %{{[^ ]*}} :
  %3 = nag.scale %f relative_to %f {tol = 9.5367431640625e-07 : f64}
      : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x8xbf16>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf64>, tensor<4x8xf64>, tensor<4x8xbf16>
}

//===--------------------------------------------------------------------------------------------------===//
// Modulator
//===--------------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func @unit_modulator(
func.func @unit_modulator(%R: tensor<4x8xf32>, %s: tensor<4xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  // CHECK: nag.update %{{.*}} branch %{{.*}} alpha %{{[^ ]*}} :
  %0 = nag.update %R branch %f alpha %alpha modulated_by %one
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4x8xf32>
  // CHECK: nag.rotate %{{.*}}, %{{.*}} towards %{{.*}} alpha %{{[^ ]*}} :
  %1:2 = nag.rotate %R, %s towards %f alpha %alpha modulator %one
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  // CHECK: nag.update %{{.*}} branch %{{.*}} alpha %{{.*}} modulated_by
  %2 = nag.update %R branch %f alpha %alpha modulated_by %half
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %0, %1#0, %1#1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>
}

//===--------------------------------------------------------------------------------------------------===//
// What is not exact stays
//===--------------------------------------------------------------------------------------------------===//

// CHECK-LABEL: func @inexact_stays(
func.func @inexact_stays(%R: tensor<4x8xbf16>, %f: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // CHECK: nag.split
  %D, %s = nag.split %R : tensor<4x8xbf16> -> tensor<4x8xbf16>, tensor<4xf32>
  // CHECK: nag.merge
  %0 = nag.merge %D, %s : tensor<4x8xbf16>, tensor<4xf32> -> tensor<4x8xbf16>
  // CHECK-COUNT-2: nag.center
  %1 = nag.center %f : tensor<4x8xbf16> -> tensor<4x8xbf16>
  %2 = nag.center %1 : tensor<4x8xbf16> -> tensor<4x8xbf16>
  // CHECK: nag.update
  %3 = nag.update %R branch %f alpha %zero : (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<f32>) -> tensor<4x8xbf16>
  return %0, %2, %3 : tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>
}

// An update of which only the modulator, or all but the modulator, is used stays as it is; one without uses goes.
// CHECK-LABEL: func @partly_used(
func.func @partly_used(%R: tensor<4x8xf32>, %alpha: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: nag.update {{.*}} modulator(
  // CHECK-NOT: nag.update
  // CHECK: return
  %0:2 = nag.update %R branch %R alpha %alpha modulator(%alpha, %w, %b, %b)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %1:2 = nag.update %0#0 branch %R alpha %alpha modulator(%alpha, %w, %b, %b)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %2 = nag.update %R branch %R alpha %alpha : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0#0, %1#1 : tensor<4x8xf32>, tensor<4xf32>
}
