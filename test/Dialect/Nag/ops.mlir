// Every operation of the nag dialect, printed and parsed again in both forms. The examples of the operations'
// descriptions are among them, word for word.

// RUN: nag-opt %s | nag-opt | FileCheck %s
// RUN: nag-opt %s --mlir-print-op-generic | nag-opt | FileCheck %s

// CHECK-LABEL: func @examples_small
func.func @examples_small(%R: tensor<?x4096xbf16>, %f: tensor<?x4096xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                          %w: tensor<8x4096xbf16>, %b: tensor<8xf32>, %logits: tensor<8xf32>) {
  // CHECK: %[[D:.*]], %[[S:.*]] = nag.split %{{.*}} : tensor<?x4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %D, %s = nag.split %R : tensor<?x4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  // CHECK: nag.merge %[[D]], %[[S]] : tensor<?x4096xbf16>, tensor<?xf32> -> tensor<?x4096xbf16>
  %R0 = nag.merge %D, %s : tensor<?x4096xbf16>, tensor<?xf32> -> tensor<?x4096xbf16>
  // CHECK: %[[FC:.*]] = nag.center %{{.*}} : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %fc = nag.center %f : tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // CHECK: %[[P:.*]] = nag.orthogonalize %[[FC]] against %[[D]]
  // CHECK-SAME: : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %P = nag.orthogonalize %fc against %D
      : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // CHECK: %[[U:.*]] = nag.scale %[[P]] relative_to %{{.*}} : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
  %u = nag.scale %P relative_to %f : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
  // CHECK: %[[M:.*]] = nag.modulate %[[D]] by({{[^)]*}})
  // CHECK-SAME: : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<?xf32>
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>)
      -> tensor<?xf32>
  // CHECK: nag.rotate %{{.*}} towards %[[U]] alpha %{{.*}} modulator %[[M]]
  // CHECK-SAME: : (tensor<?x4096xbf16>, tensor<?x4096xf32>, tensor<f32>, tensor<?xf32>) -> tensor<?x4096xbf16>
  %R1 = nag.rotate %R towards %u alpha %alpha modulator %m
      : (tensor<?x4096xbf16>, tensor<?x4096xf32>, tensor<f32>, tensor<?xf32>) -> tensor<?x4096xbf16>
  // CHECK: nag.rotate %[[D]], %[[S]] towards %[[U]] alpha %{{[^ ]*}} :
  // CHECK-SAME: (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xf32>, tensor<f32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
  %D1, %s1 = nag.rotate %D, %s towards %u alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xf32>, tensor<f32>)
      -> (tensor<?x4096xbf16>, tensor<?xf32>)
  return
}

// CHECK-LABEL: func @examples_update
func.func @examples_update(%R: tensor<?x4096xbf16>, %D: tensor<?x4096xbf16>, %s: tensor<?xf32>,
                           %f: tensor<?x4096xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                           %w: tensor<8x4096xbf16>, %b: tensor<8xf32>, %logits: tensor<8xf32>) {
  // CHECK: nag.update %{{.*}} branch %{{.*}} alpha %{{.*}} modulator({{[^)]*}}) :
  // CHECK-SAME: (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>)
  // CHECK-SAME: -> (tensor<?x4096xbf16>, tensor<?xf32>)
  // Residual form, modulator computed.
  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>,
         tensor<8xf32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
  // CHECK: nag.update %{{.*}}, %{{.*}} branch %{{.*}} alpha %{{[^ ]*}} :
  // CHECK-SAME: (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xbf16>, tensor<f32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
  // Lane form, no modulator.
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xbf16>, tensor<f32>)
      -> (tensor<?x4096xbf16>, tensor<?xf32>)
  return
}

