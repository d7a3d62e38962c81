// What the custom syntax cannot say, in the generic one: operands of wrong number, order and kind, attributes that are
// missing or of another type. One located error each, no crash.

// RUN: nag-opt %s -verify-diagnostics -split-input-file

//===--------------------------------------------------------------------------------------------------===//
// Number and order of operands
//===--------------------------------------------------------------------------------------------------===//

func.func @split_no_operand() {
  // expected-error @+1 {{'nag.split' op requires a single operand}}
  %0:2 = "nag.split"() : () -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_no_operand() {
  // expected-error @+1 {{'nag.update' op expected 3 or more operands, but found 0}}
  %0 = "nag.update"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0>}> : () -> tensor<4x8xf32>
  return
}

// -----

func.func @update_no_operand_but_segments() {
  // expected-error @+1 {{'nag.update' op expected 3 or more operands, but found 0}}
  %0 = "nag.update"() <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>}> : () -> tensor<4x8xf32>
  return
}

// -----

func.func @update_no_segments(%R: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{operand count (3) does not match with the total size (0) specified in attribute 'operandSegmentSizes'}}
  %0 = "nag.update"(%R, %R, %alpha) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_negative_segment(%R: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{'nag.update' op 'operandSegmentSizes' attribute cannot have negative elements}}
  %0 = "nag.update"(%R, %R, %alpha) <{operandSegmentSizes = array<i32: 1, -1, 1, 1, 1, 0, 0, 0, 0>}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_short_segments(%R: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{size mismatch}}
  %0 = "nag.update"(%R, %R, %alpha) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_no_result(%R: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{'nag.update' op expected 1 or more results}}
  "nag.update"(%R, %R, %alpha) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> ()
  return
}

// -----

