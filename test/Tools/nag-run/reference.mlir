// Runs of the reference: the same values for a seed whatever the layout and the number of rows, both forms, no rows at all.

// RUN: nag-run %s --entry=residual --target=reference --rows=3 --check | FileCheck %s --check-prefix=CHECK3
// CHECK3: result 0: 3x5xbf16, largest error 0, 0 units of {{.*}} allowed (row 0, column 0), rows compared 3, left out 0: ok
// CHECK3: result 1: 3xf32, {{.*}}, rows compared 3, left out 0: ok

// RUN: nag-run %s --entry=residual --target=reference --rows=0 --check | FileCheck %s --check-prefix=CHECK0
// CHECK0: result 0: 0x5xbf16, largest error 0, rows compared 0, left out 0: ok

// RUN: rm -rf %t && mkdir %t
// RUN: nag-run %s --entry=lanes --target=reference --rows=4 --seed=7 --out=%t/dense
// RUN: nag-run %s --entry=lanes --target=reference --rows=4 --seed=7 --out=%t/strided --row-stride-pad=3 --offset=1
// RUN: cmp %t/dense/result0.npy %t/strided/result0.npy
// RUN: cmp %t/dense/result1.npy %t/strided/result1.npy
// RUN: cmp %t/dense/result2.npy %t/strided/result2.npy
// RUN: nag-run %s --entry=lanes --target=reference --rows=4 --seed=8 --result=0=%t/other.npy
// RUN: not cmp %t/dense/result0.npy %t/other.npy

// The first row of four is the row of one.
// RUN: nag-run %s --entry=lanes --target=reference --rows=1 | FileCheck %s --check-prefix=ONE
// RUN: nag-run %s --entry=lanes --target=reference --rows=4 | FileCheck %s --check-prefix=ONE
// ONE: result 0: {{[14]}}x5xbf16 [-1.6484375, 1.078125, -0.8984375, -0.53515625, 0.1484375

// Distributions can be chosen: with a branch that is constant, every row passes.
// RUN: nag-run %s --entry=residual --target=reference --rows=1 --random=0=constant:2 --random=1=constant:0.1 \
// RUN:   | FileCheck %s --check-prefix=PASS
// PASS: result 0: 1x5xbf16 [2, 2, 2, 2, 2]

// Two dynamic dimensions of tokens, each with its size.
// RUN: nag-run %s --entry=batch --target=reference --dim=0=2 --dim=1=3 --check --time --repeat=2 \
// RUN:   | FileCheck %s --check-prefix=BATCH
// BATCH: result 0: 2x3x4xf32, {{.*}} rows compared 6, left out 0: ok
// BATCH: time: min {{[0-9.]+}} ms, median {{[0-9.]+}} ms of 2 runs; 0.0 MB in and out, {{[0-9.]+}} GB/s

func.func @residual(%R: tensor<?x5xbf16>, %f: tensor<?x5xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                    %w: tensor<3x5xbf16>, %b: tensor<3xf32>, %logits: tensor<3xf32>)
    -> (tensor<?x5xbf16>, tensor<?xf32>) {
  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x5xbf16>, tensor<?x5xbf16>, tensor<f32>, tensor<f32>, tensor<3x5xbf16>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<?x5xbf16>, tensor<?xf32>)
  return %R1, %m : tensor<?x5xbf16>, tensor<?xf32>
}

func.func @lanes(%D: tensor<?x5xbf16>, %s: tensor<?xf32>, %f: tensor<?x5xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                 %w: tensor<3x5xbf16>, %b: tensor<3xf32>, %logits: tensor<3xf32>)
    -> (tensor<?x5xbf16>, tensor<?xf32>, tensor<?xf32>) {
  %D1, %s1, %m = nag.update %D, %s branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x5xbf16>, tensor<?xf32>, tensor<?x5xbf16>, tensor<f32>, tensor<f32>, tensor<3x5xbf16>, tensor<3xf32>,
         tensor<3xf32>) -> (tensor<?x5xbf16>, tensor<?xf32>, tensor<?xf32>)
  return %D1, %s1, %m : tensor<?x5xbf16>, tensor<?xf32>, tensor<?xf32>
}

func.func @batch(%R: tensor<?x?x4xf32>, %f: tensor<?x?x4xf32>) -> tensor<?x?x4xf32> {
  %alpha = arith.constant dense<0.5> : tensor<f32>
  %R1 = nag.update %R branch %f alpha %alpha
      : (tensor<?x?x4xf32>, tensor<?x?x4xf32>, tensor<f32>) -> tensor<?x?x4xf32>
  return %R1 : tensor<?x?x4xf32>
}
