// A grid that stays: blocks keep w in dynamic shared memory and load the next token's rows before they finish one.
// RUN: nag-opt %s --nag-gpu-pipeline=max-shared-bytes=232448 | FileCheck %s
// RUN: nag-opt %s --nag-gpu-pipeline=max-shared-bytes=232448 > %t && nag-opt %t --row-to-gpu | diff %t -
// RUN: nag-opt %s --nag-gpu-pipeline="max-shared-bytes=232448 persistent=off" | FileCheck %s --check-prefix=OFF --implicit-check-not=nag.persistent

// As many blocks as tokens, if the device holds so many; 2 rows of 256 threads in each.
// CHECK-LABEL: func.func @modulate(
// CHECK: %[[TOKENS:.*]] = memref.dim
// CHECK: gpu.launch_func <%{{.*}} : !llvm.ptr> @nag_kernels::@modulate_modulate blocks in (%[[TOKENS]], %c1, %c1) threads in (%c256, %c2, %c1)
// CHECK-SAME: dynamic_shared_memory_size %c98880_i32
// CHECK-SAME: nag.persistent

// CHECK: gpu.func @modulate_modulate(%[[D:[a-z0-9]+]]: memref<?x4096xbf16, {{[^,]*, [^,]*, [^,]*}}, %{{[a-z0-9]+}}: memref<f32
// CHECK-NOT: workgroup
// CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[EXCHANGE:.*]] = memref.view %[[SHARED]][%c0]
// CHECK: %[[W:.*]] = memref.view %[[SHARED]][%c32832]{{.*}} to memref<33024xbf16, #gpu.address_space<workgroup>>
// The copy of w takes no registers, and is under way while the first row is read.
// CHECK: scf.for
// CHECK:   nvgpu.device_async_copy {{.*}}, %[[W]][{{.*}}], 8 {bypassL1}
// CHECK: %[[FIRST:.*]]:2 = scf.if {{.*}} -> (vector<8xbf16>, vector<8xbf16>)
// CHECK:   vector.load %[[D]]
// CHECK: nvgpu.device_async_wait
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1)
// CHECK:   %[[NEXT:.*]]:2 = scf.if
// CHECK:     vector.load %[[D]]
// CHECK:   vector.load %[[W]]
// The rows of a block wait at barriers of their own.
// CHECK:   nvvm.barrier id = %{{.*}} number_of_threads = %c256_i32
// CHECK:   scf.yield %[[NEXT]]#0, %[[NEXT]]#1
// CHECK: gpu.func @modulate_modulate_narrow(

// OFF: gpu.func @modulate_modulate({{.*}} workgroup(
func.func @modulate(%D: tensor<?x4096xbf16>, %beta: tensor<f32>, %w: tensor<8x4096xbf16>, %b: tensor<8xf32>,
                    %logits: tensor<8xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}
