// A row program becomes a kernel for each access width, and a choice between them at launch.
// RUN: nag-opt %s --nag-gpu-pipeline --split-input-file | FileCheck %s
// RUN: nag-opt %s --nag-gpu-pipeline --split-input-file > %t && nag-opt %t --row-to-gpu --split-input-file | diff %t -

// CHECK-LABEL: func.func @center(
// No tokens, no launch; rows that are not aligned for 16 bytes go to the narrow kernel.
// CHECK: arith.cmpi ne, %{{.*}}, %c0
// CHECK: scf.if
// CHECK: arith.andi %{{.*}}, %c15
// CHECK: scf.if
// CHECK: gpu.launch_func <%{{.*}} : !llvm.ptr> @nag_kernels::@center_center blocks in (%{{.*}}, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK: else
// CHECK: gpu.launch_func <%{{.*}} : !llvm.ptr> @nag_kernels::@center_center_narrow
// CHECK: gpu.module @nag_kernels
// CHECK: gpu.func @center_center(%[[F:[a-z0-9]+]]: memref<?x4096xbf16
// CHECK-SAME: workgroup(%[[SHARED:[a-z0-9]+]] : memref<4104xi32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 256, 1, 1>
// Eight neighbours in one access of 128 bits.
// CHECK: vector.load %[[F]]{{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// Strides of a warp and more go through shared memory behind one barrier, those below through shuffles.
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SHARED]]
// CHECK: gpu.shuffle xor %{{.*}}, %c16
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32
// CHECK: vector.store {{.*}} {alignment = 16 : i64}
// CHECK: gpu.func @center_center_narrow
// CHECK: vector.load %{{.*}} {alignment = 2 : i64} : {{.*}}, vector<1xbf16>
func.func @center(%f: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = nag.center %f : tensor<?x4096xbf16> -> tensor<?x4096xbf16>
  return %0 : tensor<?x4096xbf16>
}

// -----

// A warp a row needs neither shared memory nor barriers. An odd width has one kernel; what passes its end is masked.
// CHECK: gpu.launch_func {{.*}} @nag_kernels::@center_center blocks in (%{{.*}}, %c1, %c1) threads in (%c32, %c4, %c1)
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.func @center_center(
// CHECK-NOT: workgroup
// CHECK-NOT: gpu.barrier
// CHECK: arith.minui %{{.*}}, %c32
// CHECK: arith.select {{.*}} : vector<8xi1>
// CHECK-NOT: gpu.func
func.func @center(%f: tensor<?x33xf32>) -> tensor<?x33xf32> {
  %0 = nag.center %f : tensor<?x33xf32> -> tensor<?x33xf32>
  return %0 : tensor<?x33xf32>
}

// -----

// Kernels get names of their own, also beside symbols that have them already.
// CHECK: gpu.func @f_center(
// CHECK: gpu.func @f_center_0(
func.func @f(%f: tensor<?x1xf32>, %g: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %0 = nag.center %f : tensor<?x1xf32> -> tensor<?x1xf32>
  %1 = nag.center %g : tensor<?x1xf32> -> tensor<?x1xf32>
  return %0, %1 : tensor<?x1xf32>, tensor<?x1xf32>
}

// -----

// A stream schedule walks in a loop and keeps nothing.
// CHECK: gpu.func @center_center(
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1
func.func @center(%f: tensor<?x65536xbf16>) -> tensor<?x65536xbf16> {
  %0 = nag.center %f : tensor<?x65536xbf16> -> tensor<?x65536xbf16>
  return %0 : tensor<?x65536xbf16>
}

// -----

// CHECK: module
// CHECK-NOT: gpu.module
module {}
