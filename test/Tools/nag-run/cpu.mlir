// The CPU: checked against the reference with padding between rows and an odd first element; a status becomes words.

// RUN: nag-run %s --rows=9 --seed=3 --check --row-stride-pad=3 --offset=1 | FileCheck %s
// RUN: nag-run %s --rows=0 --check | FileCheck %s --check-prefix=NONE
// CHECK: result 0: 9x33xf32, {{.*}} rows compared 9, left out 0: ok
// CHECK-NEXT: result 1: 9xf32, {{.*}} rows compared 9, left out 0: ok
// NONE: result 0: 0x33xf32, {{.*}} rows compared 0, left out 0: ok

// The bits of a row depend neither on where it lies nor on its neighbours.
// RUN: rm -rf %t && mkdir %t
// RUN: nag-run %s --rows=9 --out=%t/dense
// RUN: nag-run %s --rows=9 --out=%t/padded --row-stride-pad=5 --offset=3
// RUN: cmp %t/dense/result0.npy %t/padded/result0.npy
// RUN: cmp %t/dense/result1.npy %t/padded/result1.npy

// Files that do not agree on the number of tokens.
// RUN: nag-run %s --rows=8 --result=0=%t/eight.npy
// RUN: not nag-run %s --rows=9 --arg=0=%t/dense/result0.npy --arg=1=%t/eight.npy 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: nag-run: error: argument 1: the size differs from {{.*}} (dimension 0)

// RUN: not nag-run %s --rows=1 --mcpu=abacus 2>&1 | FileCheck %s --check-prefix=MCPU
// MCPU: error: unknown CPU 'abacus'

func.func @update(%R: tensor<?x33xf32>, %f: tensor<?x33xf32>, %alpha: tensor<f32>, %beta: tensor<f32>,
                  %w: tensor<3x33xf32>, %b: tensor<3xf32>, %logits: tensor<3xf32>)
    -> (tensor<?x33xf32>, tensor<?xf32>) {
  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x33xf32>, tensor<?x33xf32>, tensor<f32>, tensor<f32>, tensor<3x33xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x33xf32>, tensor<?xf32>)
  return %R1, %m : tensor<?x33xf32>, tensor<?xf32>
}
