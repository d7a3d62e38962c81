// Every constraint of every operation of the nag dialect, broken once: NAME_cN breaks (CN) of NAME.

// RUN: nag-opt %s -verify-diagnostics -split-input-file

//===--------------------------------------------------------------------------------------------------===//
// split
//===--------------------------------------------------------------------------------------------------===//

func.func @split_c1_rank(%R: tensor<f32>) {
  // expected-error @+1 {{'nag.split' op (C1) expected residual of rank at least 1, [tokens..., d], got 'tensor<f32>'}}
  %0:2 = nag.split %R : tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @split_c1_dynamic_width(%R: tensor<4x?xf32>) {
  // expected-error @+1 {{(C1) expected residual with a static last dimension of at least 1, got 'tensor<4x?xf32>'}}
  %0:2 = nag.split %R : tensor<4x?xf32> -> tensor<4x?xf32>, tensor<4xf32>
  return
}

// -----

func.func @split_c1_no_features(%R: tensor<4x0xf32>) {
  // expected-error @+1 {{(C1) expected residual with a static last dimension of at least 1, got 'tensor<4x0xf32>'}}
  %0:2 = nag.split %R : tensor<4x0xf32> -> tensor<4x0xf32>, tensor<4xf32>
  return
}

// -----

func.func @split_c2_width(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C2) expected direction of the shape of residual, 'tensor<4x8xf32>', got 'tensor<4x7xf32>'}}
  %0:2 = nag.split %R : tensor<4x8xf32> -> tensor<4x7xf32>, tensor<4xf32>
  return
}

// -----

func.func @split_c2_dynamic_width(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C2) expected direction of the shape of residual, 'tensor<4x8xf32>', got 'tensor<4x?xf32>'}}
  %0:2 = nag.split %R : tensor<4x8xf32> -> tensor<4x?xf32>, tensor<4xf32>
  return
}

// -----

func.func @split_c2_rank(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C2) expected direction of the shape of residual, 'tensor<4x8xf32>', got 'tensor<8xf32>'}}
  %0:2 = nag.split %R : tensor<4x8xf32> -> tensor<8xf32>, tensor<4xf32>
  return
}

// -----

func.func @split_c2_wider(%R: tensor<4x8xbf16>) {
  // expected-error @+1 {{(C2) expected direction in the element type of residual, 'bf16', or a narrower one, got 'f32'}}
  %0:2 = nag.split %R : tensor<4x8xbf16> -> tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @split_c2_f64(%R: tensor<4x8xf64>) {
  // expected-error @+1 {{(C2) expected direction and residual to be both f64 or neither, got 'tensor<4x8xf32>' and 'tensor<4x8xf64>'}}
  %0:2 = nag.split %R : tensor<4x8xf64> -> tensor<4x8xf32>, tensor<4xf64>
  return
}

// -----

func.func @split_c3_tokens(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C3) expected log_norm to be 'tensor<4xf32>', the leading dimensions of residual in the arithmetic type, got 'tensor<5xf32>'}}
  %0:2 = nag.split %R : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<5xf32>
  return
}

// -----

func.func @split_c3_rank(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C3) expected log_norm to be 'tensor<4xf32>', the leading dimensions of residual in the arithmetic type, got 'tensor<4x1xf32>'}}
  %0:2 = nag.split %R : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x1xf32>
  return
}

// -----

func.func @split_c3_type(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C3) expected log_norm to be 'tensor<4xf32>'}}
  %0:2 = nag.split %R : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf64>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// merge
//===--------------------------------------------------------------------------------------------------===//

func.func @merge_c1_rank(%D: tensor<f32>) {
  // expected-error @+1 {{'nag.merge' op (C1) expected direction of rank at least 1, [tokens..., d], got 'tensor<f32>'}}
  %0 = nag.merge %D, %D : tensor<f32>, tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @merge_c1_width(%D: tensor<4x?xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{(C1) expected direction with a static last dimension of at least 1, got 'tensor<4x?xf32>'}}
  %0 = nag.merge %D, %s : tensor<4x?xf32>, tensor<4xf32> -> tensor<4x?xf32>
  return
}

// -----

func.func @merge_c2(%D: tensor<4x8xbf16>, %s: tensor<3xf32>) {
  // expected-error @+1 {{(C2) expected log_norm to be 'tensor<4xf32>', the leading dimensions of direction in the arithmetic type, got 'tensor<3xf32>'}}
  %0 = nag.merge %D, %s : tensor<4x8xbf16>, tensor<3xf32> -> tensor<4x8xbf16>
  return
}

// -----

