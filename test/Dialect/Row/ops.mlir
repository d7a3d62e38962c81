// Every operation, type and attribute of the row dialect, printed and parsed again in both forms. The examples of the
// descriptions are among them.

// RUN: nag-opt %s | nag-opt | FileCheck %s
// RUN: nag-opt %s --mlir-print-op-generic | nag-opt | FileCheck %s

// CHECK-LABEL: func @normalize(
func.func @normalize(%R: tensor<?x4096xbf16>, %init: tensor<?x4096xbf16>) -> tensor<?x4096xbf16> {
  // CHECK: %[[D:.*]] = row.kernel "normalize" ins(%{{.*}} : tensor<?x4096xbf16>) outs(%{{.*}} : tensor<?x4096xbf16>) {
  // CHECK-NEXT: ^bb0(%[[IN:[^:]*]]: !row.row<4096xbf16>, %[[OUT:[^:]*]]: !row.row<4096xbf16>):
  // CHECK: %[[X:.*]] = row.load %[[IN]] : !row.row<4096xbf16> -> !row.vec<4096xf32>
  // CHECK: %[[XX:.*]] = row.map %[[X]] : !row.vec<4096xf32> -> !row.vec<4096xf32> {
  // CHECK-NEXT: ^bb0(%[[E:[^:]*]]: f32):
  // CHECK: row.yield %{{.*}} : f32
  // CHECK: row.reduce add %[[XX]] : !row.vec<4096xf32> -> f32
  // CHECK: row.reduce add %[[XX]] times %{{.*}} : !row.vec<4096xf32>, !row.vec<4096xf32> -> f32
  // CHECK: row.store %{{.*}}, %[[OUT]] : !row.vec<4096xf32>, !row.row<4096xbf16>
  // CHECK-NEXT: } -> tensor<?x4096xbf16>
  // x / rms(x): the row is read, measured, and stored.
  %D = row.kernel "normalize" ins(%R : tensor<?x4096xbf16>) outs(%init : tensor<?x4096xbf16>) {
  ^bb0(%in: !row.row<4096xbf16>, %out: !row.row<4096xbf16>):
    %d = arith.constant 4096.0 : f32
    %x = row.load %in : !row.row<4096xbf16> -> !row.vec<4096xf32>
    %xx = row.map %x : !row.vec<4096xf32> -> !row.vec<4096xf32> {
    ^bb0(%e: f32):
      %0 = arith.mulf %e, %e : f32
      row.yield %0 : f32
    }
    %sum = row.reduce add %xx : !row.vec<4096xf32> -> f32
    %dot = row.reduce add %xx times %x : !row.vec<4096xf32>, !row.vec<4096xf32> -> f32
    %mean = arith.divf %sum, %d : f32
    %rms = math.sqrt %mean : f32
    %y = row.map %x : !row.vec<4096xf32> -> !row.vec<4096xf32> {
    ^bb0(%e: f32):
      %0 = arith.divf %e, %rms : f32
      row.yield %0 : f32
    }
    row.store %y, %out : !row.vec<4096xf32>, !row.row<4096xbf16>
  } -> tensor<?x4096xbf16>
  return %D : tensor<?x4096xbf16>
}

