// The bytecode of both dialects carries a version, and comes back as it was.
// RUN: nag-opt %s > %t.before
// RUN: nag-opt %s --emit-bytecode | nag-opt > %t.after
// RUN: diff %t.before %t.after
// RUN: nag-opt %s --nag-to-row > %t.before
// RUN: nag-opt %s --nag-to-row --emit-bytecode | nag-opt > %t.after
// RUN: diff %t.before %t.after
func.func @update(%R: tensor<?x8xf32>, %f: tensor<?x8xf32>, %alpha: tensor<f32>) -> tensor<?x8xf32> {
  %0 = nag.update %R branch %f alpha %alpha {tol = 1.0e-5}
      : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
