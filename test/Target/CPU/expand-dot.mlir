// A dot product of bf16 is two fused products: the second elements of the pairs, then the first ones.
// RUN: nag-opt %s --nag-cpu-expand-dot | FileCheck %s
// RUN: nag-opt %s --nag-cpu-expand-dot --nag-cpu-expand-dot | FileCheck %s

// CHECK-LABEL: @dot
// CHECK-SAME: %[[S:.*]]: vector<16xf32>, %[[A:.*]]: vector<32xbf16>, %[[B:.*]]: vector<32xbf16>
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<16> : vector<16xi32>
// CHECK-DAG: %[[UPPER:.*]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK: %[[BITS:.*]] = vector.bitcast %[[A]] : vector<32xbf16> to vector<16xi32>
// CHECK: %[[LOW:.*]] = arith.shli %[[BITS]], %[[HALF]]
// CHECK: %[[HIGH:.*]] = arith.andi %[[BITS]], %[[UPPER]]
// CHECK: %[[EVEN_A:.*]] = arith.bitcast %[[LOW]] : vector<16xi32> to vector<16xf32>
// CHECK: %[[ODD_A:.*]] = arith.bitcast %[[HIGH]] : vector<16xi32> to vector<16xf32>
// CHECK: %[[EVEN_B:.*]] = arith.bitcast
// CHECK: %[[ODD_B:.*]] = arith.bitcast
// CHECK: %[[ODD:.*]] = math.fma %[[ODD_A]], %[[ODD_B]], %[[S]]
// CHECK: math.fma %[[EVEN_A]], %[[EVEN_B]], %[[ODD]]
// CHECK-NOT: x86vector
func.func @dot(%s: vector<16xf32>, %a: vector<32xbf16>, %b: vector<32xbf16>) -> vector<16xf32> {
  %0 = x86vector.avx512.dot %s, %a, %b : vector<32xbf16> -> vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(f32) -> f32

// CHECK-LABEL: @others
// CHECK: math.fma %{{.*}} : f64
func.func @others(%a: f64) -> f64 {
  %0 = math.fma %a, %a, %a : f64
  return %0 : f64
}
