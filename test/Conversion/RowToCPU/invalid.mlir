// RUN: nag-opt %s --row-to-cpu --verify-diagnostics

func.func @tensors(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{works on tensors still: run one-shot-bufferize before row-to-cpu}}
  %0 = row.kernel "copy" ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%in: !row.row<f32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<f32> -> f32
    row.store %v, %out : f32, !row.row<f32>
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
