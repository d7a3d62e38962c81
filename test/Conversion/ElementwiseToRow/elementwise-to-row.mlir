// Element-wise operations on tensors become row programs, rounded as they stand.
// RUN: nag-opt %s --split-input-file --nag-to-row --elementwise-to-row --canonicalize | FileCheck %s
// RUN: nag-opt %s --split-input-file --nag-to-row --elementwise-to-row --row-fuse --canonicalize --cse | FileCheck %s --check-prefix=FUSED
// RUN: nag-opt %s --split-input-file --elementwise-to-row > %t
// RUN: nag-opt %t --split-input-file --elementwise-to-row | diff %t -

// What is done to a branch before the update: one kernel, with the sum rounded to bf16 in between. Fast-math flags would
// let what is fused change bits.
// CHECK-LABEL: func.func @branch(
// CHECK: row.kernel "addf" ins(%{{.*}}, %{{.*}} : tensor<?x8xbf16>, tensor<?x8xbf16>) outs(%{{.*}} : tensor<?x8xbf16>)
// CHECK: %[[X:.*]] = row.load %{{.*}} : !row.row<8xbf16> -> !row.vec<8xf32>
// CHECK: %[[Y:.*]] = row.load %{{.*}} : !row.row<8xbf16> -> !row.vec<8xf32>
// CHECK: row.map %[[X]], %[[Y]]
// CHECK: arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f32
// CHECK: row.store %{{.*}}, %{{.*}} : !row.vec<8xf32>, !row.row<8xbf16>
// CHECK: row.kernel "update"
// FUSED-LABEL: func.func @branch(
// FUSED: row.kernel "addf_update"
// FUSED: arith.addf
// FUSED: %[[STORED:.*]] = arith.truncf %{{.*}} : f32 to bf16
// FUSED: arith.bitcast %[[STORED]] : bf16 to i16
// FUSED-NOT: row.kernel
func.func @branch(%R: tensor<?x8xbf16>, %f: tensor<?x8xbf16>, %g: tensor<?x8xbf16>, %alpha: tensor<f32>) -> tensor<?x8xbf16> {
  %h = arith.addf %f, %g fastmath<fast> : tensor<?x8xbf16>
  %R1 = nag.update %R branch %h alpha %alpha : (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xbf16>
  return %R1 : tensor<?x8xbf16>
}

// -----

// A cast is a load and a store; a condition is computed where it is used; a splat is a constant.
// CHECK-LABEL: func.func @select(
// CHECK: row.kernel "extf"
// CHECK: %[[X:.*]] = row.load
// CHECK-NEXT: row.store %[[X]]
// CHECK: row.kernel "select" ins(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<2x8xf32>)
// CHECK: row.map
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: arith.andi
// CHECK: arith.select
// CHECK-NOT: arith.cmpf
// FUSED-LABEL: func.func @select(
// FUSED: row.kernel "extf_select"
func.func @select(%x: tensor<2x8xbf16>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x8xf32>
  %w = arith.extf %x : tensor<2x8xbf16> to tensor<2x8xf32>
  %0 = arith.cmpf olt, %w, %y : tensor<2x8xf32>
  %1 = arith.cmpf ogt, %w, %zero : tensor<2x8xf32>
  %2 = arith.andi %0, %1 : tensor<2x8xi1>
  %3 = arith.select %2, %w, %zero : tensor<2x8xi1>, tensor<2x8xf32>
  return %3 : tensor<2x8xf32>
}

// -----

// Numbers of tokens, which the kernels around them tell from rows: [?, 4] here. What nobody tells is a row where the last
// dimension is known.
// CHECK-LABEL: func.func @numbers(
// CHECK: row.kernel "mulf"
// CHECK-NEXT: ^bb0(%{{.*}}: !row.row<f32>, %{{.*}}: !row.row<f32>)
// CHECK: row.kernel "sqrt"
// CHECK-NEXT: ^bb0(%{{.*}}: !row.row<4xf32>, %{{.*}}: !row.row<4xf32>)
// CHECK: row.kernel "exp"
// CHECK-NEXT: ^bb0(%{{.*}}: !row.row<f32>, %{{.*}}: !row.row<f32>)
// CHECK: row.kernel "negf"
// CHECK-NEXT: ^bb0(%{{.*}}: !row.row<f32>, %{{.*}}: !row.row<f32>)
// FUSED-LABEL: func.func @numbers(
// FUSED: row.kernel "mulf_merge"
func.func @numbers(%D: tensor<?x4x8xf32>, %s: tensor<?x4xf32>, %t: tensor<?x4xf32>, %u: tensor<?x?xf32>, %v: tensor<f32>)
    -> (tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<?x?xf32>, tensor<f32>) {
  %0 = arith.mulf %s, %s : tensor<?x4xf32>
  %R = nag.merge %D, %0 : tensor<?x4x8xf32>, tensor<?x4xf32> -> tensor<?x4x8xf32>
  %1 = math.sqrt %t : tensor<?x4xf32>
  %2 = math.exp %u : tensor<?x?xf32>
  %3 = arith.negf %v : tensor<f32>
  return %R, %1, %2, %3 : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<?x?xf32>, tensor<f32>
}

// -----

// What is not known, or not on floats, stays: here and in any operation around it.
// CHECK-LABEL: func.func @others(
// CHECK: math.sin
// CHECK: arith.truncf %{{.*}} downward
// CHECK: arith.addi
// CHECK: arith.sitofp
// CHECK: math.fma
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8xf32>
// CHECK: arith.addf %{{.*}} : f32
// CHECK-NOT: row.kernel
func.func private @declaration(tensor<?x8xf32>)
func.func @others(%x: tensor<?x8xf32>, %i: tensor<?x8xi32>, %h: tensor<?x8xbf16>, %c: i1, %e: f32)
    -> (tensor<?x8xf32>, tensor<?x8xbf16>, tensor<?x8xf32>, tensor<?x8xbf16>, tensor<?x8xf32>, f32) {
  %0 = math.sin %x : tensor<?x8xf32>
  %1 = arith.truncf %x downward : tensor<?x8xf32> to tensor<?x8xbf16>
  %2 = arith.addi %i, %i : tensor<?x8xi32>
  %3 = arith.sitofp %2 : tensor<?x8xi32> to tensor<?x8xf32>
  %4 = math.fma %h, %h, %h : tensor<?x8xbf16>
  %5 = arith.select %c, %x, %3 : tensor<?x8xf32>
  %6 = arith.addf %e, %e : f32
  return %0, %1, %3, %4, %5, %6 : tensor<?x8xf32>, tensor<?x8xbf16>, tensor<?x8xf32>, tensor<?x8xbf16>, tensor<?x8xf32>, f32
}

// -----

module {}
