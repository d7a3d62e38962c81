// A modulator has up to 128 components on a GPU, and any number on a CPU.
// RUN: nag-opt %s --nag-to-row --row-schedule --split-input-file --verify-diagnostics | FileCheck %s
// RUN: nag-opt %s --nag-cpu-pipeline --split-input-file -o %t

// CHECK-LABEL: func.func @most
// CHECK: row.kernel "modulate" {{.*}} schedule #row.schedule<
func.func @most(%D: tensor<?x16xf32>, %beta: tensor<f32>, %w: tensor<128x16xf32>, %b: tensor<128xf32>,
                %logits: tensor<128xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x16xf32>, tensor<f32>, tensor<128x16xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}

// -----

func.func @too_many(%D: tensor<?x16xf32>, %beta: tensor<f32>, %w: tensor<129x16xf32>, %b: tensor<129xf32>,
                    %logits: tensor<129xf32>) -> tensor<?xf32> {
  // expected-error @below {{a modulator of C = 129 cannot be compiled for a GPU, where C is at most 128: the code of a kernel is written out for each component}}
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x16xf32>, tensor<f32>, tensor<129x16xf32>, tensor<129xf32>, tensor<129xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}
