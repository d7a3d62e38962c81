// What comes after a number that is nearly always the same is there twice: for that number, and in general.
// RUN: nag-opt %s --row-to-cpu --canonicalize --cse --split-input-file | FileCheck %s

// The walk that finds the largest magnitude adds up the row as well, as if the scale were one: no product. Only if it is
// not, the row is walked over again.
// CHECK-LABEL: @scaled_sum
// CHECK: scf.parallel
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.maxui %{{.*}} : vector<64xi32>
// CHECK-NOT: arith.mulf
// CHECK: arith.addf %{{.*}} : vector<64xf32>
// CHECK: %[[IS_ONE:.*]] = arith.cmpf oeq, %{{.*}}, %cst{{.*}} : f32
// CHECK: scf.if %[[IS_ONE]] {
// CHECK-NOT: scf.for
// CHECK: memref.store
// CHECK: } else {
// CHECK: scf.for
// CHECK: arith.mulf %{{.*}} : vector<64xf32>
// CHECK: arith.addf %{{.*}} : vector<64xf32>
// CHECK: memref.store
func.func @scaled_sum(%x: memref<?x2048xf32>, %y: memref<?xf32>) {
  row.kernel "k" ins(%x : memref<?x2048xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: !row.row<2048xf32>, %out: !row.row<f32>):
    %one = arith.constant 1.0 : f32
    %bits = row.load %in : !row.row<2048xf32> -> !row.vec<2048xi32>
    %top = row.reduce umax %bits : !row.vec<2048xi32> -> i32
    %f = arith.bitcast %top : i32 to f32
    %scale = row.expect %f = 1.0 : f32
    %inverse = arith.divf %one, %scale : f32
    %v = row.load %in : !row.row<2048xf32> -> !row.vec<2048xf32>
    %scaled = row.map %v : !row.vec<2048xf32> -> !row.vec<2048xf32> {
    ^bb0(%e: f32):
      %0 = arith.mulf %e, %inverse : f32
      row.yield %0 : f32
    }
    %s = row.reduce add %scaled : !row.vec<2048xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  }
  return
}

// -----

// A number of the row that the next walk needs is not known before this one ends.
// CHECK-LABEL: @needs_the_sum
// CHECK: scf.if
// CHECK: scf.for
// CHECK: } else {
// CHECK: scf.for
func.func @needs_the_sum(%x: memref<?x2048xf32>, %y: memref<?xf32>) {
  row.kernel "k" ins(%x : memref<?x2048xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: !row.row<2048xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<2048xf32> -> !row.vec<2048xf32>
    %sum = row.reduce add %v : !row.vec<2048xf32> -> f32
    %zero = row.expect %sum = 0.0 : f32
    %c = row.map %v : !row.vec<2048xf32> -> !row.vec<2048xf32> {
    ^bb0(%e: f32):
      %0 = arith.subf %e, %sum : f32
      %1 = arith.subf %0, %zero : f32
      row.yield %1 : f32
    }
    %s = row.reduce add %c times %c : !row.vec<2048xf32>, !row.vec<2048xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  }
  return
}
