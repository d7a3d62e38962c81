// Products of bf16 are taken in pairs, and four tokens walk together over the table that they are contracted with.
// RUN: nag-opt %s --row-to-cpu --canonicalize --cse --split-input-file | FileCheck %s

// Phases: each token's squares, the contraction for all four, what each token makes of it. The last group may be smaller;
// places without a token repeat its last one. Numbers of one phase wait for the next in a buffer with four places.
// CHECK-LABEL: @contract
// CHECK: scf.parallel (%[[FIRST:.*]]) = (%c0) to (%[[T:.*]]) step (%c4)
// CHECK-DAG: %[[RESULTS:.*]] = memref.alloca() : memref<4xvector<2xf32>>
// CHECK-DAG: %[[REST:.*]] = arith.subi %{{.*}}, %[[FIRST]]
// CHECK-DAG: %[[LAST:.*]] = arith.minui %[[REST]], %c3
// CHECK: arith.minui %[[LAST]], %c1
// CHECK: scf.for %{{.*}} = %c0 to %c1024 step %c64 iter_args
// CHECK-COUNT-2: memref<2x1024xbf16>, vector<64xbf16>
// CHECK: vector.load %{{.*}} : memref<?x1024xbf16>, vector<64xbf16>
// CHECK: x86vector.avx512.dot %{{.*}} : vector<32xbf16> -> vector<16xf32>
// CHECK-COUNT-3: vector.load %{{.*}} : memref<?x1024xbf16>, vector<64xbf16>
// CHECK-COUNT-4: memref.store %{{.*}}, %[[RESULTS]]
// CHECK: scf.for %[[PLACE:.*]] = %c0 to %{{.*}} step %c1
// CHECK: x86vector.avx512.dot
// CHECK: memref.load %[[RESULTS]][%[[PLACE]]]
func.func @contract(%x: memref<?x1024xbf16>, %w: memref<2x1024xbf16>, %y: memref<?xf32>) {
  row.kernel "k" ins(%x, %w : memref<?x1024xbf16>, memref<2x1024xbf16>) outs(%y : memref<?xf32>) {
  ^bb0(%in: !row.row<1024xbf16>, %table: !row.table<2x1024xbf16>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<1024xbf16> -> !row.vec<1024xbf16>
    %q = row.reduce add %v times %v : !row.vec<1024xbf16>, !row.vec<1024xbf16> -> f32
    %t = row.contract %v, %table : !row.vec<1024xbf16>, !row.table<2x1024xbf16> -> vector<2xf32>
    %u = vector.extract %t[1] : f32 from vector<2xf32>
    %s = arith.divf %u, %q : f32
    row.store %s, %out : f32, !row.row<f32>
  }
  return
}

// -----

// f16 has no such instruction: it is widened, and each token walks alone.
// CHECK-LABEL: @contract_f16
// CHECK: scf.parallel (%{{.*}}) = (%c0) to (%{{.*}}) step (%c1)
// CHECK-NOT: x86vector
// CHECK: math.fma %{{.*}} : vector<64xf32>
func.func @contract_f16(%x: memref<?x1024xf16>, %w: memref<2x1024xf16>, %y: memref<?xf32>) {
  row.kernel "k" ins(%x, %w : memref<?x1024xf16>, memref<2x1024xf16>) outs(%y : memref<?xf32>) {
  ^bb0(%in: !row.row<1024xf16>, %table: !row.table<2x1024xf16>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<1024xf16> -> !row.vec<1024xf16>
    %t = row.contract %v, %table : !row.vec<1024xf16>, !row.table<2x1024xf16> -> vector<2xf32>
    %u = vector.extract %t[1] : f32 from vector<2xf32>
    row.store %u, %out : f32, !row.row<f32>
  }
  return
}
