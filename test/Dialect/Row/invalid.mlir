// Every constraint of the row dialect, broken once: NAME_cN breaks (CN) of NAME. One located error each, no crash.

// RUN: nag-opt %s -verify-diagnostics -split-input-file -allow-unregistered-dialect

//===--------------------------------------------------------------------------------------------------===//
// kernel
//===--------------------------------------------------------------------------------------------------===//

func.func @kernel_c1_count(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{'row.kernel' op (C1) expected a block argument for each of 2 operands, got 1}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c1_width(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C1) expected block argument #0 to be a row or a table of operand 'tensor<4x8xf32>', got '!row.row<9xf32>'}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<9xf32>, %out: !row.row<8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c1_element_type(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C1) expected block argument #0 to be a row or a table of operand 'tensor<4x8xf32>', got '!row.row<8xf16>'}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf16>, %out: !row.row<8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c1_dynamic_width(%R: tensor<4x8xf32>, %D: tensor<4x?xf32>) {
  // expected-error @+1 {{(C1) expected block argument #0 to be a row or a table of operand 'tensor<4x?xf32>', got '!row.row<8xf32>'}}
  %k = row.kernel "k" ins(%D : tensor<4x?xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c1_rank_0(%R: tensor<4x8xf32>, %D: tensor<f32>) {
  // expected-error @+1 {{(C1) expected block argument #0 to be a row or a table of operand 'tensor<f32>', got '!row.row<8xf32>'}}
  %k = row.kernel "k" ins(%D : tensor<f32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c1_table(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C1) expected block argument #0 to be a row or a table of operand 'tensor<4x8xf32>', got '!row.table<4x9xf32>'}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.table<4x9xf32>, %out: !row.row<8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c1_other_type(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C1) expected block argument #0 to be a row or a table of operand 'tensor<4x8xf32>', got 'f32'}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: !row.row<8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c2(%R: tensor<4x8xf32>, %Q: tensor<5x8xf32>) {
  // expected-error @+1 {{(C2) expected the token dimensions of operand #1, 'tensor<5x8xf32>', to match those of the operands before it}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%Q : tensor<5x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<5x8xf32>
  return
}

// -----

func.func @kernel_c2_rank(%R: tensor<4x8xf32>, %Q: tensor<4x1x8xf32>) {
  // expected-error @+1 {{(C2) expected the token dimensions of operand #1, 'tensor<4x1x8xf32>', to match those of the operands before it}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%Q : tensor<4x1x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x1x8xf32>
  return
}

// -----

// The first operand leaves the number open; the second and the third one disagree.
func.func @kernel_c2_through_dynamic(%R: tensor<?x8xf32>, %s: tensor<4xf32>, %Q: tensor<5x8xf32>) {
  // expected-error @+1 {{(C2) expected the token dimensions of operand #2, 'tensor<5x8xf32>', to match those of the operands before it}}
  %k = row.kernel "k" ins(%R, %s : tensor<?x8xf32>, tensor<4xf32>) outs(%Q : tensor<5x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %t: !row.row<f32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<5x8xf32>
  return
}

// -----

func.func @kernel_c3_rows(%R: tensor<4x8xf32>, %Q: tensor<4x9xf32>) {
  // expected-error @+1 {{(C3) expected rows of width 8, got '!row.row<9xf32>' as block argument #1}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%Q : tensor<4x9xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<9xf32>):
  } -> tensor<4x9xf32>
  return
}

// -----

func.func @kernel_c3_vectors(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.map' op (C3) expected row vectors of the kernel's width 8, got '!row.vec<9xf32>'}}
    %y = row.map -> !row.vec<9xf32> {
      %0 = arith.constant 1.0 : f32
      row.yield %0 : f32
    }
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c4_no_output() {
  // expected-error @+1 {{'row.kernel' op (C4) expected at least one output}}
  "row.kernel"() <{kernel_name = "k", operandSegmentSizes = array<i32: 0, 0>}> ({
    row.yield
  }) : () -> ()
  return
}

// -----

func.func @kernel_c4_results(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C4) expected results of the types of the outputs, 'tensor<4x8xf32>', got 'tensor<?x8xf32>'}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  return
}

// -----

func.func @kernel_c4_no_result(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C4) expected a result for every output on tensors}}
  row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  }
  return
}

// -----

