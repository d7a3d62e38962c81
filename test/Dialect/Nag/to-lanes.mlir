// A stream in residual form goes through lanes where that moves fewer rows, and comes back where it must.
// RUN: nag-opt %s --split-input-file --nag-to-lanes | FileCheck %s
// RUN: nag-opt %s --split-input-file --nag-to-lanes --remark-format=emitRemark --remarks-filter=nag-to-lanes 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: nag-opt %s --split-input-file --nag-to-lanes > %t
// RUN: nag-opt %t --split-input-file --nag-to-lanes | diff %t -

// Three sub-layers whose branches read the direction: the split of each becomes the direction that is there.
// REMARK: remark: {{.*}}a stream of 3 update(s) goes through lanes: rows moved for a token get fewer by 2
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[R:[a-zA-Z0-9]+]]: tensor<?x8xbf16>, %[[ALPHA:[a-zA-Z0-9]+]]: tensor<f32>
// CHECK: %[[D:.*]], %[[S:.*]] = nag.split %[[R]] : tensor<?x8xbf16> -> tensor<?x8xbf16>, tensor<?xf32>
// CHECK: %[[F:.*]] = call @branch(%[[D]])
// CHECK: %[[D1:.*]], %[[S1:.*]] = nag.update %[[D]], %[[S]] branch %[[F]] alpha %[[ALPHA]] {tol = 1.000000e-03 : f64}
// CHECK-NOT: nag.split
// CHECK: %[[F1:.*]] = call @branch(%[[D1]])
// CHECK: %[[D2:.*]], %[[N2:.*]]:2 = nag.update %[[D1]], %[[S1]] branch %[[F1]] alpha %[[ALPHA]] modulator
// CHECK: %[[F2:.*]] = call @branch(%[[D2]])
// CHECK: %[[D3:.*]], %[[S3:.*]] = nag.update %[[D2]], %[[N2]]#0 branch %[[F2]]
// CHECK: %[[R3:.*]] = nag.merge %[[D3]], %[[S3]] : tensor<?x8xbf16>, tensor<?xf32> -> tensor<?x8xbf16>
// CHECK: return %[[R3]], %[[N2]]#1, %[[S1]]
func.func private @branch(tensor<?x8xbf16>) -> tensor<?x8xbf16>
func.func @chain(%R: tensor<?x8xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x8xbf16>,
                 %b: tensor<2xf32>, %logits: tensor<2xf32>) -> (tensor<?x8xbf16>, tensor<?xf32>, tensor<?xf32>) {
  %D, %s = nag.split %R : tensor<?x8xbf16> -> tensor<?x8xbf16>, tensor<?xf32>
  %f = call @branch(%D) : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %R1 = nag.update %R branch %f alpha %alpha {tol = 0.001}
      : (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xbf16>
  %D1, %s1 = nag.split %R1 : tensor<?x8xbf16> -> tensor<?x8xbf16>, tensor<?xf32>
  %f1 = call @branch(%D1) : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %R2, %m = nag.update %R1 branch %f1 alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<f32>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<?x8xbf16>, tensor<?xf32>)
  %D2, %s2 = nag.split %R2 : tensor<?x8xbf16> -> tensor<?x8xbf16>, tensor<?xf32>
  %f2 = call @branch(%D2) : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %R3 = nag.update %R2 branch %f2 alpha %alpha
      : (tensor<?x8xbf16>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xbf16>
  return %R3, %m, %s1 : tensor<?x8xbf16>, tensor<?xf32>, tensor<?xf32>
}

// -----

// What comes as a residual and leaves as one gains nothing.
// REMARK: remark: {{.*}}a stream of 1 update(s) stays in residual form: lanes move as many rows
// CHECK-LABEL: func.func @lone(
// CHECK-NEXT: nag.update %{{[a-zA-Z0-9]+}} branch
// CHECK-NEXT: return
func.func @lone(%R: tensor<?x8xf32>, %f: tensor<?x8xf32>, %alpha: tensor<f32>) -> tensor<?x8xf32> {
  %R1 = nag.update %R branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  return %R1 : tensor<?x8xf32>
}

// -----

// A branch that reads the residual itself needs it beside the lanes.
// REMARK: remark: {{.*}}a stream of 2 update(s) stays in residual form: rows moved for a token would get more by 1
// CHECK-LABEL: func.func @escapes(
// CHECK-NOT: nag.split
func.func private @branch(tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @escapes(%R: tensor<?x8xf32>, %f: tensor<?x8xf32>, %alpha: tensor<f32>) -> tensor<?x8xf32> {
  %R1 = nag.update %R branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %f1 = call @branch(%R1) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %R2 = nag.update %R1 branch %f1 alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  return %R2 : tensor<?x8xf32>
}

// -----

// A direction in a narrower type is written beside the stream in either form.
// REMARK: remark: {{.*}}a stream of 2 update(s) stays in residual form: lanes move as many rows
// CHECK-LABEL: func.func @narrow(
// CHECK-COUNT-1: nag.split
func.func private @branch(tensor<?x8xbf16>) -> tensor<?x8xbf16>
func.func @narrow(%R: tensor<?x8xf32>, %f: tensor<?x8xbf16>, %alpha: tensor<f32>) -> tensor<?x8xf32> {
  %R1 = nag.update %R branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xf32>
  %D1, %s1 = nag.split %R1 : tensor<?x8xf32> -> tensor<?x8xbf16>, tensor<?xf32>
  %f1 = call @branch(%D1) : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  %R2 = nag.update %R1 branch %f1 alpha %alpha : (tensor<?x8xf32>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xf32>
  return %R2 : tensor<?x8xf32>
}

// -----

// Small operations, other readers of the direction, token dimensions, mixed types, two updates of one value; the value
// that a call needs is merged for it.
// REMARK: remark: {{.*}}a stream of 4 update(s) goes through lanes: rows moved for a token get fewer by 1
// CHECK-LABEL: func.func @mixed(
// CHECK: %[[D:.*]], %[[S:.*]] = nag.split %{{.*}} : tensor<?x3x8xf32> -> tensor<?x3x8xf32>, tensor<?x3xf32>
// CHECK-NEXT: %[[D1:.*]], %[[S1:.*]] = nag.update %[[D]], %[[S]]
// CHECK-NEXT: call @other(%[[D1]])
// CHECK-NEXT: nag.split %[[D1]] : tensor<?x3x8xf32> -> tensor<?x3x8xbf16>, tensor<?x3xf32>
// CHECK: nag.modulate %[[D1]] by
// CHECK: %[[P:.*]] = nag.orthogonalize %{{.*}} against %[[D1]]
// CHECK: nag.scale %[[P]]
// CHECK: %[[D2:.*]], %[[S2:.*]] = nag.rotate %[[D1]], %[[S1]] towards
// CHECK: %[[D3:.*]], %[[S3:.*]] = nag.update %[[D1]], %[[S1]]
// CHECK-NEXT: nag.update %[[D2]], %[[S2]]
// CHECK-NOT: nag.merge
// CHECK: return %[[S1]], %{{.*}}, %[[D3]]
func.func private @other(tensor<?x3x8xf32>) -> tensor<?x3x8xbf16>
func.func private @branch(tensor<?x3x8xbf16>) -> tensor<?x3x8xbf16>
func.func @mixed(%R: tensor<?x3x8xf32>, %f: tensor<?x3x8xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                 %w: tensor<2x8xf32>, %b: tensor<2xf32>, %logits: tensor<2xf32>)
    -> (tensor<?x3xf32>, tensor<?x3x8xf32>, tensor<?x3x8xf32>) {
  %R1 = nag.update %R branch %f alpha %alpha
      : (tensor<?x3x8xf32>, tensor<?x3x8xbf16>, tensor<f32>) -> tensor<?x3x8xf32>
  %E1, %e1 = nag.split %R1 : tensor<?x3x8xf32> -> tensor<?x3x8xf32>, tensor<?x3xf32>
  %g1 = call @other(%E1) : (tensor<?x3x8xf32>) -> tensor<?x3x8xbf16>
  %D1, %s1 = nag.split %R1 : tensor<?x3x8xf32> -> tensor<?x3x8xbf16>, tensor<?x3xf32>
  %m = nag.modulate %R1 by(%beta, %w, %b, %logits)
      : (tensor<?x3x8xf32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x3xf32>
  %f1 = call @branch(%D1) : (tensor<?x3x8xbf16>) -> tensor<?x3x8xbf16>
  %fc = nag.center %f1 : tensor<?x3x8xbf16> -> tensor<?x3x8xf32>
  %P = nag.orthogonalize %fc against %R1 : tensor<?x3x8xf32>, tensor<?x3x8xf32> -> tensor<?x3x8xf32>
  %u = nag.scale %P relative_to %f1 : tensor<?x3x8xf32>, tensor<?x3x8xbf16> -> tensor<?x3x8xf32>
  %R2 = nag.rotate %R1 towards %u alpha %alpha modulator %m
      : (tensor<?x3x8xf32>, tensor<?x3x8xf32>, tensor<f32>, tensor<?x3xf32>) -> tensor<?x3x8xf32>
  %R3 = nag.update %R1 branch %g1 alpha %alpha
      : (tensor<?x3x8xf32>, tensor<?x3x8xbf16>, tensor<f32>) -> tensor<?x3x8xf32>
  %R4 = nag.update %R2 branch %f alpha %alpha
      : (tensor<?x3x8xf32>, tensor<?x3x8xbf16>, tensor<f32>) -> tensor<?x3x8xf32>
  %D3, %s3 = nag.split %R3 : tensor<?x3x8xf32> -> tensor<?x3x8xf32>, tensor<?x3xf32>
  %D4, %s4 = nag.split %R4 : tensor<?x3x8xf32> -> tensor<?x3x8xf32>, tensor<?x3xf32>
  return %s1, %D4, %D3 : tensor<?x3xf32>, tensor<?x3x8xf32>, tensor<?x3x8xf32>
}

// -----

// Values that need the residual get it from one merge: here a call and another block.
// REMARK: remark: {{.*}}a stream of 3 update(s) goes through lanes: rows moved for a token get fewer by 1
// CHECK-LABEL: func.func @edges(
// CHECK: %[[D1:.*]], %[[S1:.*]] = nag.update %{{.*}}, %{{.*}} branch
// CHECK-NEXT: call @branch(%[[D1]])
// CHECK-NEXT: %[[D2:.*]], %[[S2:.*]] = nag.update
// CHECK-NEXT: %[[R2:.*]] = nag.merge %[[D2]], %[[S2]]
// CHECK-NEXT: call @branch(%[[D2]])
// CHECK-NEXT: call @branch(%[[R2]])
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %[[R2]])
// CHECK-NEXT: nag.update %[[X]] branch
// CHECK-NEXT: scf.yield
// CHECK-NOT: nag.merge
func.func private @branch(tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @edges(%R: tensor<?x8xf32>, %f: tensor<?x8xf32>, %alpha: tensor<f32>, %n: index)
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %R1 = nag.update %R branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %D1, %s1 = nag.split %R1 : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  %f1 = call @branch(%D1) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %R2 = nag.update %R1 branch %f1 alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %D2, %s2 = nag.split %R2 : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  %f2 = call @branch(%D2) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %g2 = call @branch(%R2) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %R3 = nag.update %R2 branch %f2 alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %D3, %s3 = nag.split %R3 : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  %L = scf.for %i = %c0 to %n step %c1 iter_args(%X = %R2) -> tensor<?x8xf32> {
    %Y = nag.update %X branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
    scf.yield %Y : tensor<?x8xf32>
  }
  return %D3, %g2, %L : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// A stream that was merged from lanes of a split goes on as those; other lanes, whose direction may have any length, are
// taken apart again.
// REMARK: remark: {{.*}}a stream of 1 update(s) goes through lanes: rows moved for a token get fewer by 1
// CHECK-LABEL: func.func @merged(
// CHECK: %[[D:.*]], %[[S:.*]] = nag.split
// CHECK: nag.update %[[D]], %[[S]]
// REMARK: remark: {{.*}}a stream of 1 update(s) stays in residual form
// CHECK-LABEL: func.func @merged_argument(
// CHECK: %[[R:.*]] = nag.merge
// CHECK: nag.update %[[R]] branch
func.func @merged(%X: tensor<?x8xf32>, %f: tensor<?x8xf32>, %alpha: tensor<f32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %D, %s = nag.split %X : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  %R = nag.merge %D, %s : tensor<?x8xf32>, tensor<?xf32> -> tensor<?x8xf32>
  %R1 = nag.update %R branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  return %R1, %D : tensor<?x8xf32>, tensor<?x8xf32>
}
func.func @merged_argument(%D: tensor<?x8xf32>, %s: tensor<?xf32>, %f: tensor<?x8xf32>, %alpha: tensor<f32>)
    -> tensor<?x8xf32> {
  %R = nag.merge %D, %s : tensor<?x8xf32>, tensor<?xf32> -> tensor<?x8xf32>
  %R1 = nag.update %R branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  return %R1 : tensor<?x8xf32>
}

// -----

// Where a region is a graph, an update may be its own stream.
// CHECK-LABEL: module
// CHECK: %[[R:.*]] = nag.update %[[R]] branch
module {
  %alpha = arith.constant dense<1.0> : tensor<f32>
  %f = arith.constant dense<1.0> : tensor<2x8xf32>
  %R = nag.update %R branch %f alpha %alpha : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
}