// The remaining forms of the update: a given modulator in both forms, a computed one in lane form, a tolerance.
// CHECK-LABEL: func @update_forms
func.func @update_forms(%R: tensor<?x8xf32>, %D: tensor<?x8xf32>, %s: tensor<?xf32>, %f: tensor<?x8xbf16>,
                        %m: tensor<?xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<1x8xbf16>,
                        %b: tensor<1xf32>, %logits: tensor<1xf32>) {
  // CHECK: nag.update %{{.*}} branch %{{.*}} alpha %{{.*}} : (tensor<?x8xf32>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xf32>
  %0 = nag.update %R branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xbf16>, tensor<f32>) -> tensor<?x8xf32>
  // CHECK: nag.update %{{.*}} branch %{{.*}} alpha %{{.*}} modulated_by %{{.*}} {tol = 1.000000e-03 : f64} :
  %1 = nag.update %R branch %f alpha %alpha modulated_by %m {tol = 1.0e-3 : f64}
      : (tensor<?x8xf32>, tensor<?x8xbf16>, tensor<f32>, tensor<?xf32>) -> tensor<?x8xf32>
  // CHECK: nag.update %{{.*}}, %{{.*}} branch %{{.*}} alpha %{{.*}} modulated_by %{{.*}} :
  %2:2 = nag.update %D, %s branch %f alpha %alpha modulated_by %m
      : (tensor<?x8xf32>, tensor<?xf32>, tensor<?x8xbf16>, tensor<f32>, tensor<?xf32>)
      -> (tensor<?x8xf32>, tensor<?xf32>)
  // CHECK: nag.update %{{.*}}, %{{.*}} branch %{{.*}} alpha %{{.*}} modulator({{[^)]*}}) :
  // CHECK-SAME: -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>)
  %3:3 = nag.update %D, %s branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x8xf32>, tensor<?xf32>, tensor<?x8xbf16>, tensor<f32>, tensor<f32>, tensor<1x8xbf16>, tensor<1xf32>,
         tensor<1xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>)
  return
}

// Any number of token dimensions, none and empty ones included, and rows of one feature.
// CHECK-LABEL: func @ranks
func.func @ranks(%one: tensor<8xf32>, %empty: tensor<0x8xf32>, %many: tensor<?x3x?x1xf16>) {
  // CHECK: nag.split %{{.*}} : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  %0:2 = nag.split %one : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  // CHECK: nag.split %{{.*}} : tensor<0x8xf32> -> tensor<0x8xf32>, tensor<0xf32>
  %1:2 = nag.split %empty : tensor<0x8xf32> -> tensor<0x8xf32>, tensor<0xf32>
  // CHECK: nag.split %{{.*}} : tensor<?x3x?x1xf16> -> tensor<?x3x?x1xf16>, tensor<?x3x?xf32>
  %2:2 = nag.split %many : tensor<?x3x?x1xf16> -> tensor<?x3x?x1xf16>, tensor<?x3x?xf32>
  return
}

// Element types: all f64; a narrower direction; directions w narrower than rows, or f32.
// CHECK-LABEL: func @types
func.func @types(%r64: tensor<4x8xf64>, %f64: tensor<4x8xf64>, %a64: tensor<f64>, %w64: tensor<2x8xf64>,
                 %p64: tensor<2xf64>, %r32: tensor<4x8xf32>, %r16: tensor<4x8xbf16>, %beta: tensor<f32>,
                 %wh: tensor<2x8xf16>, %w32: tensor<2x8xf32>, %p: tensor<2xf32>) {
  // CHECK: nag.update {{.*}} -> (tensor<4x8xf64>, tensor<4xf64>)
  %0:2 = nag.update %r64 branch %f64 alpha %a64 modulator(%a64, %w64, %p64, %p64)
      : (tensor<4x8xf64>, tensor<4x8xf64>, tensor<f64>, tensor<f64>, tensor<2x8xf64>, tensor<2xf64>, tensor<2xf64>)
      -> (tensor<4x8xf64>, tensor<4xf64>)
  // CHECK: nag.split {{.*}} : tensor<4x8xf32> -> tensor<4x8xbf16>, tensor<4xf32>
  %1:2 = nag.split %r32 : tensor<4x8xf32> -> tensor<4x8xbf16>, tensor<4xf32>
  // CHECK: nag.modulate {{.*}} : (tensor<4x8xf32>, tensor<f32>, tensor<2x8xf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %2 = nag.modulate %r32 by(%beta, %wh, %p, %p)
      : (tensor<4x8xf32>, tensor<f32>, tensor<2x8xf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  // CHECK: nag.modulate {{.*}} : (tensor<4x8xbf16>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %3 = nag.modulate %r16 by(%beta, %w32, %p, %p)
      : (tensor<4x8xbf16>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}
