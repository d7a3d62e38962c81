// A buffer between two kernels goes to the workspace; its size is a function of the same descriptors.
// RUN: nag-opt %s --nag-entry-pipeline=fuse=false --split-input-file | FileCheck %s
// RUN: nag-opt %s --nag-entry-pipeline=fuse=false --split-input-file > %t && nag-opt %t --row-place-workspace --split-input-file | diff %t -

// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[WS:[a-z0-9]+]]: memref<?xi8>
// CHECK-NOT: memref.alloc
// CHECK: %[[VIEW:.*]] = memref.view %[[WS]][%c0{{.*}}][%{{.*}}] : memref<?xi8> to memref<?x8xf32>
// CHECK: row.kernel "center" {{.*}} outs(%[[VIEW]] : memref<?x8xf32>)
// CHECK: row.kernel "orthogonalize" ins(%[[VIEW]],
// 32 bytes a token, to the next multiple of 256.
// CHECK-LABEL: func.func @chain_workspace_size(
// CHECK: %[[T:.*]] = memref.dim
// CHECK: %[[BYTES:.*]] = arith.muli %c32, %[[T]]
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[BYTES]], %c256
// CHECK: arith.muli %[[BLOCKS]], %c256
func.func @chain(%f: tensor<?x8xf32>, %D: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = nag.center %f : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = nag.orthogonalize %0 against %D : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @nothing_between(
// CHECK-NOT: memref.view
// CHECK-LABEL: func.func @nothing_between_workspace_size(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: return %[[ZERO]]
func.func @nothing_between(%f: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = nag.center %f : tensor<?x8xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
