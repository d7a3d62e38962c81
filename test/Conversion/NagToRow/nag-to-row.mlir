// Every nag operation becomes one row program in destination style.
// RUN: nag-opt %s --nag-to-row --canonicalize --cse --split-input-file | FileCheck %s
// RUN: nag-opt %s --nag-to-row --split-input-file > %t && nag-opt %t --nag-to-row --split-input-file | diff %t -

// The row is scaled by a power of two from its largest magnitude, measured, and stored as direction and log-norm.
// CHECK-LABEL: @split
// CHECK-SAME: (%[[R:.*]]: tensor<?x100xbf16>)
// CHECK: %[[T:.*]] = tensor.dim %[[R]], %c0
// CHECK: %[[D0:.*]] = tensor.empty(%[[T]]) : tensor<?x100xbf16>
// CHECK: %[[S0:.*]] = tensor.empty(%[[T]]) : tensor<?xf32>
// CHECK: %[[K:.*]]:2 = row.kernel "split" ins(%[[R]] : tensor<?x100xbf16>) outs(%[[D0]], %[[S0]]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: !row.row<100xbf16>, %[[D:.*]]: !row.row<100xbf16>, %[[S:.*]]: !row.row<f32>):
// CHECK: row.load %[[IN]] : !row.row<100xbf16> -> !row.vec<100xi16>
// CHECK: row.reduce umax %{{.*}} : !row.vec<100xi16> -> i16
// CHECK: row.load %[[IN]] : !row.row<100xbf16> -> !row.vec<100xf32>
// CHECK: row.reduce add
// CHECK: math.sqrt
// CHECK: row.store %{{.*}}, %[[D]] : !row.vec<100xf32>, !row.row<100xbf16>
// CHECK: math.log
// CHECK: row.store %{{.*}}, %[[S]] : f32, !row.row<f32>
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @split(%R: tensor<?x100xbf16>) -> (tensor<?x100xbf16>, tensor<?xf32>) {
  %D, %s = nag.split %R : tensor<?x100xbf16> -> tensor<?x100xbf16>, tensor<?xf32>
  return %D, %s : tensor<?x100xbf16>, tensor<?xf32>
}

// -----

// exp(s) is taken as a square, since it may be out of range where R is not.
// CHECK-LABEL: @merge
// CHECK: row.kernel "merge"
// CHECK: arith.mulf %{{.*}}, %cst{{.*}} : f32
// CHECK: math.exp
// CHECK-NOT: math.exp
func.func @merge(%D: tensor<4x8xf32>, %s: tensor<4xf32>) -> tensor<4x8xf32> {
  %R = nag.merge %D, %s : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  return %R : tensor<4x8xf32>
}

// -----