func.func @update_swapped(%R: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{'nag.update' op operand #2 must be 0D tensor of 32-bit float or 64-bit float values, but got 'tensor<4x8xf32>'}}
  %0 = "nag.update"(%R, %alpha, %R) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @merge_swapped(%D: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'nag.merge' op (C2) expected log_norm to be 'tensor<f32>', the leading dimensions of direction in the arithmetic type, got 'tensor<4x8xf32>'}}
  %0 = "nag.merge"(%s, %D) : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @modulate_swapped(%D: tensor<4x8xf32>, %beta: tensor<f32>, %w: tensor<2x8xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{'nag.modulate' op operand #2 must be 2D tensor of}}
  %0 = "nag.modulate"(%D, %beta, %b, %w, %b) : (tensor<4x8xf32>, tensor<f32>, tensor<2xf32>, tensor<2x8xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// Of beta, w, b and logits, w alone.
func.func @update_c4_together(%R: tensor<4x8xf32>, %alpha: tensor<f32>, %w: tensor<2x8xf32>) {
  // expected-error @+1 {{'nag.update' op (C4) expected beta, w, b and logits together or none of them}}
  %0:2 = "nag.update"(%R, %R, %alpha, %w) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 1, 0, 0>}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<2x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

// ... all but w.
func.func @update_c4_without_w(%R: tensor<4x8xf32>, %alpha: tensor<f32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{'nag.update' op (C4) expected beta, w, b and logits together or none of them}}
  %0 = "nag.update"(%R, %R, %alpha, %alpha, %b, %b) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 1, 0, 1, 1>}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x8xf32>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// Kinds of operands and results
//===--------------------------------------------------------------------------------------------------===//

func.func @split_memref(%R: memref<4x8xf32>) {
  // expected-error @+1 {{'nag.split' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 64-bit float values, but got 'memref<4x8xf32>'}}
  %0:2 = "nag.split"(%R) : (memref<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @update_memref(%R: memref<f32>) {
  // expected-error @+1 {{'nag.update' op operand #0 must be ranked tensor of}}
  %0 = "nag.update"(%R, %R, %R) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>}> : (memref<f32>, memref<f32>, memref<f32>) -> memref<f32>
  return
}

// -----

func.func @update_empty_memref(%R: memref<0x768xf32>) {
  // expected-error @+1 {{'nag.update' op operand #0 must be ranked tensor of}}
  %0 = "nag.update"(%R, %R, %R) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>}> : (memref<0x768xf32>, memref<0x768xf32>, memref<0x768xf32>) -> memref<0x768xf32>
  return
}

// -----

func.func @update_unranked(%R: tensor<*xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{'nag.update' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 64-bit float values, but got 'tensor<*xf32>'}}
  %0 = "nag.update"(%R, %R, %alpha) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<*xf32>, tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  return
}

// -----

func.func @center_unranked_result(%f: tensor<4x8xf32>) {
  // expected-error @+1 {{'nag.center' op result #0 must be ranked tensor of}}
  %0 = "nag.center"(%f) : (tensor<4x8xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @modulate_unranked_w(%D: tensor<4x8xf32>, %beta: tensor<f32>, %w: tensor<*xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{'nag.modulate' op operand #2 must be 2D tensor of}}
  %0 = "nag.modulate"(%D, %beta, %w, %b, %b) : (tensor<4x8xf32>, tensor<f32>, tensor<*xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @update_scalar_alpha(%R: tensor<4x8xf32>, %alpha: f32) {
  // expected-error @+1 {{'nag.update' op operand #2 must be 0D tensor of 32-bit float or 64-bit float values, but got 'f32'}}
  %0 = "nag.update"(%R, %R, %alpha) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<4x8xf32>, tensor<4x8xf32>, f32) -> tensor<4x8xf32>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// Element types
//===--------------------------------------------------------------------------------------------------===//

func.func @center_i8(%f: tensor<4x8xi8>) {
  // expected-error @+1 {{'nag.center' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 64-bit float values, but got 'tensor<4x8xi8>'}}
  %0 = "nag.center"(%f) : (tensor<4x8xi8>) -> tensor<4x8xi8>
  return
}

// -----

func.func @center_f8(%f: tensor<4x8xf8E4M3FN>) {
  // expected-error @+1 {{'nag.center' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 64-bit float values, but got 'tensor<4x8xf8E4M3FN>'}}
  %0 = "nag.center"(%f) : (tensor<4x8xf8E4M3FN>) -> tensor<4x8xf8E4M3FN>
  return
}

// -----

func.func @center_complex(%f: tensor<4x8xcomplex<f32>>) {
  // expected-error @+1 {{'nag.center' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 64-bit float values, but got 'tensor<4x8xcomplex<f32>>'}}
  %0 = "nag.center"(%f) : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  return
}

// -----

func.func @center_index(%f: tensor<4x8xindex>) {
  // expected-error @+1 {{'nag.center' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 64-bit float values, but got 'tensor<4x8xindex>'}}
  %0 = "nag.center"(%f) : (tensor<4x8xindex>) -> tensor<4x8xindex>
  return
}

// -----

func.func @split_f80(%R: tensor<4x8xf80>) {
  // expected-error @+1 {{'nag.split' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 64-bit float values, but got 'tensor<4x8xf80>'}}
  %0:2 = "nag.split"(%R) : (tensor<4x8xf80>) -> (tensor<4x8xf80>, tensor<4xf32>)
  return
}

// -----

func.func @merge_16_bit_log_norm(%D: tensor<4x8xbf16>, %s: tensor<4xbf16>) {
  // expected-error @+1 {{'nag.merge' op operand #1 must be ranked tensor of 32-bit float or 64-bit float values, but got 'tensor<4xbf16>'}}
  %0 = "nag.merge"(%D, %s) : (tensor<4x8xbf16>, tensor<4xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// Attributes
//===--------------------------------------------------------------------------------------------------===//

func.func @scale_tol_string(%P: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid attribute `tol` in property conversion: "small"}}
  %0 = "nag.scale"(%P, %P) <{tol = "small"}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scale_tol_integer(%P: tensor<4x8xf32>) {
  // expected-error @+1 {{Invalid attribute `tol` in property conversion: 1 : i64}}
  %0 = "nag.scale"(%P, %P) <{tol = 1 : i64}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scale_tol_f32(%P: tensor<4x8xf32>) {
  // expected-error @+1 {{'nag.scale' op attribute 'tol' failed to satisfy constraint: 64-bit float attribute}}
  %0 = "nag.scale"(%P, %P) <{tol = 1.0e-3 : f32}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @update_tol_array(%R: tensor<4x8xf32>, %alpha: tensor<f32>) {
  // expected-error @+1 {{'nag.update' op attribute 'tol' failed to satisfy constraint: 64-bit float attribute}}
  %0 = "nag.update"(%R, %R, %alpha) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>, tol = 1.0 : f32}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}