func.func @merge_c3(%D: tensor<4x8xbf16>, %s: tensor<4xf32>) {
  // expected-error @+1 {{(C3) expected residual of the shape of direction, 'tensor<4x8xbf16>', got 'tensor<4x9xbf16>'}}
  %0 = nag.merge %D, %s : tensor<4x8xbf16>, tensor<4xf32> -> tensor<4x9xbf16>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// center
//===--------------------------------------------------------------------------------------------------===//

func.func @center_c1(%f: tensor<f32>) {
  // expected-error @+1 {{'nag.center' op (C1) expected branch of rank at least 1, [tokens..., d], got 'tensor<f32>'}}
  %0 = nag.center %f : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @center_c2(%f: tensor<4x8xbf16>) {
  // expected-error @+1 {{(C2) expected centered of the shape of branch, 'tensor<4x8xbf16>', got 'tensor<5x8xbf16>'}}
  %0 = nag.center %f : tensor<4x8xbf16> -> tensor<5x8xbf16>
  return
}

// -----

func.func @center_c2_f64(%f: tensor<4x8xbf16>) {
  // expected-error @+1 {{(C2) expected centered and branch to be both f64 or neither}}
  %0 = nag.center %f : tensor<4x8xbf16> -> tensor<4x8xf64>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// orthogonalize
//===--------------------------------------------------------------------------------------------------===//

func.func @orthogonalize_c1(%f: tensor<4x?xf32>, %D: tensor<4x?xf32>) {
  // expected-error @+1 {{'nag.orthogonalize' op (C1) expected centered with a static last dimension of at least 1, got 'tensor<4x?xf32>'}}
  %0 = nag.orthogonalize %f against %D : tensor<4x?xf32>, tensor<4x?xf32> -> tensor<4x?xf32>
  return
}

// -----

func.func @orthogonalize_c2(%f: tensor<4x8xf32>, %D: tensor<4x4096xf32>) {
  // expected-error @+1 {{(C2) expected direction of the shape of centered, 'tensor<4x8xf32>', got 'tensor<4x4096xf32>'}}
  %0 = nag.orthogonalize %f against %D : tensor<4x8xf32>, tensor<4x4096xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @orthogonalize_c3(%f: tensor<4x8xf32>, %D: tensor<4x8xf32>) {
  // expected-error @+1 {{(C3) expected orthogonal of the shape of centered, 'tensor<4x8xf32>', got 'tensor<8x4xf32>'}}
  %0 = nag.orthogonalize %f against %D : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// scale
//===--------------------------------------------------------------------------------------------------===//

func.func @scale_c1(%P: tensor<f32>, %f: tensor<f32>) {
  // expected-error @+1 {{'nag.scale' op (C1) expected orthogonal of rank at least 1, [tokens..., d], got 'tensor<f32>'}}
  %0 = nag.scale %P relative_to %f : tensor<f32>, tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @scale_c2(%P: tensor<4x8xf32>, %f: tensor<8xf32>) {
  // expected-error @+1 {{(C2) expected branch of the shape of orthogonal, 'tensor<4x8xf32>', got 'tensor<8xf32>'}}
  %0 = nag.scale %P relative_to %f : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @scale_c3(%P: tensor<4x8xf32>, %f: tensor<4x8xf32>) {
  // expected-error @+1 {{(C3) expected unit of the shape of orthogonal, 'tensor<4x8xf32>', got 'tensor<4x8x1xf32>'}}
  %0 = nag.scale %P relative_to %f : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8x1xf32>
  return
}

// -----

func.func @scale_c4_negative(%P: tensor<4x8xf32>, %f: tensor<4x8xf32>) {
  // expected-error @+1 {{(C4) expected tol to be finite and not negative, got -1.000000e+00}}
  %0 = nag.scale %P relative_to %f {tol = -1.0 : f64} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @scale_c4_nan(%P: tensor<4x8xf32>, %f: tensor<4x8xf32>) {
  // expected-error @+1 {{(C4) expected tol to be finite and not negative, got nan}}
  %0 = nag.scale %P relative_to %f {tol = 0x7FF8000000000000 : f64} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @scale_c4_inf(%P: tensor<4x8xf32>, %f: tensor<4x8xf32>) {
  // expected-error @+1 {{(C4) expected tol to be finite and not negative, got INF}}
  %0 = nag.scale %P relative_to %f {tol = 0x7FF0000000000000 : f64} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// modulate
//===--------------------------------------------------------------------------------------------------===//

func.func @modulate_c1_rank(%D: tensor<bf16>, %beta: tensor<f32>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{'nag.modulate' op (C1) expected direction of rank at least 1, [tokens..., d], got 'tensor<bf16>'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<bf16>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @modulate_c1_width(%D: tensor<4x?xbf16>, %beta: tensor<f32>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C1) expected direction with a static last dimension of at least 1, got 'tensor<4x?xbf16>'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x?xbf16>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c2_none(%D: tensor<4x8xbf16>, %beta: tensor<f32>, %w: tensor<0x8xbf16>, %b: tensor<0xf32>, %l: tensor<0xf32>) {
  // expected-error @+1 {{(C2) expected w of shape [C, 8] with a static C of at least 1, got 'tensor<0x8xbf16>'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f32>, tensor<0x8xbf16>, tensor<0xf32>, tensor<0xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c2_dynamic(%D: tensor<4x8xbf16>, %beta: tensor<f32>, %w: tensor<?x8xbf16>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C2) expected w of shape [C, 8] with a static C of at least 1, got 'tensor<?x8xbf16>'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f32>, tensor<?x8xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c2_width(%D: tensor<4x8xbf16>, %beta: tensor<f32>, %w: tensor<2x4095xbf16>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C2) expected w of shape [C, 8] to match the width of direction, 'tensor<4x8xbf16>', got 'tensor<2x4095xbf16>'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f32>, tensor<2x4095xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c2_type(%D: tensor<4x8xbf16>, %beta: tensor<f32>, %w: tensor<2x8xf16>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C2) expected w with elements of 'bf16' or 'f32', got 'f16'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f32>, tensor<2x8xf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c2_f64(%D: tensor<4x8xf64>, %beta: tensor<f64>, %w: tensor<2x8xf32>, %b: tensor<2xf64>, %l: tensor<2xf64>) {
  // expected-error @+1 {{(C2) expected w with elements of 'f64', got 'f32'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xf64>, tensor<f64>, tensor<2x8xf32>, tensor<2xf64>, tensor<2xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @modulate_c3_b(%D: tensor<4x8xbf16>, %beta: tensor<f32>, %w: tensor<2x8xbf16>, %b: tensor<3xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C3) expected b of shape [2], one for each row of w, 'tensor<2x8xbf16>', got 'tensor<3xf32>'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f32>, tensor<2x8xbf16>, tensor<3xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c3_logits(%D: tensor<4x8xbf16>, %beta: tensor<f32>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>, %l: tensor<?xf32>) {
  // expected-error @+1 {{(C3) expected logits of shape [2], one for each row of w, 'tensor<2x8xbf16>', got 'tensor<?xf32>'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf32>, tensor<?xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c3_type(%D: tensor<4x8xbf16>, %beta: tensor<f32>, %w: tensor<2x8xbf16>, %b: tensor<2xf64>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C3) expected b in the arithmetic type of 'bf16' rows, 'f32', got 'f64'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c3_beta(%D: tensor<4x8xbf16>, %beta: tensor<f64>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C3) expected beta in the arithmetic type of 'bf16' rows, 'f32', got 'f64'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f64>, tensor<2x8xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @modulate_c4(%D: tensor<4x8xbf16>, %beta: tensor<f32>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C4) expected modulator to be 'tensor<4xf32>', the leading dimensions of direction in the arithmetic type, got 'tensor<8xf32>'}}
  %0 = nag.modulate %D by(%beta, %w, %b, %l) : (tensor<4x8xbf16>, tensor<f32>, tensor<2x8xbf16>, tensor<2xf32>, tensor<2xf32>) -> tensor<8xf32>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// rotate
//===--------------------------------------------------------------------------------------------------===//

func.func @rotate_c1(%R: tensor<4x0xf32>, %u: tensor<4x0xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{'nag.rotate' op (C1) expected stream with a static last dimension of at least 1, got 'tensor<4x0xf32>'}}
  %0 = nag.rotate %R towards %u alpha %alpha : (tensor<4x0xf32>, tensor<4x0xf32>, tensor<f32>) -> tensor<4x0xf32>
  return
}

// -----

func.func @rotate_c2(%R: tensor<4x8xf32>, %u: tensor<4x9xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C2) expected unit of the shape of stream, 'tensor<4x8xf32>', got 'tensor<4x9xf32>'}}
  %0 = nag.rotate %R towards %u alpha %alpha : (tensor<4x8xf32>, tensor<4x9xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rotate_c3_log_norm(%R: tensor<4x8xf32>, %u: tensor<4x8xf32>, %alpha: tensor<f32>, %s: tensor<5xf32>) {
  // expected-error @+1 {{(C3) expected log_norm to be 'tensor<4xf32>', the leading dimensions of stream in the arithmetic type, got 'tensor<5xf32>'}}
  %0:2 = nag.rotate %R, %s towards %u alpha %alpha : (tensor<4x8xf32>, tensor<5xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<5xf32>)
  return
}

// -----

func.func @rotate_c3_modulator(%R: tensor<4x8xf32>, %u: tensor<4x8xf32>, %alpha: tensor<f32>, %m: tensor<4x8xf32>) {
  // expected-error @+1 {{(C3) expected modulator to be 'tensor<4xf32>', the leading dimensions of stream in the arithmetic type, got 'tensor<4x8xf32>'}}
  %0 = nag.rotate %R towards %u alpha %alpha modulator %m : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rotate_c3_alpha(%R: tensor<4x8xf32>, %u: tensor<4x8xf32>, %alpha: tensor<f64>) {
  // expected-error @+1 {{(C3) expected alpha in the arithmetic type of 'f32' rows, 'f32', got 'f64'}}
  %0 = nag.rotate %R towards %u alpha %alpha : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rotate_c4_type(%R: tensor<4x8xf32>, %u: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C4) expected rotated of the type of stream, 'tensor<4x8xf32>', got 'tensor<4x8xbf16>'}}
  %0 = nag.rotate %R towards %u alpha %alpha : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xbf16>
  return
}

// -----

func.func @rotate_c4_missing(%R: tensor<4x8xf32>, %u: tensor<4x8xf32>, %alpha: tensor<f32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{(C4) expected a rotated_log_norm if and only if there is a log_norm}}
  %0 = nag.rotate %R, %s towards %u alpha %alpha : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rotate_c4_surplus(%R: tensor<4x8xf32>, %u: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C4) expected a rotated_log_norm if and only if there is a log_norm}}
  %0:2 = nag.rotate %R towards %u alpha %alpha : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @rotate_c4_log_norm(%R: tensor<4x8xf32>, %u: tensor<4x8xf32>, %alpha: tensor<f32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{(C4) expected rotated_log_norm of the type of log_norm, 'tensor<4xf32>', got 'tensor<?xf32>'}}
  %0:2 = nag.rotate %R, %s towards %u alpha %alpha : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<?xf32>)
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// update
//===--------------------------------------------------------------------------------------------------===//

func.func @update_c1_rank(%R: tensor<f32>, %f: tensor<f32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{'nag.update' op (C1) expected stream of rank at least 1, [tokens..., d], got 'tensor<f32>'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @update_c1_rank_modulator(%R: tensor<f32>, %f: tensor<f32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{'nag.update' op (C1) expected stream of rank at least 1, [tokens..., d], got 'tensor<f32>'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @update_c1_dynamic_width(%R: tensor<?x?xf32>, %f: tensor<?x?xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C1) expected stream with a static last dimension of at least 1, got 'tensor<?x?xf32>'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @update_c1_no_features(%R: tensor<4x0xf32>, %f: tensor<4x0xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C1) expected stream with a static last dimension of at least 1, got 'tensor<4x0xf32>'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<4x0xf32>, tensor<4x0xf32>, tensor<f32>) -> tensor<4x0xf32>
  return
}

// -----

func.func @update_c2_shape(%R: tensor<4x8xf32>, %f: tensor<8x4xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C2) expected branch of the shape of stream, 'tensor<4x8xf32>', got 'tensor<8x4xf32>'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_c2_wider(%R: tensor<4x8xbf16>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C2) expected branch in the element type of stream, 'bf16', or a narrower one, got 'f32'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xbf16>
  return
}

// -----

func.func @update_c2_other_16_bit_type(%R: tensor<4x8xbf16>, %f: tensor<4x8xf16>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C2) expected branch in the element type of stream, 'bf16', or a narrower one, got 'f16'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<4x8xbf16>, tensor<4x8xf16>, tensor<f32>) -> tensor<4x8xbf16>
  return
}

// -----

func.func @update_c2_f64(%R: tensor<4x8xf64>, %f: tensor<4x8xf32>, %alpha: tensor<f64>) {
  // expected-error @+1 {{(C2) expected branch and stream to be both f64 or neither, got 'tensor<4x8xf32>' and 'tensor<4x8xf64>'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<4x8xf64>, tensor<4x8xf32>, tensor<f64>) -> tensor<4x8xf64>
  return
}

// -----

func.func @update_c3_log_norm(%R: tensor<4x8xf32>, %s: tensor<4x1xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C3) expected log_norm to be 'tensor<4xf32>', the leading dimensions of stream in the arithmetic type, got 'tensor<4x1xf32>'}}
  %0:2 = nag.update %R, %s branch %f alpha %alpha
      : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @update_c3_given_modulator(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %g: tensor<5xf32>) {
  // expected-error @+1 {{(C3) expected given_modulator to be 'tensor<4xf32>', the leading dimensions of stream in the arithmetic type, got 'tensor<5xf32>'}}
  %0 = nag.update %R branch %f alpha %alpha modulated_by %g
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_c3_alpha(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f64>) {
  // expected-error @+1 {{(C3) expected alpha in the arithmetic type of 'f32' rows, 'f32', got 'f64'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_c4_both(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %g: tensor<4xf32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C4) expected a modulator that is given or one that is computed, not both}}
  %0:2 = nag.update %R branch %f alpha %alpha modulated_by %g modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c5_none(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<0x8xf32>, %b: tensor<0xf32>, %l: tensor<0xf32>) {
  // expected-error @+1 {{(C5) expected w of shape [C, 8] with a static C of at least 1, got 'tensor<0x8xf32>'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<0x8xf32>, tensor<0xf32>, tensor<0xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c5_dynamic(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<?x8xf32>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C5) expected w of shape [C, 8] with a static C of at least 1, got 'tensor<?x8xf32>'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<?x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c5_width(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x4095xf32>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C5) expected w of shape [C, 8] to match the width of stream, 'tensor<4x8xf32>', got 'tensor<2x4095xf32>'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x4095xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c5_type(%R: tensor<4x8xf32>, %f: tensor<4x8xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x8xf16>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C5) expected w with elements of 'f32' or 'bf16', got 'f16'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<f32>, tensor<f32>, tensor<2x8xf16>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c6_b(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<3xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C6) expected b of shape [2], one for each row of w, 'tensor<2x8xf32>', got 'tensor<3xf32>'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c6_logits(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>, %l: tensor<1xf32>) {
  // expected-error @+1 {{(C6) expected logits of shape [2], one for each row of w, 'tensor<2x8xf32>', got 'tensor<1xf32>'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c6_type(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>, %l: tensor<2xf64>) {
  // expected-error @+1 {{(C6) expected logits in the arithmetic type of 'f32' rows, 'f32', got 'f64'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf64>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c6_beta(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f64>, %w: tensor<2x8xf32>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C6) expected beta in the arithmetic type of 'f32' rows, 'f32', got 'f64'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f64>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c7_type(%R: tensor<?x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C7) expected updated of the type of stream, 'tensor<?x8xf32>', got 'tensor<4x8xf32>'}}
  %0 = nag.update %R branch %f alpha %alpha
      : (tensor<?x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_c7_missing_log_norm(%R: tensor<4x8xf32>, %s: tensor<4xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C7) expected 2 result(s), updated, updated_log_norm, got 1}}
  %0 = nag.update %R, %s branch %f alpha %alpha
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_c7_missing_modulator(%R: tensor<4x8xf32>, %s: tensor<4xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C7) expected 3 result(s), updated, updated_log_norm, modulator, got 2}}
  %0:2 = nag.update %R, %s branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c7_surplus(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C7) expected 1 result(s), updated, got 2}}
  %0:2 = nag.update %R branch %f alpha %alpha
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_c7_log_norm(%R: tensor<4x8xf32>, %s: tensor<4xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C7) expected updated_log_norm of the type of log_norm, 'tensor<4xf32>', got 'tensor<?xf32>'}}
  %0:2 = nag.update %R, %s branch %f alpha %alpha
      : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<?xf32>)
  return
}

// -----

func.func @update_c7_modulator(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>, %l: tensor<2xf32>) {
  // expected-error @+1 {{(C7) expected modulator to be 'tensor<4xf32>', the leading dimensions of stream in the arithmetic type, got 'tensor<5xf32>'}}
  %0:2 = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %l)
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2x8xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x8xf32>, tensor<5xf32>)
  return
}

// -----

func.func @update_c8_negative(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C8) expected tol to be finite and not negative, got -1.000000e+00}}
  %0 = nag.update %R branch %f alpha %alpha {tol = -1.0 : f64}
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_c8_nan(%R: tensor<4x8xf32>, %f: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{(C8) expected tol to be finite and not negative, got nan}}
  %0 = nag.update %R branch %f alpha %alpha {tol = 0x7FF8000000000000 : f64}
      : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @schedule_is_none(%f: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{attribute 'schedule' failed to satisfy constraint: how a kernel is spread over a GPU}}
  %0 = nag.center %f {schedule = "warp"} : tensor<?x8xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
