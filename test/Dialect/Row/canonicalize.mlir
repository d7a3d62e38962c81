// Canonical forms of row.kernel: constant tables, unused and repeated inputs.
// RUN: nag-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @constant_table
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>,
// CHECK: row.kernel "scale" ins(%[[X]] : tensor<?x8xf32>)
// CHECK: ^bb0(%{{.*}}: !row.row<8xf32>, %{{.*}}: !row.row<8xf32>):
// CHECK: arith.constant 2.5{{.*}} : f32
func.func @constant_table(%x: tensor<?x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %alpha = arith.constant dense<2.5> : tensor<f32>
  %0 = row.kernel "scale" ins(%x, %alpha : tensor<?x8xf32>, tensor<f32>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %factor: !row.table<f32>, %out: !row.row<8xf32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %a = row.load %factor : !row.table<f32> -> f32
    %y = row.map %v : !row.vec<8xf32> -> !row.vec<8xf32> {
    ^bb0(%e: f32):
      %m = arith.mulf %e, %a : f32
      row.yield %m : f32
    }
    row.store %y, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// A constant of [C], widened from its storage type.
// CHECK-LABEL: @constant_vector
// CHECK-NOT: dense<{{.*}}> : tensor
// CHECK: arith.constant dense<[1.500000e+00, 2.000000e+00]> : vector<2xf32>
func.func @constant_vector(%x: tensor<?xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %b = arith.constant dense<[1.5, 2.0]> : tensor<2xbf16>
  %0 = row.kernel "sum" ins(%x, %b : tensor<?xf32>, tensor<2xbf16>) outs(%init : tensor<?xf32>) {
  ^bb0(%in: !row.row<f32>, %table: !row.table<2xbf16>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<f32> -> f32
    %t = row.load %table : !row.table<2xbf16> -> vector<2xf32>
    %s = vector.reduction <add>, %t : vector<2xf32> into f32
    %y = arith.addf %v, %s : f32
    row.store %y, %out : f32, !row.row<f32>
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A matrix of constants stays an operand: it would be too much to hold.
// CHECK-LABEL: @constant_matrix
// CHECK: arith.constant dense<1.000000e+00> : tensor<2x8xf32>
// CHECK: ins(%{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<2x8xf32>)
func.func @constant_matrix(%x: tensor<?x8xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %w = arith.constant dense<1.0> : tensor<2x8xf32>
  %0 = row.kernel "dot" ins(%x, %w : tensor<?x8xf32>, tensor<2x8xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%in: !row.row<8xf32>, %table: !row.table<2x8xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %t = row.contract %v, %table : !row.vec<8xf32>, !row.table<2x8xf32> -> vector<2xf32>
    %s = vector.reduction <add>, %t : vector<2xf32> into f32
    row.store %s, %out : f32, !row.row<f32>
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: @unused_and_repeated
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %{{.*}}: tensor<?x8xf32>, %[[INIT:.*]]: tensor<?x8xf32>)
// CHECK: row.kernel "add" ins(%[[X]] : tensor<?x8xf32>) outs(%[[INIT]] : tensor<?x8xf32>)
func.func @unused_and_repeated(%x: tensor<?x8xf32>, %z: tensor<?x8xf32>, %init: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = row.kernel "add" ins(%x, %z, %x : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>)
      outs(%init : tensor<?x8xf32>) {
  ^bb0(%a: !row.row<8xf32>, %unused: !row.row<8xf32>, %b: !row.row<8xf32>, %out: !row.row<8xf32>):
    %u = row.load %a : !row.row<8xf32> -> !row.vec<8xf32>
    %v = row.load %b : !row.row<8xf32> -> !row.vec<8xf32>
    %y = row.map %u, %v : !row.vec<8xf32>, !row.vec<8xf32> -> !row.vec<8xf32> {
    ^bb0(%e: f32, %f: f32):
      %m = arith.addf %e, %f : f32
      row.yield %m : f32
    }
    row.store %y, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// A result that nobody uses is not stored, nor what only it needs computed.
// CHECK-LABEL: func.func @unused_result(
// CHECK: row.kernel "both" ins(%{{.*}} : tensor<?x8xf32>) outs(%{{.*}} : tensor<?xf32>) schedule #row.schedule<warp, threads = 32, rows = 4> {
// CHECK-NOT: row.map
// CHECK: row.store
// CHECK-NOT: row.store
// CHECK: } -> tensor<?xf32>
func.func @unused_result(%x: tensor<?x8xf32>, %i: tensor<?x8xf32>, %n: tensor<?xf32>) -> tensor<?xf32> {
  %0:2 = row.kernel "both" ins(%x : tensor<?x8xf32>) outs(%i, %n : tensor<?x8xf32>, tensor<?xf32>)
      schedule #row.schedule<warp, threads = 32, rows = 4> {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>, %total: !row.row<f32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %y = row.map %v : !row.vec<8xf32> -> !row.vec<8xf32> {
    ^bb0(%e: f32):
      %q = arith.addf %e, %e : f32
      row.yield %q : f32
    }
    row.store %y, %out : !row.vec<8xf32>, !row.row<8xf32>
    %s = row.reduce add %v : !row.vec<8xf32> -> f32
    row.store %s, %total : f32, !row.row<f32>
  } -> tensor<?x8xf32>, tensor<?xf32>
  return %0#1 : tensor<?xf32>
}
