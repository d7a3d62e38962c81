// A row program becomes a parallel loop over tokens with one walk over the row for each round.
// RUN: nag-opt %s --row-to-cpu --canonicalize --cse --split-input-file | FileCheck %s
// RUN: nag-opt %s --row-to-cpu --split-input-file > %t && nag-opt %t --row-to-cpu --split-input-file | diff %t -

// One step of 64 and a masked one for the last 36 elements; lanes past the row do not join the sum.
// CHECK-LABEL: @subtract_mean
// CHECK-SAME: (%[[IN:.*]]: memref<?x100xbf16, strided<[?, 1], offset: ?>>, %[[OUT:.*]]: memref<?x100xbf16
// CHECK: scf.parallel (%[[T:.*]]) =
// CHECK: %[[X0:.*]] = vector.load %[[IN]][%[[T]], %c0] : {{.*}}, vector<64xbf16>
// CHECK: %[[MASK:.*]] = vector.constant_mask [36] : vector<64xi1>
// CHECK: %[[X1:.*]] = vector.maskedload %[[IN]][%[[T]], %c64], %[[MASK]]
// CHECK: %[[F1:.*]] = arith.extf %[[X1]]
// CHECK: arith.select %[[MASK]], %[[F1]], %{{.*}} : vector<64xi1>, vector<64xf32>
// The lanes are folded halves onto halves.
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [32], sizes = [32]
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [1], sizes = [1]
// CHECK: arith.divf
// The second walk reads the row again: widening and subtracting is cheaper than keeping.
// CHECK-NOT: memref.alloca
// It stores past the caches where there is much to store and the row begins at a cache line.
// CHECK-DAG: %[[LARGE:.*]] = arith.cmpi ugt, %{{.*}}, %c16777216 : index
// CHECK-DAG: %[[LINE:.*]] = arith.andi %{{.*}}, %c63 : index
// CHECK-DAG: %[[ALIGNED:.*]] = arith.cmpi eq, %[[LINE]], %c0 : index
// CHECK: %[[BOTH:.*]] = arith.andi %[[LARGE]], %[[ALIGNED]] : i1
// CHECK: scf.if %[[BOTH]] {
// CHECK: arith.subf
// CHECK: arith.truncf %{{.*}} : vector<64xf32> to vector<64xbf16>
// CHECK: vector.store %{{.*}}, %[[OUT]][%[[T]], %c0] {alignment = 64 : i64, nontemporal = true}
// CHECK: vector.maskedstore %[[OUT]][%[[T]], %c64], %[[MASK]]
// CHECK: } else {
// CHECK: vector.store %{{.*}}, %[[OUT]][%[[T]], %c0] : memref
// CHECK: vector.maskedstore %[[OUT]][%[[T]], %c64], %[[MASK]]
func.func @subtract_mean(%x: memref<?x100xbf16, strided<[?, 1], offset: ?>>,
                         %y: memref<?x100xbf16, strided<[?, 1], offset: ?>>) {
  row.kernel "subtract_mean" ins(%x : memref<?x100xbf16, strided<[?, 1], offset: ?>>)
      outs(%y : memref<?x100xbf16, strided<[?, 1], offset: ?>>) {
  ^bb0(%in: !row.row<100xbf16>, %out: !row.row<100xbf16>):
    %d = arith.constant 100.0 : f32
    %v = row.load %in : !row.row<100xbf16> -> !row.vec<100xf32>
    %s = row.reduce add %v : !row.vec<100xf32> -> f32
    %m = arith.divf %s, %d : f32
    %c = row.map %v : !row.vec<100xf32> -> !row.vec<100xf32> {
    ^bb0(%e: f32):
      %0 = arith.subf %e, %m : f32
      row.yield %0 : f32
    }
    row.store %c, %out : !row.vec<100xf32>, !row.row<100xbf16>
  }
  return
}

// -----

// No lane adds more than 64 terms one after the other: 8,192 elements are eight blocks of 16 steps.
// CHECK-LABEL: @blocks
// CHECK: scf.for %{{.*}} = %c0 to %c8192 step %c1024 iter_args(%[[TOTAL:.*]] = %[[ZERO:.*]]) -> (vector<64xf32>)
// CHECK: %[[BLOCK:.*]] = scf.for %{{.*}} = %c0 to %c1024 step %c64 iter_args(%{{.*}} = %[[ZERO]]) -> (vector<64xf32>)
// CHECK: arith.addf %[[TOTAL]], %[[BLOCK]] : vector<64xf32>
func.func @blocks(%x: memref<?x8192xf32, strided<[?, 1]>>, %y: memref<?xf32>) {
  row.kernel "sum" ins(%x : memref<?x8192xf32, strided<[?, 1]>>) outs(%y : memref<?xf32>) {
  ^bb0(%in: !row.row<8192xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<8192xf32> -> !row.vec<8192xf32>
    %s = row.reduce add %v : !row.vec<8192xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  }
  return
}

// -----

// Token dimensions become loops, of any number.
// CHECK-LABEL: @two_token_dimensions
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) =
// CHECK: memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK-LABEL: @one_token
// CHECK-NOT: scf.parallel
// CHECK: memref.store
func.func @two_token_dimensions(%x: memref<2x?xf32>, %y: memref<2x?xf32>) {
  row.kernel "copy" ins(%x : memref<2x?xf32>) outs(%y : memref<2x?xf32>) {
  ^bb0(%in: !row.row<f32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<f32> -> f32
    row.store %v, %out : f32, !row.row<f32>
  }
  return
}
func.func @one_token(%x: memref<f32>, %y: memref<f32>) {
  row.kernel "copy" ins(%x : memref<f32>) outs(%y : memref<f32>) {
  ^bb0(%in: !row.row<f32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<f32> -> f32
    row.store %v, %out : f32, !row.row<f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func private @declared
func.func private @declared(memref<?xf32>)
