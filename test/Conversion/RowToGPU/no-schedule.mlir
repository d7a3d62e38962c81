// RUN: nag-opt %s --row-to-gpu --verify-diagnostics

func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %stream: !llvm.ptr) attributes {nag.entry} {
  // expected-error @+1 {{has no schedule: run row-schedule before row-to-gpu}}
  row.kernel "copy" ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: !row.row<f32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<f32> -> f32
    row.store %v, %out : f32, !row.row<f32>
  }
  return
}
