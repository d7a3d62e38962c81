// A kernel holds no more between its rounds than its budget; what adds nothing is fused whatever is held.
// RUN: nag-opt %s --split-input-file --nag-to-row --canonicalize --cse --row-fuse | FileCheck %s
// RUN: nag-opt %s --split-input-file --nag-to-row --canonicalize --cse --row-fuse --remark-format=emitRemark --remarks-filter=row-fuse 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: nag-opt %s --split-input-file --nag-to-row --canonicalize --cse --row-fuse=max-kept-bytes=16 | FileCheck %s --check-prefix=MORE
// RUN: nag-opt %s --split-input-file --nag-to-row --canonicalize --cse --row-fuse=max-kept-bytes=0 | FileCheck %s --check-prefix=NONE

// The stream and three branches, all of which the first round measures: 16 bytes.
// REMARK: remark: {{.*}}'update' is fused with 'update' before it
// REMARK: remark: {{.*}}'update' is not fused with 'update_update' before it: one program would hold 16 bytes for an element between its rounds, 12 at the most
// CHECK-LABEL: func.func @branches(
// CHECK: row.kernel "update_update"
// CHECK: row.kernel "update" ins
// MORE-LABEL: func.func @branches(
// MORE: row.kernel "update_update_update"
// NONE-LABEL: func.func @branches(
// NONE-COUNT-3: row.kernel "update" ins
func.func @branches(%R: tensor<?x8xbf16>, %f: tensor<?x8xbf16>, %g: tensor<?x8xbf16>, %h: tensor<?x8xbf16>, %alpha: tensor<f32>)
    -> tensor<?x8xbf16> {
  %0 = nag.update %R branch %f alpha %alpha : (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xbf16>
  %1 = nag.update %0 branch %g alpha %alpha : (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xbf16>
  %2 = nag.update %1 branch %h alpha %alpha : (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xbf16>
  return %2 : tensor<?x8xbf16>
}

// -----

// Modulators of one direction hold that direction, however many they are.
// CHECK-LABEL: func.func @modulators(
// CHECK: row.kernel "modulate_modulate_modulate"
// CHECK-NOT: row.kernel
// NONE-LABEL: func.func @modulators(
// NONE: row.kernel "modulate_modulate_modulate"
func.func @modulators(%D: tensor<?x8xbf16>, %beta: tensor<f32>, %w0: tensor<2x8xbf16>, %w1: tensor<2x8xbf16>,
                      %w2: tensor<2x8xbf16>, %b: tensor<2xf32>, %logits: tensor<2xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = nag.modulate %D by(%beta, %w0, %b, %logits)
      : (tensor<?x8xbf16>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>
  %1 = nag.modulate %D by(%beta, %w1, %b, %logits)
      : (tensor<?x8xbf16>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>
  %2 = nag.modulate %D by(%beta, %w2, %b, %logits)
      : (tensor<?x8xbf16>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// f64 has twice the bytes.
// CHECK-LABEL: func.func @doubles(
// CHECK: row.kernel "update_update"
// NONE-LABEL: func.func @doubles(
func.func @doubles(%R: tensor<?x8xf64>, %f: tensor<?x8xf64>, %g: tensor<?x8xf64>, %alpha: tensor<f64>) -> tensor<?x8xf64> {
  %0 = nag.update %R branch %f alpha %alpha : (tensor<?x8xf64>, tensor<?x8xf64>, tensor<f64>) -> tensor<?x8xf64>
  %1 = nag.update %0 branch %g alpha %alpha : (tensor<?x8xf64>, tensor<?x8xf64>, tensor<f64>) -> tensor<?x8xf64>
  return %1 : tensor<?x8xf64>
}
