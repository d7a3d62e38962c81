// The pipeline takes streams through lanes where it is asked to, after calls are inlined, and compiles element-wise
// operations with what is around them.
// RUN: nag-opt %s --nag-entry-pipeline | FileCheck %s --check-prefixes=CHECK,RESIDUAL
// RUN: nag-opt %s --nag-entry-pipeline=lanes=true | FileCheck %s --check-prefixes=CHECK,LANES
// RUN: nag-run %s --rows=5 --check | FileCheck %s --check-prefix=RESULT
// RUN: nag-run %s --rows=5 --check --lanes | FileCheck %s --check-prefix=RESULT
// RUN: nagc %s --target=cpu --emit=row --lanes -o - | FileCheck %s --check-prefix=LANES

// CHECK-LABEL: func.func @entry(
// RESIDUAL: row.kernel "addf_update_split_addf_update"
// LANES: row.kernel "addf_split_update_addf_update_merge"
// RESIDUAL-NOT: math.log1p
// LANES: math.log1p
// CHECK-NOT: func.func private @sublayer
// RESULT: result 0: 5x8xf32, {{.*}}: ok
// RESULT: result 1: 5x8xf32, {{.*}}: ok
func.func private @sublayer(%R: tensor<?x8xf32>, %f: tensor<?x8xf32>, %g: tensor<?x8xf32>, %alpha: tensor<f32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %h = arith.addf %f, %g : tensor<?x8xf32>
  %R1 = nag.update %R branch %h alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %D1, %s1 = nag.split %R1 : tensor<?x8xf32> -> tensor<?x8xf32>, tensor<?xf32>
  return %R1, %D1 : tensor<?x8xf32>, tensor<?x8xf32>
}
func.func @entry(%R: tensor<?x8xf32>, %f: tensor<?x8xf32>, %g: tensor<?x8xf32>, %alpha: tensor<f32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %R1, %D1 = func.call @sublayer(%R, %f, %g, %alpha)
      : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  %R2, %D2 = func.call @sublayer(%R1, %g, %f, %alpha)
      : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return %D1, %R2 : tensor<?x8xf32>, tensor<?x8xf32>
}
