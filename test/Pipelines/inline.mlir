// Calls between functions of a file are inlined, and what nobody calls any more is gone.
// RUN: nag-opt %s --nag-entry-pipeline | FileCheck %s
// RUN: nag-run %s --target=cpu --rows=5 --check | FileCheck %s --check-prefix=RESULT

// CHECK-NOT: func.func private @two_steps(
// CHECK-LABEL: func.func @entry(
// CHECK-NOT: call @two_steps
// CHECK: row.kernel "center_orthogonalize"
// CHECK-NOT: row.kernel
// RESULT: result 0: 5x8xf32, {{.*}}: ok
func.func private @two_steps(%f: tensor<?x8xf32>, %D: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = nag.center %f : tensor<?x8xf32> -> tensor<?x8xf32>
  %1 = nag.orthogonalize %0 against %D : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
func.func @entry(%f: tensor<?x8xf32>, %D: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = func.call @two_steps(%f, %D) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
