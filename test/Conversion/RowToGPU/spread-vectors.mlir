// A short vector, one element for each row of a table, is spread over the lanes of a warp: six elements over eight lanes.
// RUN: nag-opt %s --split-input-file --row-to-gpu --verify-diagnostics --canonicalize --cse | FileCheck %s

// CHECK-LABEL: gpu.func @f_sum(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x8xf32>, %[[W:[a-z0-9]+]]: memref<6x8xf32>, %[[B:[a-z0-9]+]]: memref<6xf32>
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c8
// Lanes past the vector read its last element again.
// CHECK: %[[AT:.*]] = arith.minui %[[LANE]], %c5
// CHECK: %[[BIAS:.*]] = memref.load %[[B]][%[[AT]]] : memref<6xf32>
// Of the products every lane keeps one.
// CHECK: %[[IS1:.*]] = arith.cmpi eq, %[[LANE]], %c1
// CHECK: arith.select %[[IS1]]
// CHECK: %[[IS5:.*]] = arith.cmpi eq, %[[LANE]], %c5
// CHECK: %[[PRODUCT:.*]] = arith.select %[[IS5]]
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK: math.exp %{{.*}} : vector<1xf32>
// They do not join a sum.
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[LANE]], %c6
// CHECK: arith.select %[[IN]], %{{.*}}, %cst
// CHECK: gpu.shuffle  xor %{{.*}}, %c4_i32, %c32_i32
// CHECK: gpu.shuffle  xor %{{.*}}, %c2_i32, %c32_i32
// CHECK: gpu.shuffle  xor %{{.*}}, %c1_i32, %c32_i32
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store
func.func @f(%x: memref<?x8xf32>, %w: memref<6x8xf32>, %b: memref<6xf32>, %y: memref<?xf32>, %stream: !llvm.ptr)
    attributes {nag.entry} {
  row.kernel "sum" ins(%x, %w, %b : memref<?x8xf32>, memref<6x8xf32>, memref<6xf32>)
      outs(%y : memref<?xf32>)
      schedule #row.schedule<warp, threads = 32, rows = 4> {
  ^bb0(%in: !row.row<8xf32>, %table: !row.table<6x8xf32>, %bias: !row.table<6xf32>, %out: !row.row<f32>):
    %row = row.load %in : !row.row<8xf32> -> !row.vec<8xf32>
    %0 = row.contract %row, %table : !row.vec<8xf32>, !row.table<6x8xf32> -> vector<6xf32>
    %1 = row.load %bias : !row.table<6xf32> -> vector<6xf32>
    %2 = arith.addf %0, %1 : vector<6xf32>
    %3 = math.exp %2 : vector<6xf32>
    %4 = vector.reduction <add>, %3 : vector<6xf32> into f32
    row.store %4, %out : f32, !row.row<f32>
  }
  return
}

// -----

func.func @f(%b: memref<6xf32>, %y: memref<?xf32>, %stream: !llvm.ptr) attributes {nag.entry} {
  row.kernel "product" ins(%b : memref<6xf32>) outs(%y : memref<?xf32>)
      schedule #row.schedule<warp, threads = 32, rows = 4> {
  ^bb0(%bias: !row.table<6xf32>, %out: !row.row<f32>):
    %0 = row.load %bias : !row.table<6xf32> -> vector<6xf32>
    // expected-error @+1 {{on GPUs expected short vectors in element-wise code, sums and maxima of f32}}
    %1 = vector.reduction <mul>, %0 : vector<6xf32> into f32
    row.store %1, %out : f32, !row.row<f32>
  }
  return
}
