// RUN: nag-opt %s --split-input-file --nag-launch-to-runtime | FileCheck %s
// Twice is once.
// RUN: nag-opt %s --split-input-file --nag-launch-to-runtime --nag-launch-to-runtime | FileCheck %s

// CHECK-LABEL: module {
// CHECK-DAG: llvm.func @nag_launch(!llvm.ptr, i32, i64, i64, i64, i32, i32, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @nag_prepare(!llvm.ptr) -> i32
// CHECK-DAG: llvm.func @nag_release(!llvm.ptr) -> i32
// CHECK-DAG: llvm.mlir.global internal constant @kernels_image("PTX\00") {{{.*}}alignment = 64
// CHECK-DAG: llvm.mlir.global internal constant @kernels_name("k\00")
// CHECK-DAG: llvm.mlir.global internal constant @kernels_params("pp8888884\00")
// CHECK-DAG: llvm.mlir.global internal @kernels_module()
module attributes {gpu.container_module} {
  // CHECK-LABEL: func.func @entry(
  // CHECK-SAME: %[[M:.*]]: memref<?x8xbf16, strided<[?, 1], offset: ?>>, %[[N:.*]]: i32, %[[STREAM:.*]]: !llvm.ptr)
  func.func @entry(%m: memref<?x8xbf16, strided<[?, 1], offset: ?>>, %n: i32, %stream: !llvm.ptr) -> i32
      attributes {nag.entry} {
    // CHECK: %[[STATUS:.*]] = llvm.alloca %{{.*}} x i32
    // CHECK: %[[LAUNCHES:.*]] = llvm.load %[[STATUS]] : !llvm.ptr -> i32
    // CHECK: %[[OK:.*]] = arith.cmpi eq, %[[LAUNCHES]], %{{.*}} : i32
    // CHECK: scf.if %[[OK]] {
    // CHECK:   %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[M]]
    // CHECK:   memref.extract_strided_metadata %[[M]]
    // CHECK:   %[[MODULE:.*]] = llvm.mlir.addressof @kernels_module
    // CHECK:   %[[AFTER:.*]] = llvm.call @nag_launch(%[[MODULE]], {{.*}}, %[[STREAM]], %{{.*}}) :
    // CHECK:   llvm.store %[[AFTER]], %[[STATUS]]
    // CHECK: }
    // CHECK-NOT: gpu.launch_func
    // CHECK: %[[LAST:.*]] = llvm.load %[[STATUS]]
    // CHECK: %[[IS_OK:.*]] = arith.cmpi eq, %[[LAST]]
    // CHECK: %[[RESULT:.*]] = arith.select %[[IS_OK]], %{{.*}}, %[[LAST]] : i32
    // CHECK: return %[[RESULT]]
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%m : memref<?x8xbf16, strided<[?, 1], offset: ?>>, %c1 : index, %n : i32)
    return %c0 : i32
  }
  // CHECK-LABEL: func.func @entry_prepare() -> i32 attributes {nag.entry}
  // CHECK: llvm.call @nag_prepare(
  // CHECK-LABEL: func.func @entry_release() -> i32 attributes {nag.entry}
  // CHECK: llvm.call @nag_release(
  // CHECK-NOT: gpu.module
  gpu.module @kernels attributes {nag.image = "PTX"} {
    gpu.func @k(%m: memref<?x8xbf16, strided<[?, 1], offset: ?>>, %i: index, %n: i32) kernel {
      gpu.return
    }
  }
}

// -----

// A grid that stays is cut to what the device holds.
// CHECK-LABEL: module {{.*}}{
// CHECK-DAG: llvm.func @nag_launch_persistent(!llvm.ptr, i32, i64, i64, i64, i32, i32, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-LABEL: func.func @stays(
// CHECK: llvm.call @nag_launch_persistent(
// CHECK: llvm.call @nag_launch(
module attributes {gpu.container_module} {
  func.func @stays(%stream: !llvm.ptr) -> i32 attributes {nag.entry} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        {nag.persistent}
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return %c0 : i32
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

// Kernels that nothing launches leave no trace, and host code stays as it is.
// CHECK-LABEL: module {
// CHECK-NEXT: func.func @host() {
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }
module attributes {gpu.container_module} {
  func.func @host() {
    return
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

// CHECK-LABEL: module @empty {
// CHECK-NEXT: }
module @empty {
}
