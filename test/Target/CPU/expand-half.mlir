// Conversions of 16-bit floats become integer arithmetic of the same shape; nothing else changes.
// RUN: nag-opt %s --nag-cpu-expand-half --split-input-file | FileCheck %s
// RUN: nag-opt %s --nag-cpu-expand-half="f16=false bf16=false" --split-input-file | FileCheck %s --check-prefix=NATIVE

// CHECK-LABEL: @to_bf16
// CHECK-NOT: arith.truncf
// CHECK-DAG: %[[X:.*]] = arith.bitcast %{{.*}} : vector<64xf32> to vector<64xi32>
// CHECK-DAG: %[[NAN:.*]] = arith.cmpf uno
// CHECK: arith.select %[[NAN]]
// CHECK: arith.trunci %{{.*}} : vector<64xi32> to vector<64xi16>
// CHECK: arith.bitcast %{{.*}} : vector<64xi16> to vector<64xbf16>
// NATIVE-LABEL: @to_bf16
// NATIVE: arith.truncf %{{.*}} : vector<64xf32> to vector<64xbf16>
func.func @to_bf16(%x: vector<64xf32>) -> vector<64xbf16> {
  %y = arith.truncf %x : vector<64xf32> to vector<64xbf16>
  return %y : vector<64xbf16>
}

// -----

// CHECK-LABEL: @from_f16
// CHECK-NOT: arith.extf
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: arith.subf %{{.*}} : f32
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// NATIVE-LABEL: @from_f16
// NATIVE: arith.extf %{{.*}} : f16 to f32
func.func @from_f16(%x: f16) -> f32 {
  %y = arith.extf %x : f16 to f32
  return %y : f32
}

// -----

// Even a processor that converts f32 has no f64 to f16: through f32, rounded to odd, so that it is rounded once.
// NATIVE-LABEL: @double_to_f16
// NATIVE: %[[NEAREST:.*]] = arith.truncf %{{.*}} : f64 to f32
// NATIVE: arith.extf %[[NEAREST]] : f32 to f64
// NATIVE: %[[ODD:.*]] = arith.bitcast %{{.*}} : i32 to f32
// NATIVE: arith.truncf %[[ODD]] : f32 to f16
func.func @double_to_f16(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}

// -----

// Another rounding is not ours to change.
// CHECK-LABEL: @upward
// CHECK: arith.truncf %{{.*}} upward : f32 to bf16
func.func @upward(%x: f32) -> bf16 {
  %y = arith.truncf %x upward : f32 to bf16
  return %y : bf16
}
