// Fused products of f32 go through f64, on scalars and vectors; those of f64, and all else, stay.
// RUN: nag-opt %s --nag-cpu-expand-fma --split-input-file | FileCheck %s
// RUN: nag-opt %s --nag-cpu-expand-fma --nag-cpu-expand-fma --split-input-file | FileCheck %s

// CHECK-LABEL: @vector
// CHECK-SAME: %[[A:.*]]: vector<64xf32>, %[[B:.*]]: vector<64xf32>, %[[C:.*]]: vector<64xf32>
// CHECK-DAG: %[[WA:.*]] = arith.extf %[[A]] : vector<64xf32> to vector<64xf64>
// CHECK-DAG: %[[WB:.*]] = arith.extf %[[B]] : vector<64xf32> to vector<64xf64>
// CHECK: %[[AB:.*]] = arith.mulf %[[WA]], %[[WB]]
// CHECK: %[[WC:.*]] = arith.extf %[[C]] : vector<64xf32> to vector<64xf64>
// CHECK: %[[SUM:.*]] = arith.addf %[[AB]], %[[WC]]
// CHECK: arith.truncf %[[SUM]] : vector<64xf64> to vector<64xf32>
// CHECK-NOT: math.fma
func.func @vector(%a: vector<64xf32>, %b: vector<64xf32>, %c: vector<64xf32>) -> vector<64xf32> {
  %0 = math.fma %a, %b, %c : vector<64xf32>
  return %0 : vector<64xf32>
}

// -----

// CHECK-LABEL: @wide
// CHECK: math.fma %{{.*}} : f64
func.func @wide(%a: f64, %b: f64, %c: f64) -> f64 {
  %0 = math.fma %a, %b, %c : f64
  return %0 : f64
}

// -----

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(f32) -> f32

// CHECK-LABEL: @scalar
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @scalar(%a: f32) -> f32 {
  %0 = math.fma %a, %a, %a : f32
  %1 = math.exp %0 : f32
  return %1 : f32
}