// The mean: elements are cut at a grid, 12 = 1.5 * 2^3 for 8 of them, above which they add up without rounding.
// CHECK-LABEL: @center
// CHECK: row.kernel "center"
// CHECK: %[[GRID:.*]] = arith.constant 1.200000e+01 : f32
// CHECK: %[[ABOVE:.*]] = arith.addf %{{.*}}, %[[GRID]]
// CHECK: arith.subf %[[ABOVE]], %[[GRID]]
// CHECK-COUNT-2: row.reduce add
// CHECK-NOT: row.reduce add
func.func @center(%f: tensor<?x8xf16>) -> tensor<?x8xf32> {
  %0 = nag.center %f : tensor<?x8xf16> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Rows of bf16 are scaled where they have to be, which is expected to be seldom; their sums are taken of what is stored.
// CHECK-LABEL: @narrow
// CHECK: row.kernel "orthogonalize"
// CHECK: %[[EXPONENT:.*]] = row.expect %{{.*}} = 127 : i32
// CHECK: %[[D:.*]] = row.narrow %{{.*}} : !row.vec<8xf32> -> !row.vec<8xbf16>
// CHECK: row.reduce add %[[D]] times %[[D]] : !row.vec<8xbf16>, !row.vec<8xbf16> -> f32
// f16 never has to be scaled.
// CHECK-LABEL: @narrow_f16
// CHECK-NOT: umax
// CHECK: row.reduce add %{{.*}} : !row.vec<8xf16>, !row.vec<8xf16> -> f32
func.func @narrow(%f: tensor<?x8xbf16>, %D: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %0 = nag.orthogonalize %f against %D : tensor<?x8xbf16>, tensor<?x8xbf16> -> tensor<?x8xbf16>
  return %0 : tensor<?x8xbf16>
}
func.func @narrow_f16(%f: tensor<?x8xf16>, %D: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %0 = nag.orthogonalize %f against %D : tensor<?x8xf16>, tensor<?x8xf16> -> tensor<?x8xf16>
  return %0 : tensor<?x8xf16>
}

// -----

// P is formed before it is measured, and the guard lets a NaN through: not (rms(P) <= tol rms(f)).
// CHECK-LABEL: @scale
// CHECK: row.kernel "scale"
// CHECK: arith.cmpf ugt
// CHECK: arith.cmpf oeq
func.func @scale(%P: tensor<?x8xf32>, %f: tensor<?x8xbf16>) -> tensor<?x8xf32> {
  %0 = nag.scale %P relative_to %f : tensor<?x8xf32>, tensor<?x8xbf16> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// The modulator is computed in logarithms, from one contraction with w.
// CHECK-LABEL: @modulate
// CHECK: row.kernel "modulate"
// CHECK-SAME: tensor<4x8xf32>
// CHECK: row.contract %{{.*}} : !row.vec<8xf32>, !row.table<4x8xf32> -> vector<4xf32>
// CHECK: math.exp %{{.*}} : vector<4xf32>
// CHECK: arith.divf %{{.*}} : vector<4xf32>
// CHECK: math.log %{{.*}} : f32
// CHECK: math.exp %{{.*}} : f32
// CHECK-NOT: math.powf
func.func @modulate(%D: tensor<?x8xbf16>, %beta: tensor<f32>, %w: tensor<4x8xf32>, %b: tensor<4xf32>,
                    %l: tensor<4xf32>) -> tensor<?xf32> {
  %0 = nag.modulate %D by(%beta, %w, %b, %l)
      : (tensor<?x8xbf16>, tensor<f32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The fused update is one kernel, with the row read once and everything stored at its end.
// CHECK-LABEL: @update
// CHECK: row.kernel "update"
// CHECK-COUNT-2: row.reduce umax
// CHECK-NOT: row.kernel
// CHECK: arith.select
// CHECK: row.store
func.func @update(%R: tensor<2x?x8xf32>, %f: tensor<2x?x8xbf16>, %alpha: tensor<f32>) -> tensor<2x?x8xf32> {
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<2x?x8xf32>, tensor<2x?x8xbf16>, tensor<f32>) -> tensor<2x?x8xf32>
  return %0 : tensor<2x?x8xf32>
}

// -----

// A stream that keeps all digits of the arithmetic takes the part along it out of f twice.
// CHECK-LABEL: @orthogonalize
// CHECK: row.kernel "orthogonalize"
// CHECK-COUNT-2: math.fma
// CHECK: row.store
// CHECK-LABEL: @orthogonalize_bf16
// CHECK: row.kernel "orthogonalize"
// CHECK-COUNT-1: math.fma
// CHECK-NOT: math.fma
// CHECK: row.store
func.func @orthogonalize(%f: tensor<?x8xf32>, %D: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = nag.orthogonalize %f against %D : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func @orthogonalize_bf16(%f: tensor<?x8xbf16>, %D: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %0 = nag.orthogonalize %f against %D : tensor<?x8xbf16>, tensor<?x8xbf16> -> tensor<?x8xbf16>
  return %0 : tensor<?x8xbf16>
}

// -----

// f64 rows are computed in f64, with its own exponent and tolerance.
// CHECK-LABEL: @update_f64
// CHECK-DAG: arith.constant 2046 : i64
// CHECK-DAG: arith.constant 3.55{{.*}}E-15 : f64
// CHECK: row.load %{{.*}} : !row.row<8xf64> -> !row.vec<8xf64>
func.func @update_f64(%D: tensor<?x8xf64>, %s: tensor<?xf64>, %f: tensor<?x8xf64>, %alpha: tensor<f64>)
    -> (tensor<?x8xf64>, tensor<?xf64>) {
  %0, %1 = nag.update %D, %s branch %f alpha %alpha
      : (tensor<?x8xf64>, tensor<?xf64>, tensor<?x8xf64>, tensor<f64>) -> (tensor<?x8xf64>, tensor<?xf64>)
  return %0, %1 : tensor<?x8xf64>, tensor<?xf64>
}

// -----

// Declarations, other operations and several blocks are left alone.
// CHECK-LABEL: func.func private @branch
// CHECK-LABEL: @others
// CHECK: cf.cond_br
// CHECK: row.kernel "center"
// CHECK: call @branch
func.func private @branch(tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @others(%f: tensor<?x8xf32>, %c: i1) -> tensor<?x8xf32> {
  cf.cond_br %c, ^bb1, ^bb2(%f : tensor<?x8xf32>)
^bb1:
  %0 = nag.center %f : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = func.call @branch(%0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  cf.br ^bb2(%1 : tensor<?x8xf32>)
^bb2(%r: tensor<?x8xf32>):
  return %r : tensor<?x8xf32>
}

// -----

// CHECK: module
// CHECK-NOT: row.
module {}