func.func @kernel_c4_memref_result(%R: memref<4x8xf32>) {
  // expected-error @+1 {{(C4) expected results of the types of the outputs, 'memref<4x8xf32>', got 'tensor<4x8xf32>'}}
  %k = row.kernel "k" ins(%R : memref<4x8xf32>) outs(%R : memref<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c4_table_output(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C4) expected block argument #1, an output, to be a row, got '!row.table<4x8xf32>'}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.table<4x8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c5_effects(%R: tensor<4x8xf32>, %g: memref<f32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'memref.alloc' op (C5) is not allowed in a row.kernel: expected an operation without memory effects and regions on scalars and small vectors}}
    %m = memref.alloc() : memref<f32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c5_region(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %c = arith.constant true
    // expected-error @+1 {{'scf.if' op (C5) is not allowed in a row.kernel}}
    scf.if %c {
    }
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c5_tensor(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'tensor.empty' op (C5) is not allowed in a row.kernel}}
    %e = tensor.empty() : tensor<4x8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c5_unregistered(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'foo.bar' op (C5) is not allowed in a row.kernel}}
    "foo.bar"() : () -> ()
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c6_none(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C6) expected exactly one store to output #0, got 0}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c6_twice(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{(C6) expected exactly one store to output #0, got 2}}
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_c7(%R: tensor<4x8xf32>, %Q: memref<4x8xf32>) {
  // expected-error @+1 {{(C7) expected operands that are all tensors or all memrefs, got 'tensor<4x8xf32>' beside 'memref<4x8xf32>'}}
  row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%Q : memref<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  }
  return
}

// -----

