// RUN: nag-opt %s --row-place-workspace --split-input-file --verify-diagnostics

// expected-error @+1 {{entry 'f' has no function f_workspace_size: run nag-entry before row-place-workspace}}
func.func @f(%n: index, %ws: memref<?xi8>, %stream: !llvm.ptr) -> i32 attributes {nag.entry} {
  %0 = memref.alloc(%n) : memref<?xf32>
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}

// -----

func.func @g(%x: memref<?xf32>, %ws: memref<?xi8>, %stream: !llvm.ptr) -> i32 attributes {nag.entry} {
  // expected-error @+1 {{cannot be placed in the workspace: expected a dense buffer}}
  %0 = memref.alloc() : memref<8xf32, strided<[2]>>
  %c0 = arith.constant 0 : i32
  return %c0 : i32
}
func.func @g_workspace_size(%x: memref<?xf32>) -> i64 {
  %c0 = arith.constant 0 : i64
  return %c0 : i64
}
