// What is left goes all the way down to the LLVM dialect, with nothing of the GPU in it.
// RUN: nag-opt %s --nag-gpu-pipeline --nag-launch-to-runtime --nag-cpu-to-llvm | FileCheck %s

// CHECK-NOT: gpu.
// CHECK-NOT: memref
// CHECK-DAG: llvm.func internal @update.impl
// CHECK-DAG: llvm.func @nag_launch(
// CHECK-DAG: llvm.func @update(
// CHECK-DAG: llvm.func @update_packed(
// CHECK-DAG: llvm.func @update_prepare()
// CHECK-DAG: llvm.func @update_release()
// CHECK-DAG: llvm.func @update_workspace_size(
func.func @update(%R: tensor<?x64xbf16>, %f: tensor<?x64xbf16>, %alpha: tensor<f32>, %m: tensor<?xf32>)
    -> tensor<?x64xbf16> {
  %u = nag.update %R branch %f alpha %alpha modulated_by %m
      : (tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<f32>, tensor<?xf32>) -> tensor<?x64xbf16>
  return %u : tensor<?x64xbf16>
}