// The examples of the other operations, in one kernel: tables, token scalars, contraction; after bufferization, with a
// schedule and an attribute.
// CHECK-LABEL: func @examples(
func.func @examples(%fm: memref<?x3x4096xbf16, strided<[?, ?, 1], offset: ?>>, %mm: memref<?x3xf32>, %wm: memref<8x4096xbf16>,
                    %bm: memref<8xf32>, %am: memref<f32>, %om: memref<?x3x4096xbf16>, %tm: memref<?x3xf32>) {
  // CHECK: row.kernel "examples" ins(%{{.*}} : memref<?x3x4096xbf16, strided<[?, ?, 1], offset: ?>>, memref<?x3xf32>, memref<8x4096xbf16>, memref<8xf32>, memref<f32>)
  // CHECK-SAME: outs(%{{.*}} : memref<?x3x4096xbf16>, memref<?x3xf32>)
  // CHECK-SAME: schedule #row.schedule<block, threads = 256, rows = 1> attributes {note = 1 : i64} {
  // CHECK-NEXT: ^bb0(%[[F:[^:]*]]: !row.row<4096xbf16>, %[[M:[^:]*]]: !row.row<f32>, %[[W:[^:]*]]: !row.table<8x4096xbf16>, %[[B:[^:]*]]: !row.table<8xf32>, %[[ALPHA:[^:]*]]: !row.table<f32>
  row.kernel "examples" ins(%fm, %mm, %wm, %bm, %am : memref<?x3x4096xbf16, strided<[?, ?, 1], offset: ?>>, memref<?x3xf32>, memref<8x4096xbf16>, memref<8xf32>, memref<f32>)
      outs(%om, %tm : memref<?x3x4096xbf16>, memref<?x3xf32>)
      schedule #row.schedule<block, threads = 256, rows = 1> attributes {note = 1} {
  ^bb0(%fr: !row.row<4096xbf16>, %m: !row.row<f32>, %w: !row.table<8x4096xbf16>, %b: !row.table<8xf32>, %alpha: !row.table<f32>,
       %out: !row.row<4096xbf16>, %scalar: !row.row<f32>):
    %f = row.load %fr : !row.row<4096xbf16> -> !row.vec<4096xf32>
    // CHECK: row.load %[[ALPHA]] : !row.table<f32> -> f32
    %a = row.load %alpha : !row.table<f32> -> f32
    // CHECK: row.load %[[M]] : !row.row<f32> -> f32
    %mean = row.load %m : !row.row<f32> -> f32
    // CHECK: row.load %[[B]] : !row.table<8xf32> -> vector<8xf32>
    %bv = row.load %b : !row.table<8xf32> -> vector<8xf32>
    %fc = row.map %f : !row.vec<4096xf32> -> !row.vec<4096xf32> {
    ^bb0(%e: f32):
      %0 = arith.subf %e, %mean : f32
      row.yield %0 : f32
    }
    // CHECK: row.contract %{{.*}}, %[[W]] : !row.vec<4096xf32>, !row.table<8x4096xbf16> -> vector<8xf32>
    %t = row.contract %fc, %w : !row.vec<4096xf32>, !row.table<8x4096xbf16> -> vector<8xf32>
    %tb = arith.addf %t, %bv : vector<8xf32>
    %first = vector.extract %tb[0] : f32 from vector<8xf32>
    // Magnitudes are compared by their bits.
    %bits = row.map %fc : !row.vec<4096xf32> -> !row.vec<4096xi32> {
    ^bb0(%e: f32):
      %0 = math.absf %e : f32
      %1 = arith.bitcast %0 : f32 to i32
      row.yield %1 : i32
    }
    // CHECK: row.reduce umax %{{.*}} : !row.vec<4096xi32> -> i32
    %top = row.reduce umax %bits : !row.vec<4096xi32> -> i32
    // What is stored is contracted and added up in f32, whose products of it are exact.
    // CHECK: %[[STORED:.*]] = row.load %[[F]] : !row.row<4096xbf16> -> !row.vec<4096xbf16>
    // CHECK: row.contract %[[STORED]], %[[W]] : !row.vec<4096xbf16>, !row.table<8x4096xbf16> -> vector<8xf32>
    // CHECK: row.reduce add %[[STORED]] times %[[STORED]] : !row.vec<4096xbf16>, !row.vec<4096xbf16> -> f32
    %stored = row.load %fr : !row.row<4096xbf16> -> !row.vec<4096xbf16>
    %t16 = row.contract %stored, %w : !row.vec<4096xbf16>, !row.table<8x4096xbf16> -> vector<8xf32>
    %squares = row.reduce add %stored times %stored : !row.vec<4096xbf16>, !row.vec<4096xbf16> -> f32
    // CHECK: row.narrow %{{.*}} : !row.vec<4096xf32> -> !row.vec<4096xbf16>
    %narrow = row.narrow %f : !row.vec<4096xf32> -> !row.vec<4096xbf16>
    // CHECK: row.expect %{{.*}} = 127 : i32
    %exponent = row.expect %top = 127 : i32
    // A map without operands.
    // CHECK: row.map -> !row.vec<4096xf32> {
    %same = row.map -> !row.vec<4096xf32> {
      %0 = arith.mulf %a, %first : f32
      row.yield %0 : f32
    }
    // CHECK: row.map %{{.*}}, %{{.*}} : !row.vec<4096xf32>, !row.vec<4096xf32> -> !row.vec<4096xf32> {
    %y = row.map %fc, %same : !row.vec<4096xf32>, !row.vec<4096xf32> -> !row.vec<4096xf32> {
    ^bb0(%e: f32, %g: f32):
      %0 = arith.addf %e, %g : f32
      row.yield %0 : f32
    }
    row.store %y, %out : !row.vec<4096xf32>, !row.row<4096xbf16>
    // CHECK: row.store %{{.*}}, %{{.*}} : f32, !row.row<f32>
    row.store %first, %scalar : f32, !row.row<f32>
  }
  return
}

// Rows of one feature, a kernel of token scalars only, no inputs, one row without token dimensions, f64.
// CHECK-LABEL: func @small(
func.func @small(%s: tensor<?xf32>, %r: tensor<1xf64>) -> (tensor<?xf32>, tensor<1xf64>) {
  // CHECK: row.kernel "fill" outs(%{{.*}} : tensor<?xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: !row.row<f32>):
  %0 = row.kernel "fill" outs(%s : tensor<?xf32>) {
  ^bb0(%out: !row.row<f32>):
    %one = arith.constant 1.0 : f32
    row.store %one, %out : f32, !row.row<f32>
  } -> tensor<?xf32>
  // CHECK: row.kernel "copy" ins(%{{.*}} : tensor<1xf64>) outs(%{{.*}} : tensor<1xf64>) {
  %1 = row.kernel "copy" ins(%r : tensor<1xf64>) outs(%r : tensor<1xf64>) {
  ^bb0(%in: !row.row<1xf64>, %out: !row.row<1xf64>):
    %x = row.load %in : !row.row<1xf64> -> !row.vec<1xf64>
    row.store %x, %out : !row.vec<1xf64>, !row.row<1xf64>
  } -> tensor<1xf64>
  return %0, %1 : tensor<?xf32>, tensor<1xf64>
}

// CHECK-LABEL: func private @attributes()
// CHECK-SAME: block = #row.schedule<block, threads = 256, rows = 1>
// CHECK-SAME: stream = #row.schedule<stream, threads = 1024, rows = 1>
// CHECK-SAME: warp = #row.schedule<warp, threads = 32, rows = 8>
func.func private @attributes() attributes {
  block = #row.schedule<block, threads = 256, rows = 1>, stream = #row.schedule<stream, threads = 1024, rows = 1>,
  warp = #row.schedule<warp, threads = 32, rows = 8>}

// CHECK-LABEL: func private @types(!row.vec<1xi64>, !row.row<4096xf16>, !row.row<f64>, !row.table<3xf64>)
func.func private @types(!row.vec<1xi64>, !row.row<4096xf16>, !row.row<f64>, !row.table<3xf64>)
