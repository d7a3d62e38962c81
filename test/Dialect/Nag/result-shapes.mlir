// The sizes of results follow from the operands: what asks for them finds them without running the operation.

// RUN: nag-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize -cse | FileCheck %s --implicit-check-not=nag.

// CHECK-LABEL: func @every_result(
// CHECK-SAME:      %[[R:[^:]*]]: tensor<?x3x8xf32>, %[[S:[^:]*]]: tensor<?x3xf32>
func.func @every_result(%R: tensor<?x3x8xf32>, %s: tensor<?x3xf32>, %alpha: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>)
    -> (index, index, index, index, index, index, index, index, index, index, index, index) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
  // CHECK-DAG: %[[T:.*]] = tensor.dim %[[R]], %[[ZERO]]
  // CHECK: return %[[T]], %[[T]], %[[T]], %[[T]], %[[T]], %[[T]], %[[T]], %[[T]], %[[T]], %[[T]], %[[T]], %[[THREE]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %split:2 = nag.split %R : tensor<?x3x8xf32> -> tensor<?x3x8xf32>, tensor<?x3xf32>
  %merge = nag.merge %R, %s : tensor<?x3x8xf32>, tensor<?x3xf32> -> tensor<?x3x8xf32>
  %center = nag.center %R : tensor<?x3x8xf32> -> tensor<?x3x8xf32>
  %orthogonal = nag.orthogonalize %R against %R : tensor<?x3x8xf32>, tensor<?x3x8xf32> -> tensor<?x3x8xf32>
  %scale = nag.scale %R relative_to %R : tensor<?x3x8xf32>, tensor<?x3x8xf32> -> tensor<?x3x8xf32>
  %modulate = nag.modulate %R by(%alpha, %w, %b, %b)
      : (tensor<?x3x8xf32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x3xf32>
  %rotate:2 = nag.rotate %R, %s towards %R alpha %alpha
      : (tensor<?x3x8xf32>, tensor<?x3xf32>, tensor<?x3x8xf32>, tensor<f32>) -> (tensor<?x3x8xf32>, tensor<?x3xf32>)
  %update:3 = nag.update %R, %s branch %R alpha %alpha modulator(%alpha, %w, %b, %b)
      : (tensor<?x3x8xf32>, tensor<?x3xf32>, tensor<?x3x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<?x3x8xf32>, tensor<?x3xf32>, tensor<?x3xf32>)
  %0 = tensor.dim %split#0, %c0 : tensor<?x3x8xf32>
  %1 = tensor.dim %split#1, %c0 : tensor<?x3xf32>
  %2 = tensor.dim %merge, %c0 : tensor<?x3x8xf32>
  %3 = tensor.dim %center, %c0 : tensor<?x3x8xf32>
  %4 = tensor.dim %orthogonal, %c0 : tensor<?x3x8xf32>
  %5 = tensor.dim %scale, %c0 : tensor<?x3x8xf32>
  %6 = tensor.dim %modulate, %c0 : tensor<?x3xf32>
  %7 = tensor.dim %rotate#0, %c0 : tensor<?x3x8xf32>
  %8 = tensor.dim %update#0, %c0 : tensor<?x3x8xf32>
  %9 = tensor.dim %update#1, %c0 : tensor<?x3xf32>
  %10 = tensor.dim %update#2, %c0 : tensor<?x3xf32>
  %11 = tensor.dim %update#2, %c1 : tensor<?x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11
      : index, index, index, index, index, index, index, index, index, index, index, index
}
