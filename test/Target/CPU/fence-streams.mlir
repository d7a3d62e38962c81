// A thread that stored past the caches fences before it is done, and threads meet once.
// RUN: nag-opt %s --nag-cpu-fence-streams | FileCheck %s
// RUN: nag-opt %s --nag-cpu-fence-streams --nag-cpu-fence-streams | FileCheck %s

// CHECK-LABEL: func.func private @declaration
func.func private @declaration()

// CHECK-LABEL: @threads
// CHECK: omp.parallel
// CHECK-NEXT: omp.wsloop nowait
// CHECK: vector.store {{.*}}nontemporal = true
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: omp.terminator
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @threads(%m: memref<?xf32>, %v: vector<16xf32>, %l: index, %u: index, %s: index) {
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%l) to (%u) step (%s) {
        vector.store %v, %m[%i] {nontemporal = true} : memref<?xf32>, vector<16xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// CHECK-LABEL: @serial
// CHECK: vector.store
// CHECK-NEXT: llvm.fence seq_cst
// CHECK-NEXT: return
func.func @serial(%m: memref<?xf32>, %v: vector<16xf32>, %i: index) {
  vector.store %v, %m[%i] {nontemporal = true} : memref<?xf32>, vector<16xf32>
  return
}

// CHECK-LABEL: @ordinary
// CHECK-NOT: llvm.fence
// CHECK-NOT: nowait
func.func @ordinary(%m: memref<?xf32>, %v: vector<16xf32>, %l: index, %u: index, %s: index) {
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%l) to (%u) step (%s) {
        vector.store %v, %m[%i] : memref<?xf32>, vector<16xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
