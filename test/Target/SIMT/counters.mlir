// REQUIRES: ptxas
// RUN: nag-run %s --rows=16 --target=simt --simt-counters --check | FileCheck %s
// RUN: nag-run %s --rows=16 --target=simt --simt-counters=json --simt-seed=4 --check | FileCheck %s --check-prefix=JSON
// RUN: not nag-run %s --rows=16 --target=simt --simt-counters=xml 2>&1 | FileCheck %s --check-prefix=FORMAT

// The lane form alone reads D and f and writes D', 3 d elements a token, and s twice; the share of each sector that is
// asked for is all of it.

// CHECK: result 0: {{.*}}: ok
// CHECK: kernel {{.*}}: 1 launch, 16 blocks, {{[0-9]+}} threads, 16 tokens; seed 0, L2 of 50 MiB
// CHECK: D {{ *}}read {{ *}}131072 {{ *}}131072 100.0% {{ *}}131072 {{ *}}0 {{ *}}0 {{ *}}8192.0 {{ *}}16
// CHECK: f {{ *}}read {{ *}}131072 {{ *}}131072 100.0% {{ *}}131072 {{ *}}0 {{ *}}0 {{ *}}8192.0 {{ *}}16
// CHECK: result 0 {{ *}}write {{ *}}131072 {{ *}}131072 100.0% {{ *}}131072 {{ *}}0 {{ *}}0 {{ *}}8192.0 {{ *}}16
// CHECK: B/token; floor of the row program 393348 B, ratio 1.0{{[0-9]+$}}
// CHECK: 0 bank conflicts

// JSON: "findings": []
// JSON: "used_share": 1
// JSON: "floor_bytes": 393348

// FORMAT: --simt-counters=xml: expected text or json

func.func @update(%D: tensor<?x4096xbf16> {nag.name = "D"}, %s: tensor<?xf32> {nag.name = "s"},
                  %f: tensor<?x4096xbf16> {nag.name = "f"}, %alpha: tensor<f32> {nag.name = "alpha"})
    -> (tensor<?x4096xbf16>, tensor<?xf32>) {
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xbf16>, tensor<f32>)
     -> (tensor<?x4096xbf16>, tensor<?xf32>)
  return %D1, %s1 : tensor<?x4096xbf16>, tensor<?xf32>
}
