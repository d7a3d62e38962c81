// An entry keeps its name and takes descriptors; beside it stands the packed form; everything else is internal.
// RUN: nag-opt %s --nag-cpu-to-llvm="cpu=x86-64 openmp=false" | FileCheck %s
// RUN: nag-opt %s --nag-cpu-to-llvm="cpu=x86-64" | FileCheck %s --check-prefix=OMP
// RUN: nag-opt %s --nag-cpu-to-llvm="cpu=x86-64 openmp=false" | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// CHECK: module attributes {llvm.data_layout = "{{.+}}", llvm.target_triple = "x86_64-{{.+}}"}
// CHECK: llvm.func internal @helper
// CHECK: llvm.func internal @double.impl
// CHECK-SAME: always_inline
// CHECK: llvm.func internal @double.descriptors
// CHECK: llvm.func @double(%[[IN:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr, %[[STREAM:.*]]: !llvm.ptr) -> i32
// Argument 1 is null: (3 << 16) | (1 << 8) | 255.
// CHECK-DAG: llvm.mlir.constant(197119 : i32)
// CHECK-DAG: llvm.mlir.constant(196863 : i32)
// CHECK: llvm.call @double.descriptors(%[[IN]], %[[OUT]], %[[STREAM]])
// CHECK: llvm.func @double_packed(%[[ARGS:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.getelementptr %[[ARGS]][2]
// CHECK: llvm.call @double(
// CHECK-SAME: no_inline

// OMP: omp.parallel
// OMP: omp.wsloop

// IR-NOT: call {{.*}}memrefCopy
// IR: define internal {{.*}}@double.impl
// IR: define i32 @double(

func.func @helper(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}

func.func @double(%in: memref<?xf32, strided<[?], offset: ?>> {nag.name = "in"},
                  %out: memref<?xf32, strided<[?], offset: ?>>, %stream: !llvm.ptr) -> i32 attributes {nag.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %in, %c0 : memref<?xf32, strided<[?], offset: ?>>
  memref.copy %in, %out : memref<?xf32, strided<[?], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %in[%i] : memref<?xf32, strided<[?], offset: ?>>
    %y = func.call @helper(%x) : (f32) -> f32
    memref.store %y, %out[%i] : memref<?xf32, strided<[?], offset: ?>>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
}