func.func @kernel_no_name(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{'row.kernel' op requires attribute 'kernel_name'}}
  %0 = "row.kernel"(%R) <{operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%out: !row.row<8xf32>):
    row.yield
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_no_block(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{'row.kernel' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %0 = "row.kernel"(%R) <{kernel_name = "k", operandSegmentSizes = array<i32: 0, 1>}> ({
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_segments(%R: tensor<4x8xf32>) {
  // expected-error @+1 {{'row.kernel' op operand count (1) does not match with the total size (2) specified in attribute 'operandSegmentSizes'}}
  %0 = "row.kernel"(%R) <{kernel_name = "k", operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%out: !row.row<8xf32>):
    row.yield
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @kernel_unranked(%R: tensor<*xf32>) {
  // expected-error @+1 {{'row.kernel' op operand #0 must be variadic of ranked tensor of any type values or memref of any type values, but got 'tensor<*xf32>'}}
  %0 = "row.kernel"(%R) <{kernel_name = "k", operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%out: !row.row<8xf32>):
    row.yield
  }) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @kernel_unranked_memref(%R: memref<*xf32>) {
  // expected-error @+1 {{'row.kernel' op operand #0 must be variadic of ranked tensor of any type values or}}
  "row.kernel"(%R) <{kernel_name = "k", operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%out: !row.row<8xf32>):
    row.yield
  }) : (memref<*xf32>) -> ()
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// yield
//===--------------------------------------------------------------------------------------------------===//

func.func @yield_parent() {
  // expected-error @+1 {{'row.yield' op expects parent op to be one of 'row.kernel, row.map'}}
  row.yield
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// load
//===--------------------------------------------------------------------------------------------------===//

func.func @load_c1_outside(%r: !row.row<8xf32>) {
  // expected-error @+1 {{'row.load' op expects parent op 'row.kernel'}}
  %x = row.load %r : !row.row<8xf32> -> !row.vec<8xf32>
  return
}

// -----

func.func @load_c1_output(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.load' op (C1) expected an input of the kernel as source}}
    %y = row.load %out : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @load_c2_width(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.load' op (C2) expected a result of the shape of '!row.row<8xf32>' in f32 or f64, not narrower than what is stored, or of a row what is stored or its bits, got '!row.vec<9xf32>'}}
    %y = row.load %in : !row.row<8xf32> -> !row.vec<9xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @load_c2_integer(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.load' op (C2) expected a result of the shape of '!row.row<8xf32>' in f32 or f64, not narrower than what is stored, or of a row what is stored or its bits, got '!row.vec<8xi64>'}}
    %y = row.load %in : !row.row<8xf32> -> !row.vec<8xi64>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @load_c2_narrower(%R: tensor<4x8xf64>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf64>) outs(%R : tensor<4x8xf64>) {
  ^bb0(%in: !row.row<8xf64>, %out: !row.row<8xf64>):
    // expected-error @+1 {{'row.load' op (C2) expected a result of the shape of '!row.row<8xf64>' in f32 or f64, not narrower than what is stored, or of a row what is stored or its bits, got '!row.vec<8xf32>'}}
    %y = row.load %in : !row.row<8xf64> -> !row.vec<8xf32>
  } -> tensor<4x8xf64>
  return
}

// -----

func.func @load_c2_scalar(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.load' op (C2) expected a result of the shape of '!row.row<8xf32>' in f32 or f64, not narrower than what is stored, or of a row what is stored or its bits, got 'f32'}}
    %y = row.load %in : !row.row<8xf32> -> f32
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @load_c2_matrix(%R: tensor<4x8xf32>, %w: tensor<2x8xf32>) {
  %k = row.kernel "k" ins(%R, %w : tensor<4x8xf32>, tensor<2x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %table: !row.table<2x8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.load' op (C2) expected a row, or a table of at most one dimension, got '!row.table<2x8xf32>'}}
    %y = row.load %table : !row.table<2x8xf32> -> vector<2x8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// store
//===--------------------------------------------------------------------------------------------------===//

func.func @store_c1_outside(%r: !row.row<8xf32>, %x: !row.vec<8xf32>) {
  // expected-error @+1 {{'row.store' op expects parent op 'row.kernel'}}
  row.store %x, %r : !row.vec<8xf32>, !row.row<8xf32>
  return
}

// -----

func.func @store_c1_input(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.store' op (C1) expected an output of the kernel as destination}}
    row.store %x, %in : !row.vec<8xf32>, !row.row<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @store_c2_scalar(%R: tensor<4x8xf32>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%R : tensor<4x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %a = arith.constant 1.0 : f32
    // expected-error @+1 {{'row.store' op (C2) expected a value of the shape of '!row.row<8xf32>' in f32 or f64, not narrower than what is stored, or of a row what is stored or its bits, got 'f32'}}
    row.store %a, %out : f32, !row.row<8xf32>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<4x8xf32>
  return
}

// -----

func.func @store_c2_narrower(%R: tensor<4x8xf32>, %Q: tensor<4x8xf64>) {
  %k = row.kernel "k" ins(%R : tensor<4x8xf32>) outs(%Q : tensor<4x8xf64>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf64>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.store' op (C2) expected a value of the shape of '!row.row<8xf64>' in f32 or f64, not narrower than what is stored, or of a row what is stored or its bits, got '!row.vec<8xf32>'}}
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf64>
  } -> tensor<4x8xf64>
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// map
//===--------------------------------------------------------------------------------------------------===//

func.func @map_c1_width(%x: !row.vec<9xf32>) {
  // expected-error @+1 {{'row.map' op (C1) expected operands of the width of the result, '!row.vec<8xf32>', got '!row.vec<9xf32>'}}
  %y = row.map %x : !row.vec<9xf32> -> !row.vec<8xf32> {
  ^bb0(%e: f32):
    row.yield %e : f32
  }
  return
}

// -----

func.func @map_c1_arguments(%x: !row.vec<8xf32>) {
  // expected-error @+1 {{'row.map' op (C1) expected a block argument of the element type of each operand}}
  %y = row.map %x : !row.vec<8xf32> -> !row.vec<8xf64> {
  ^bb0(%e: f64):
    row.yield %e : f64
  }
  return
}

// -----

func.func @map_c1_yield_type(%x: !row.vec<8xf32>) {
  // expected-error @+1 {{'row.map' op (C1) expected the region to yield one 'f64'}}
  %y = row.map %x : !row.vec<8xf32> -> !row.vec<8xf64> {
  ^bb0(%e: f32):
    row.yield %e : f32
  }
  return
}

// -----

func.func @map_c1_yield_nothing(%x: !row.vec<8xf32>) {
  // expected-error @+1 {{'row.map' op (C1) expected the region to yield one 'f32'}}
  %y = row.map %x : !row.vec<8xf32> -> !row.vec<8xf32> {
  ^bb0(%e: f32):
    row.yield
  }
  return
}

// -----

func.func @map_c1_other_terminator(%x: !row.vec<8xf32>) {
  // expected-error @+1 {{'row.map' op (C1) expected the region to yield one 'f32'}}
  %y = row.map %x : !row.vec<8xf32> -> !row.vec<8xf32> {
  ^bb0(%e: f32):
    "foo.end"(%e) : (f32) -> ()
  }
  return
}

// -----

func.func @map_c2_not_elementwise(%x: !row.vec<8xf32>, %v: vector<8xf32>) {
  %y = row.map %x : !row.vec<8xf32> -> !row.vec<8xf32> {
  ^bb0(%e: f32):
    // expected-error @+1 {{'vector.extract' op (C2) is not an elementwise operation on scalars}}
    %0 = vector.extract %v[0] : f32 from vector<8xf32>
    row.yield %0 : f32
  }
  return
}

// -----

func.func @map_c2_not_scalar(%x: !row.vec<8xf32>, %v: vector<8xf32>) {
  %y = row.map %x : !row.vec<8xf32> -> !row.vec<8xf32> {
  ^bb0(%e: f32):
    // expected-error @+1 {{'arith.addf' op (C2) is not an elementwise operation on scalars}}
    %0 = arith.addf %v, %v : vector<8xf32>
    row.yield %e : f32
  }
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// reduce
//===--------------------------------------------------------------------------------------------------===//

func.func @reduce_c1(%x: !row.vec<8xf32>) {
  // expected-error @+1 {{'row.reduce' op (C1) expected a result of type 'f32', got 'f64'}}
  %y = row.reduce add %x : !row.vec<8xf32> -> f64
  return
}

// -----

func.func @reduce_c2_float(%x: !row.vec<8xf32>) {
  // expected-error @+1 {{'row.reduce' op (C2) expected add for elements of 'f32'}}
  %y = row.reduce umax %x : !row.vec<8xf32> -> f32
  return
}

// -----

func.func @reduce_c3_kind(%x: !row.vec<8xi32>) {
  // expected-error @+1 {{'row.reduce' op (C3) expected no 'times' beside umax}}
  %y = row.reduce umax %x times %x : !row.vec<8xi32>, !row.vec<8xi32> -> i32
  return
}

// -----

func.func @reduce_c3_type(%x: !row.vec<8xf32>, %z: !row.vec<9xf32>) {
  // expected-error @+1 {{'row.reduce' op (C3) expected a factor of type '!row.vec<8xf32>', got '!row.vec<9xf32>'}}
  %y = row.reduce add %x times %z : !row.vec<8xf32>, !row.vec<9xf32> -> f32
  return
}

// -----

func.func @reduce_c2_integer(%x: !row.vec<8xi32>) {
  // expected-error @+1 {{'row.reduce' op (C2) expected umax for elements of 'i32'}}
  %y = row.reduce add %x : !row.vec<8xi32> -> i32
  return
}

// -----

func.func @reduce_kind(%x: !row.vec<8xf32>) {
  // expected-error @+1 {{expected a kind of reduction, add or umax, got 'mul'}}
  %y = row.reduce mul %x : !row.vec<8xf32> -> f32
  return
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// contract
//===--------------------------------------------------------------------------------------------------===//

func.func @contract_c1_width(%x: !row.vec<8xf32>, %w: !row.table<2x9xf32>) {
  // expected-error @+1 {{'row.contract' op (C1) expected a table of [C, 8], got '!row.table<2x9xf32>'}}
  %y = row.contract %x, %w : !row.vec<8xf32>, !row.table<2x9xf32> -> vector<2xf32>
  return
}

// -----

func.func @contract_c1_rank(%x: !row.vec<8xf32>, %w: !row.table<f32>) {
  // expected-error @+1 {{'row.contract' op (C1) expected a table of [C, 8], got '!row.table<f32>'}}
  %y = row.contract %x, %w : !row.vec<8xf32>, !row.table<f32> -> vector<2xf32>
  return
}

// -----

func.func @contract_c2(%x: !row.vec<8xf32>, %w: !row.table<2x8xf32>) {
  // expected-error @+1 {{'row.contract' op (C2) expected a result of type 'vector<2xf32>', got 'vector<3xf32>'}}
  %y = row.contract %x, %w : !row.vec<8xf32>, !row.table<2x8xf32> -> vector<3xf32>
  return
}

// -----

func.func @contract_integers(%x: !row.vec<8xi32>, %w: !row.table<2x8xf32>) {
  // expected-error @+1 {{'row.contract' op (C2) expected a result of type 'vector<2xi32>', got 'vector<2xf32>'}}
  %y = row.contract %x, %w : !row.vec<8xi32>, !row.table<2x8xf32> -> vector<2xf32>
  return
}

// -----

func.func @narrow_type(%R: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = row.kernel "k" ins(%R : tensor<?x8xf32>) outs(%R : tensor<?x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    // expected-error @+1 {{'row.narrow' op (C1) expected f32 to become bf16 or f16 of the same width, got '!row.vec<8xf32>' -> '!row.vec<9xbf16>'}}
    %y = row.narrow %x : !row.vec<8xf32> -> !row.vec<9xbf16>
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @expect_type(%R: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = row.kernel "k" ins(%R : tensor<?x8xf32>) outs(%R : tensor<?x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %x = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %sum = row.reduce add %x : !row.vec<8xf32> -> f32
    // expected-error @+1 {{'row.expect' op (C1) expected a value of type 'f32', got 'f64'}}
    %y = "row.expect"(%sum) {value = 1.0 : f64} : (f32) -> f32
    row.store %x, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

//===--------------------------------------------------------------------------------------------------===//
// Types
//===--------------------------------------------------------------------------------------------------===//

// expected-error @+1 {{expected a width of at least 1, got 0}}
func.func private @vec_width(!row.vec<0xf32>)

// -----

// expected-error @+1 {{expected elements of f32, f64, bf16, f16, i16, i32 or i64, got 'i8'}}
func.func private @vec_element(!row.vec<8xi8>)

// -----

// expected-error @+1 {{expected one dimension, the width of the row}}
func.func private @vec_rank(!row.vec<2x8xf32>)

// -----

// expected-error @+1 {{expected one dimension, the width of the row}}
func.func private @vec_scalar(!row.vec<f32>)

// -----

// expected-error @+1 {{expected at most 1 dimensions, got 2}}
func.func private @row_rank(!row.row<2x8xf32>)

// -----

// expected-error @+1 {{expected dimensions of at least 1}}
func.func private @row_width(!row.row<0xf32>)

// -----

// expected-error @+1 {{expected elements of f32, bf16, f16 or f64, got 'i8'}}
func.func private @row_element(!row.row<8xi8>)

// -----

// expected-error @+1 {{expected at most 2 dimensions, got 3}}
func.func private @table_rank(!row.table<2x2x8xf32>)

// -----

// expected-error @+1 {{expected dimensions of at least 1}}
func.func private @table_size(!row.table<0x8xf32>)

// -----

// expected-error @+1 {{expected elements of f32, bf16, f16 or f64, got 'index'}}
func.func private @table_element(!row.table<8xindex>)

// -----

//===--------------------------------------------------------------------------------------------------===//
// Attributes
//===--------------------------------------------------------------------------------------------------===//

// expected-error @+1 {{expected a power of two from 32 to 1024 threads a row, got 48}}
func.func private @schedule_threads() attributes {s = #row.schedule<block, threads = 48, rows = 1>}

// -----

// expected-error @+1 {{expected a power of two from 32 to 1024 threads a row, got 2048}}
func.func private @schedule_too_many() attributes {s = #row.schedule<block, threads = 2048, rows = 1>}

// -----

// expected-error @+1 {{expected a power of two from 32 to 1024 threads a row, got -32}}
func.func private @schedule_negative() attributes {s = #row.schedule<block, threads = -32, rows = 1>}

// -----

// expected-error @+1 {{expected at least 1 row and at most 1024 threads a block, got 0 rows of 32 threads}}
func.func private @schedule_no_row() attributes {s = #row.schedule<warp, threads = 32, rows = 0>}

// -----

// expected-error @+1 {{expected at least 1 row and at most 1024 threads a block, got 33 rows of 32 threads}}
func.func private @schedule_rows() attributes {s = #row.schedule<warp, threads = 32, rows = 33>}

// -----

// expected-error @+1 {{expected at least 1 row and at most 1024 threads a block}}
func.func private @schedule_overflow() attributes {s = #row.schedule<warp, threads = 32, rows = 576460752303423489>}

// -----

// expected-error @+1 {{expected 32 threads a row for a warp schedule, got 64}}
func.func private @schedule_warp() attributes {s = #row.schedule<warp, threads = 64, rows = 1>}

// -----

// expected-error @+1 {{expected 1 row a block for a stream schedule, got 2}}
func.func private @schedule_stream_rows() attributes {s = #row.schedule<stream, threads = 64, rows = 2>}
