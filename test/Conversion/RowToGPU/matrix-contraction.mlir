// Contractions of 16-bit rows with a 16-bit table go to tensor cores, for all rows of a block at once.
// RUN: nag-opt %s --nag-gpu-pipeline=tensor-cores=true --split-input-file | FileCheck %s
// RUN: nag-opt %s --nag-gpu-pipeline=tensor-cores=true --split-input-file > %t && nag-opt %t --row-to-gpu --split-input-file | diff %t -

// Two rows of 256 threads; the rows of the block in shared memory, padded, then 16 virtual warps' sums.
// CHECK-LABEL: gpu.func @modulate_modulate(
// CHECK-SAME: workgroup(%{{[a-z0-9]+}} : memref<4112xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
// CHECK-SAME: %[[ROWS:[a-z0-9]+]] : memref<8256xi16, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
// CHECK-SAME: %[[SUMS:[a-z0-9]+]] : memref<384xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: known_block_size = array<i32: 256, 2, 1>
// CHECK: vector.store %{{.*}}, %[[ROWS]][%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<8xi16>
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK: vector.load %[[ROWS]][%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<8xi16>
// A product over 16 elements starts from zero, and is added in f32.
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[%[[ZERO:[a-z0-9_]+]], %[[ZERO]], %[[ZERO]], %[[ZERO]]] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK: arith.addf
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SUMS]]
func.func @modulate(%D: tensor<?x4096xbf16>, %beta: tensor<f32>, %w: tensor<8x4096xbf16>, %b: tensor<8xf32>,
                    %logits: tensor<8xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

// A row of several segments adds them up; its last one is short.
// CHECK-LABEL: gpu.func @modulate_modulate(
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} step %c1{{.*}} iter_args
// CHECK: vector.store {{.*}} vector<8xi16>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: nvvm.mma.sync {{.*}} vector<2xf16>
// CHECK: gpu.barrier

func.func @modulate(%D: tensor<?x20000xf16>, %beta: tensor<f32>, %w: tensor<3x20000xf16>, %b: tensor<3xf32>,
                    %logits: tensor<3xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x20000xf16>, tensor<f32>, tensor<3x20000xf16>, tensor<3xf32>, tensor<3xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

// A table of f32 is multiplied in f32, by each row for itself.
// CHECK-LABEL: gpu.func @modulate_modulate(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-NOT: nvvm.mma.sync
func.func @modulate(%D: tensor<?x4096xbf16>, %beta: tensor<f32>, %w: tensor<8x4096xf32>, %b: tensor<8xf32>,
                    %logits: tensor<8xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

// CHECK: module
// CHECK-NOT: gpu.module
module {}
