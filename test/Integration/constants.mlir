// Parameters may be constants: they become part of the kernel.
// RUN: nag-run %s --rows=3 --check | FileCheck %s
// RUN: nag-run %s --rows=3 --check --target=simt --simt-check | FileCheck %s
// CHECK: result 0: 3x64xf32, {{.*}} rows compared 3, left out 0: ok
// CHECK: result 1: 3xf32, {{.*}} rows compared 3, left out 0: ok
func.func @f(%R: tensor<?x64xf32>, %f: tensor<?x64xf32>, %beta: tensor<f32>, %w: tensor<3x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %a = arith.constant dense<5.0e-01> : tensor<f32>
  %b = arith.constant dense<[5.0e-01, 1.0, -2.0]> : tensor<3xf32>
  %0:2 = nag.update %R branch %f alpha %a modulator(%beta, %w, %b, %b) : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<f32>, tensor<f32>, tensor<3x64xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x64xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?x64xf32>, tensor<?xf32>
}
