// Which destinations an entry compares with which arguments, and where the very same buffer will do.
// RUN: nag-opt %s --nag-to-row --nag-entry --split-input-file | FileCheck %s

// Three arguments and a workspace: destination 2 against 0 and 1, the workspace (3) against all. 524800 is 8 << 16 | 2 << 8 | 0.
// R may be the destination, alpha is of another type.
// CHECK-LABEL: func.func private @in_place_check(
// CHECK: call @nag_overlap(
// CHECK-NEXT: arith.constant true
// CHECK-NEXT: %[[APART:.*]] = arith.xori
// CHECK: arith.ori %[[APART]],
// CHECK: arith.constant 524800 : i32
// CHECK: call @nag_overlap(
// CHECK-NOT: arith.ori
// CHECK: arith.constant 524801 : i32
// CHECK: arith.constant 525056 : i32
// CHECK: arith.constant 525057 : i32
// CHECK: call @nag_overlap(
// CHECK-NOT: arith.ori
// CHECK: arith.constant 525058 : i32
// CHECK-NOT: call @nag_overlap(
// CHECK: return
// CHECK-LABEL: func.func @in_place(
// CHECK: func.func private @nag_add_dimension(
// CHECK: func.func private @nag_overlap(
func.func @in_place(%R: tensor<?x8xf32>, %alpha: tensor<f32>) -> tensor<?x8xf32> {
  %0 = nag.update %R branch %R alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// The first result is written before f is read for the second.
// CHECK-LABEL: func.func private @read_later_check(
// CHECK: call @nag_overlap(
// CHECK-NOT: arith.ori
// CHECK: arith.constant 524544 : i32
// CHECK: call @nag_overlap(
// CHECK: %[[APART:.*]] = arith.xori
// CHECK: arith.ori %[[APART]],
// CHECK: arith.constant 524800 : i32
// The two results are never the same.
// CHECK: call @nag_overlap(
// CHECK-NOT: arith.ori
// CHECK: arith.constant 524801 : i32
func.func @read_later(%f: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = nag.center %f : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = nag.orthogonalize %f against %f : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A name that is taken stays whose it is.
// CHECK: func.func private @nag_overlap(tensor<?x8xf32>)
// CHECK: func.func private @nag_overlap_0(
func.func private @nag_overlap(tensor<?x8xf32>)
func.func @taken(%f: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = nag.center %f : tensor<?x8xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
