// The schedule follows from the width; a given one is kept, and one that cannot serve is refused.
// RUN: nag-opt %s --nag-entry-pipeline --row-schedule | FileCheck %s
// RUN: nag-opt %s --nag-entry-pipeline --row-schedule > %t && nag-opt %t --row-schedule | diff %t -
// RUN: nag-opt %s --nag-entry-pipeline --row-schedule=kind=stream | FileCheck %s --check-prefix=STREAM
// RUN: not nag-opt %s --nag-entry-pipeline --row-schedule=kind=warp 2>&1 | FileCheck %s --check-prefix=WARP
// RUN: not nag-opt %s --nag-entry-pipeline --row-schedule=kind=spiral 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: nag-opt %s --nag-entry-pipeline --row-schedule --mlir-disable-threading | FileCheck %s

// CHECK-LABEL: func.func @narrow(
// CHECK: schedule #row.schedule<warp, threads = 32, rows = 4>
// CHECK-LABEL: func.func @middle(
// CHECK: schedule #row.schedule<block, threads = 256, rows = 1>
// CHECK-LABEL: func.func @wide(
// CHECK: schedule #row.schedule<stream, threads = 512, rows = 1>

// STREAM-COUNT-3: schedule #row.schedule<stream
// WARP: error: 'row.kernel' op schedule warp cannot serve rows of width 4096: it keeps them in registers, which hold up to 1024
// UNKNOWN: error: row-schedule: expected kind to be warp, block or stream, got 'spiral'
func.func @narrow(%f: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %0 = nag.center %f : tensor<?x768xf32> -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}
func.func @middle(%f: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %0 = nag.center %f : tensor<?x4096xf32> -> tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}
func.func @wide(%f: tensor<?x65536xf32>) -> tensor<?x65536xf32> {
  %0 = nag.center %f : tensor<?x65536xf32> -> tensor<?x65536xf32>
  return %0 : tensor<?x65536xf32>
}
