// Rows that share a table share a block: on tensor cores, or in the shared memory of a persistent grid.
// RUN: nag-opt %s --nag-to-row --row-schedule=tensor-cores=true --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @shared
// CHECK: row.kernel "modulate" {{.*}} schedule #row.schedule<block, threads = 128, rows = 4>
func.func @shared(%D: tensor<?x2048xbf16>, %beta: tensor<f32>, %w: tensor<8x2048xbf16>, %b: tensor<8xf32>,
                  %logits: tensor<8xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x2048xbf16>, tensor<f32>, tensor<8x2048xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @warps
// CHECK: row.kernel "modulate" {{.*}} schedule #row.schedule<warp, threads = 32, rows = 8, persistent = true>
func.func @warps(%D: tensor<?x64xf16>, %beta: tensor<f32>, %w: tensor<8x64xf16>, %b: tensor<8xf32>,
                 %logits: tensor<8xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x64xf16>, tensor<f32>, tensor<8x64xf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @wide_table
// CHECK: row.kernel "modulate" {{.*}} schedule #row.schedule<block, threads = 128, rows = 1>
func.func @wide_table(%D: tensor<?x2048xbf16>, %beta: tensor<f32>, %w: tensor<8x2048xf32>, %b: tensor<8xf32>,
                      %logits: tensor<8xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x2048xbf16>, tensor<f32>, tensor<8x2048xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

// Rows wait each at a barrier of their own, of which there are few.
func.func @many_rows(%x: tensor<?x2048xbf16>, %init: tensor<?x2048xbf16>) -> tensor<?x2048xbf16> {
  // expected-error @+1 {{has 16 rows a block, which wait for each other at barriers: there are 15}}
  %y = row.kernel "copy" ins(%x : tensor<?x2048xbf16>) outs(%init : tensor<?x2048xbf16>)
      schedule #row.schedule<block, threads = 64, rows = 16> {
  ^bb0(%in: !row.row<2048xbf16>, %out: !row.row<2048xbf16>):
    %v = row.load %in : !row.row<2048xbf16> -> !row.vec<2048xf32>
    row.store %v, %out : !row.vec<2048xf32>, !row.row<2048xbf16>
  } -> tensor<?x2048xbf16>
  return %y : tensor<?x2048xbf16>
}
