// Public functions on tensors become entries on buffers.
// RUN: nag-opt %s --nag-to-row --nag-entry --canonicalize --split-input-file | FileCheck %s
// RUN: nag-opt %s --nag-to-row --nag-entry --split-input-file > %t && nag-opt %t --nag-entry --split-input-file | diff %t -

// CHECK-LABEL: func.func private @split_check(
// The width is 8 (argument 0, dimension 1: 0x10001), elements are neighbours, and the token counts agree.
// CHECK-DAG: arith.constant 65537 : i32
// CHECK-DAG: arith.constant 131073 : i32
// CHECK-DAG: arith.constant 65792 : i32
// CHECK: call @split_workspace_size
// CHECK-LABEL: func.func @split(
// CHECK-SAME: %[[R:[a-z0-9]+]]: memref<?x?xbf16, strided<[?, ?], offset: ?>> {nag.tensor_type = tensor<?x8xbf16>}
// CHECK-SAME: %[[D:[a-z0-9]+]]: memref<?x?xbf16, strided<[?, ?], offset: ?>> {nag.name = "result0", nag.result, nag.tensor_type = tensor<?x8xbf16>}
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<?xf32, strided<[?], offset: ?>>
// CHECK-SAME: %[[WS:[a-z0-9]+]]: memref<?xi8> {nag.name = "workspace"}
// CHECK-SAME: %{{.*}}: !llvm.ptr {nag.name = "stream"}) -> i32 attributes {nag.entry}
// CHECK: %[[STATUS:.*]] = call @split_check(%[[R]], %[[D]], %[[S]], %[[WS]])
// CHECK: scf.if
// CHECK: %[[TYPED:.*]] = memref.reinterpret_cast %[[R]] {{.*}} to memref<?x8xbf16, strided<[?, 1], offset: ?>>
// CHECK: bufferization.to_tensor %[[TYPED]] restrict
// CHECK: %[[K:.*]]:2 = row.kernel "split"
// CHECK: bufferization.materialize_in_destination %[[K]]#0 in restrict writable
// A number of a token may lie anywhere: no unit stride is asked for.
// CHECK: bufferization.materialize_in_destination %[[K]]#1 in restrict writable %{{.*}} : (tensor<?xf32>, memref<?xf32, strided<[?], offset: ?>>)
// CHECK: return %[[STATUS]] : i32
// CHECK-LABEL: func.func @split_abi_version() -> i32 attributes {nag.entry}
// CHECK: return %c1
// CHECK-LABEL: func.func @split_workspace_size(
// CHECK: return %{{.*}} : i64
func.func @split(%R: tensor<?x8xbf16>) -> (tensor<?x8xbf16>, tensor<?xf32>) {
  %D, %s = nag.split %R : tensor<?x8xbf16> -> tensor<?x8xbf16>, tensor<?xf32>
  return %D, %s : tensor<?x8xbf16>, tensor<?xf32>
}

// -----

// What no kernel computes is copied to its destination, by a kernel.
// CHECK-LABEL: func.func @twice(
// CHECK: row.kernel "center"
// CHECK: row.kernel "copy"
// CHECK: row.kernel "copy"
func.func @twice(%f: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = nag.center %f : tensor<?x8xf32> -> tensor<?x8xf32>
  return %0, %0, %f : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Private functions, declarations and entries are left alone.
// CHECK: func.func private @declared(tensor<?x8xf32>)
// CHECK: func.func private @helper(%{{.*}}: tensor<?x8xf32>) -> tensor<?x8xf32>
func.func private @declared(tensor<?x8xf32>)
func.func private @helper(%f: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %f : tensor<?x8xf32>
}

// -----

// CHECK: module
module {}
