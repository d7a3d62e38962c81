// A schedule on an operation goes to its kernel, and through what rewrites the operation; one that cannot serve is refused
// at the operation.
// RUN: nag-opt %s --split-input-file --nag-to-row | FileCheck %s
// RUN: nag-opt %s --split-input-file --nag-decompose | FileCheck %s --check-prefix=SMALL
// RUN: nag-opt %s --split-input-file --nag-to-row --canonicalize --cse --row-fuse | FileCheck %s --check-prefix=FUSED
// RUN: not nag-opt %s --split-input-file --nag-entry-pipeline --row-schedule 2>/dev/null | FileCheck %s --check-prefix=SERVED
// RUN: not nag-opt %s --split-input-file --nag-entry-pipeline --row-schedule 2>&1 >/dev/null | FileCheck %s --check-prefix=WIDE
// RUN: nag-opt %s --split-input-file --nag-entry-pipeline --row-to-cpu | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: func.func @given(
// CHECK: row.kernel "update" {{.*}} schedule #row.schedule<stream, threads = 256, rows = 1>
// CHECK: row.kernel "modulate" {{[^#]*}}{
// SMALL-LABEL: func.func @given(
// SMALL: nag.center {{.*}} {schedule = #row.schedule<stream, threads = 256, rows = 1>}
// SMALL: nag.rotate {{.*}} {schedule = #row.schedule<stream, threads = 256, rows = 1>}
// What has none joins what has one.
// FUSED-LABEL: func.func @given(
// FUSED: row.kernel "update_modulate" {{.*}} schedule #row.schedule<stream, threads = 256, rows = 1>
// SERVED: row.kernel "update_modulate" {{.*}} schedule #row.schedule<stream, threads = 256, rows = 1>
// CPU-LABEL: func.func @given(
// CPU: scf.parallel
func.func @given(%R: tensor<?x64xf32>, %f: tensor<?x64xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x64xf32>,
                 %b: tensor<2xf32>, %logits: tensor<2xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) {
  %R1 = nag.update %R branch %f alpha %alpha {schedule = #row.schedule<stream, threads = 256, rows = 1>}
      : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  %m = nag.modulate %R1 by(%beta, %w, %b, %logits)
      : (tensor<?x64xf32>, tensor<f32>, tensor<2x64xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %R1, %m : tensor<?x64xf32>, tensor<?xf32>
}

// -----

// Different ones stay apart.
// FUSED-LABEL: func.func @different(
// FUSED: row.kernel "center" {{.*}} schedule #row.schedule<warp, threads = 32, rows = 4>
// FUSED: row.kernel "center" {{.*}} schedule #row.schedule<block, threads = 64, rows = 1>
// SMALL-LABEL: func.func @different(
func.func @different(%f: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = nag.center %f {schedule = #row.schedule<warp, threads = 32, rows = 4>} : tensor<?x64xf32> -> tensor<?x64xf32>
  %1 = nag.center %0 {schedule = #row.schedule<block, threads = 64, rows = 1>} : tensor<?x64xf32> -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// -----

// CHECK-LABEL: func.func @too_wide(
// CPU-LABEL: func.func @too_wide(
func.func @too_wide(%f: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  // WIDE: :[[#@LINE+1]]:8: error: {{.*}}schedule warp cannot serve rows of width 4096: it keeps them in registers, which hold up to 1024
  %0 = nag.center %f {schedule = #row.schedule<warp, threads = 32, rows = 4>} : tensor<?x4096xf32> -> tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}
