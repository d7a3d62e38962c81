// A kernel reads no more rows than it may have to hold.
// RUN: nag-opt %s --row-fuse=max-rows=2 --remark-format=emitRemark --remarks-filter=row-fuse 2>&1 | FileCheck %s
// RUN: nag-opt %s --row-fuse=max-rows=3 | FileCheck %s --check-prefix=THREE

// CHECK: remark: {{.*}}'add' is not fused with 'add' before it: one program would read too many rows
// CHECK-COUNT-2: row.kernel "add"
// THREE: row.kernel "add_add"
// THREE-NOT: row.kernel
func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %z: tensor<?x8xf32>, %i: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = row.kernel "add" ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%i : tensor<?x8xf32>) {
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
  %1 = row.kernel "add" ins(%0, %z : tensor<?x8xf32>, tensor<?x8xf32>) outs(%i : tensor<?x8xf32>) {
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
  return %1 : tensor<?x8xf32>
}
