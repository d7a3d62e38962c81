// A grid stays where the tables of contractions fit into the shared memory that a block can have on the chip.
// RUN: nag-opt %s --nag-to-row --row-schedule=max-shared-bytes=232448 | FileCheck %s --check-prefixes=CHECK,LARGE
// RUN: nag-opt %s --nag-to-row --row-schedule=max-shared-bytes=232448 > %t && nag-opt %t --row-schedule=max-shared-bytes=232448 | diff %t -
// RUN: nag-opt %s --nag-to-row --row-schedule=max-shared-bytes=101376 | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: nag-opt %s --nag-to-row --row-schedule="persistent=off max-shared-bytes=232448" | FileCheck %s --check-prefix=OFF
// RUN: not nag-opt %s --nag-to-row --row-schedule="persistent=on max-shared-bytes=101376" 2>&1 | FileCheck %s --check-prefix=ON
// A schedule that is there must fit as well.
// RUN: not nag-opt %t --row-schedule 2>&1 | FileCheck %s --check-prefix=GIVEN

// OFF-NOT: persistent
// ON: error: 'row.kernel' op needs 164928 bytes of shared memory a block under #row.schedule<block, threads = 256, rows = 2, persistent = true>, where there are 101376
// GIVEN: error: 'row.kernel' op needs 98880 bytes of shared memory a block under #row.schedule<block, threads = 256, rows = 2, persistent = true>, where there are 49152

// One row of 512 elements a warp.
// CHECK-LABEL: func.func @narrow
// CHECK: schedule #row.schedule<warp, threads = 32, rows = 16, persistent = true>
func.func @narrow(%D: tensor<?x512xbf16>, %beta: tensor<f32>, %w: tensor<8x512xbf16>, %b: tensor<8xf32>,
                  %logits: tensor<8xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x512xbf16>, tensor<f32>, tensor<8x512xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// CHECK-LABEL: func.func @middle
// CHECK: schedule #row.schedule<block, threads = 256, rows = 2, persistent = true>
func.func @middle(%D: tensor<?x4096xbf16>, %beta: tensor<f32>, %w: tensor<8x4096xbf16>, %b: tensor<8xf32>,
                  %logits: tensor<8xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// Twice as many components of 4,096 elements fit on a large chip.
// CHECK-LABEL: func.func @sixteen
// LARGE: schedule #row.schedule<block, threads = 256, rows = 2, persistent = true>
// SMALL: schedule #row.schedule<block, threads = 256, rows = 1>
func.func @sixteen(%D: tensor<?x4096xbf16>, %beta: tensor<f32>, %w: tensor<16x4096xbf16>, %b: tensor<16xf32>,
                   %logits: tensor<16xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<f32>, tensor<16x4096xbf16>, tensor<16xf32>, tensor<16xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// These fit nowhere.
// CHECK-LABEL: func.func @wide
// CHECK: schedule #row.schedule<block, threads = 512, rows = 1>
func.func @wide(%D: tensor<?x8192xbf16>, %beta: tensor<f32>, %w: tensor<16x8192xbf16>, %b: tensor<16xf32>,
                %logits: tensor<16xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x8192xbf16>, tensor<f32>, tensor<16x8192xbf16>, tensor<16xf32>, tensor<16xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// Without a contraction there is nothing to keep.
// CHECK-LABEL: func.func @no_table
// CHECK: schedule #row.schedule<block, threads = 256, rows = 1>
func.func @no_table(%f: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = nag.center %f : tensor<?x4096xbf16> -> tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}
