// Several orders of threads in one run, each of them checked, all with the same bits.
//
// REQUIRES: ptxas
// RUN: nag-run %s --rows=5 --target=simt --simt-check --simt-seed=0,1,2 --check | FileCheck %s
// RUN: not nag-run %s --rows=5 --target=simt --simt-seed=0,1 --simt-counters 2>&1 | FileCheck %s --check-prefix=COUNTERS
// RUN: not nag-run %s --rows=5 --target=simt --simt-seed=-1 2>&1 | FileCheck %s --check-prefix=NUMBER

// CHECK: result 0: 5x100xf32, {{.*}}: ok
// COUNTERS: --simt-counters: expected one --simt-seed, got 2
// NUMBER: --simt-seed option: '-1' value invalid

func.func @split(%R: tensor<?x100xf32>) -> (tensor<?x100xf32>, tensor<?xf32>) {
  %D, %s = nag.split %R : tensor<?x100xf32> -> tensor<?x100xf32>, tensor<?xf32>
  return %D, %s : tensor<?x100xf32>, tensor<?xf32>
}
