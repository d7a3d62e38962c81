// What a GPU cannot do is refused with its reason.
// RUN: nag-opt %s --nag-gpu-pipeline --split-input-file --verify-diagnostics

func.func @doubles(%f: tensor<?x8xf64>) -> tensor<?x8xf64> {
  // expected-error @+1 {{unsupported element type f64 for a GPU target: f64 is for the CPU}}
  %0 = nag.center %f : tensor<?x8xf64> -> tensor<?x8xf64>
  return %0 : tensor<?x8xf64>
}

// -----

func.func @constant_rows(%f: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %D = arith.constant dense<1.0> : tensor<4x8xf32>
  // expected-error @+1 {{reads a constant of 'memref<4x8xf32}}
  %0 = nag.orthogonalize %f against %D : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
