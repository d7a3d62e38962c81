// What is not finite is compared by what it is, and what is printed of it are words that mean something.

// RUN: nag-run %s --target=reference --rows=2 --random=1=constant:inf --check | FileCheck %s --check-prefix=ZERO
// RUN: nag-run %s --target=cpu --rows=2 --random=1=constant:inf --check | FileCheck %s --check-prefix=ZERO
// RUN: nag-run %s --target=simt --rows=2 --random=1=constant:inf --check | FileCheck %s --check-prefix=ZERO
// ZERO: result 0: 2xf32, largest error 0, 0 units of 0 allowed (row 0, column 0), rows compared 2, left out 0: ok
// RUN: nag-run %s --target=reference --rows=2 --random=1=constant:-inf --check | FileCheck %s --check-prefix=NOTHING
// RUN: nag-run %s --target=cpu --rows=2 --random=1=constant:-inf --check | FileCheck %s --check-prefix=NOTHING
// RUN: nag-run %s --target=simt --rows=2 --random=1=constant:-inf --check | FileCheck %s --check-prefix=NOTHING
// RUN: nag-run %s --target=cpu --rows=2 --random=1=constant:nan --check | FileCheck %s --check-prefix=NOTHING
// RUN: nag-run %s --target=cpu --rows=2 --random=0=constant:-nan --check | FileCheck %s --check-prefix=NOTHING
// NOTHING: result 0: 2xf32, largest error 0, rows compared 2, left out 0: ok
// RUN: nag-run %s --target=cpu --rows=2 --random=0=constant:-nan | FileCheck %s --check-prefix=NAN
// NAN: result 0: 2xf32 [nan, nan]

func.func @modulate(%D: tensor<?x8xf32>, %beta: tensor<f32>, %w: tensor<3x8xf32>, %b: tensor<3xf32>,
                    %logits: tensor<3xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x8xf32>, tensor<f32>, tensor<3x8xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}
