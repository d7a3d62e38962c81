// Kernels that walk the same rows become one where nothing lies between them.
// RUN: nag-opt %s --split-input-file --row-fuse --canonicalize --cse | FileCheck %s
// RUN: nag-opt %s --split-input-file --row-fuse --remark-format=emitRemark --remarks-filter=row-fuse 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: nag-opt %s --split-input-file --row-fuse > %t
// RUN: nag-opt %t --split-input-file --row-fuse | diff %t -

// The result of the first is loaded as it is stored: rounded. It is stored itself only where somebody else needs it.
// REMARK: remark: {{.*}}'double' is fused with 'half' before it
// CHECK-LABEL: @producer
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x8xbf16>
// CHECK: row.kernel "half_double" ins(%[[X]] : tensor<?x8xbf16>) outs(%{{.*}} : tensor<?x8xf32>) {
// CHECK: arith.divf
// CHECK: %[[STORED:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.extf %[[STORED]] : bf16 to f32
// CHECK: arith.addf
// CHECK-NOT: row.kernel
func.func @producer(%x: tensor<?x8xbf16>, %i0: tensor<?x8xbf16>, %i1: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = row.kernel "half" ins(%x : tensor<?x8xbf16>) outs(%i0 : tensor<?x8xbf16>) {
  ^bb0(%in: !row.row<8xbf16>, %out: !row.row<8xbf16>):
    %two = arith.constant 3.0 : f32
    %v = row.load %in : !row.row<8xbf16> -> !row.vec<8xf32>
    %h = row.map %v : !row.vec<8xf32> -> !row.vec<8xf32> {
    ^bb0(%e: f32):
      %q = arith.divf %e, %two : f32
      row.yield %q : f32
    }
    row.store %h, %out : !row.vec<8xf32>, !row.row<8xbf16>
  } -> tensor<?x8xbf16>
  %1 = row.kernel "double" ins(%0 : tensor<?x8xbf16>) outs(%i1 : tensor<?x8xf32>) {
  ^bb0(%in: !row.row<8xbf16>, %out: !row.row<8xf32>):
    %v = row.load %in : !row.row<8xbf16> -> !row.vec<8xf32>
    %h = row.map %v : !row.vec<8xf32> -> !row.vec<8xf32> {
    ^bb0(%e: f32):
      %q = arith.addf %e, %e : f32
      row.yield %q : f32
    }
    row.store %h, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// -----

// Two sub-layers with branches between them: a kernel more than branches. A branch needs what is before it.
// REMARK: remark: {{.*}}'total' is fused with 'copy' before it
// REMARK: remark: {{.*}}'total' is fused with 'add' before it
// REMARK: remark: {{.*}}'add_total' is not fused with 'copy_total' before it: what lies between them needs the first, and the second needs it
// CHECK-LABEL: @sublayers
// CHECK: row.kernel "copy_total"
// CHECK: call @branch
// CHECK: row.kernel "add_total"
// CHECK: call @branch
// CHECK: row.kernel "add"
// CHECK-NOT: row.kernel
// CHECK: return
func.func private @branch(tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @sublayers(%x: tensor<?x8xf32>, %i: tensor<?x8xf32>, %n: tensor<?xf32>)
    -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>) {
  %x0 = row.kernel "copy" ins(%x : tensor<?x8xf32>) outs(%i : tensor<?x8xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<8xf32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    row.store %v, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  %f0 = call @branch(%x0) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %t0 = row.kernel "total" ins(%x0 : tensor<?x8xf32>) outs(%n : tensor<?xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %s = row.reduce add %v : !row.vec<8xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  } -> tensor<?xf32>
  %x1 = row.kernel "add" ins(%x0, %f0 : tensor<?x8xf32>, tensor<?x8xf32>) outs(%i : tensor<?x8xf32>) {
  ^bb0(%a: !row.row<8xf32>, %b: !row.row<8xf32>, %out: !row.row<8xf32>):
    %v = row.load %a : !row.row<8xf32> -> !row.vec<8xf32>
    %w = row.load %b : !row.row<8xf32> -> !row.vec<8xf32>
    %h = row.map %v, %w : !row.vec<8xf32>, !row.vec<8xf32> -> !row.vec<8xf32> {
    ^bb0(%e: f32, %g: f32):
      %q = arith.addf %e, %g : f32
      row.yield %q : f32
    }
    row.store %h, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  %f1 = call @branch(%x1) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %t1 = row.kernel "total" ins(%x1 : tensor<?x8xf32>) outs(%n : tensor<?xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %s = row.reduce add %v : !row.vec<8xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  } -> tensor<?xf32>
  %x2 = row.kernel "add" ins(%x1, %f1 : tensor<?x8xf32>, tensor<?x8xf32>) outs(%i : tensor<?x8xf32>) {
  ^bb0(%a: !row.row<8xf32>, %b: !row.row<8xf32>, %out: !row.row<8xf32>):
    %v = row.load %a : !row.row<8xf32> -> !row.vec<8xf32>
    %w = row.load %b : !row.row<8xf32> -> !row.vec<8xf32>
    %h = row.map %v, %w : !row.vec<8xf32>, !row.vec<8xf32> -> !row.vec<8xf32> {
    ^bb0(%e: f32, %g: f32):
      %q = arith.addf %e, %g : f32
      row.yield %q : f32
    }
    row.store %h, %out : !row.vec<8xf32>, !row.row<8xf32>
  } -> tensor<?x8xf32>
  return %x2, %t0, %t1 : tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Two readers of one row, neither of which needs the other.
// REMARK: remark: {{.*}}'second' is fused with 'first' before it
// CHECK-LABEL: @readers
// CHECK: row.kernel "first_second" ins(%{{.*}} : tensor<?x8xf32>) outs(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>)
// CHECK-NOT: row.kernel
func.func @readers(%x: tensor<?x8xf32>, %n: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = row.kernel "first" ins(%x : tensor<?x8xf32>) outs(%n : tensor<?xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %s = row.reduce add %v : !row.vec<8xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  } -> tensor<?xf32>
  %1 = row.kernel "second" ins(%x : tensor<?x8xf32>) outs(%n : tensor<?xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %s = row.reduce add %v times %v : !row.vec<8xf32>, !row.vec<8xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  } -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A table is needed whole, before any token.
// REMARK: remark: {{.*}}'use' is not fused with 'make' before it: the second needs a result of the first for all tokens
// CHECK-LABEL: @table
// CHECK: row.kernel "make"
// CHECK: row.kernel "use"
func.func @table(%x: tensor<4x8xf32>, %n: tensor<4xf32>) -> tensor<4xf32> {
  %0 = row.kernel "make" ins(%x : tensor<4x8xf32>) outs(%n : tensor<4xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %s = row.reduce add %v : !row.vec<8xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  } -> tensor<4xf32>
  %1 = row.kernel "use" ins(%x, %0 : tensor<4x8xf32>, tensor<4xf32>) outs(%n : tensor<4xf32>) {
  ^bb0(%in: !row.row<8xf32>, %t: !row.table<4xf32>, %out: !row.row<f32>):
    %v = row.load %t : !row.table<4xf32> -> vector<4xf32>
    %s = vector.reduction <add>, %v : vector<4xf32> into f32
    row.store %s, %out : f32, !row.row<f32>
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Kernels of other widths, on memrefs, in other blocks, and what is no kernel stay.
// CHECK-LABEL: @others
// CHECK-COUNT-2: row.kernel "total"
func.func private @declaration()
func.func @others(%x: memref<?x8xf32>, %n: memref<?xf32>, %c: i1) {
  scf.if %c {
    row.kernel "total" ins(%x : memref<?x8xf32>) outs(%n : memref<?xf32>) {
    ^bb0(%in: !row.row<8xf32>, %out: !row.row<f32>):
      %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
      %s = row.reduce add %v : !row.vec<8xf32> -> f32
      row.store %s, %out : f32, !row.row<f32>
    }
  }
  row.kernel "total" ins(%x : memref<?x8xf32>) outs(%n : memref<?xf32>) {
  ^bb0(%in: !row.row<8xf32>, %out: !row.row<f32>):
    %v = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %s = row.reduce add %v : !row.vec<8xf32> -> f32
    row.store %s, %out : f32, !row.row<f32>
  }
  return
}
