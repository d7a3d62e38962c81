// Each argument and result may have a layout of its own, and none changes bits.
//
// RUN: rm -rf %t && mkdir %t
// RUN: nag-run %s --rows=5 --check --out=%t/dense
// RUN: nag-run %s --rows=5 --check --out=%t/apart --layout=0=1:3 --layout=f=2:5 --layout=2=1:0 --result-layout=0=4:8
// RUN: cmp %t/dense/result0.npy %t/apart/result0.npy
// The layout of one argument takes the place of that of all.
// RUN: nag-run %s --rows=5 --check --out=%t/both --offset=1 --row-stride-pad=1 --layout=0=0:0
// RUN: cmp %t/dense/result0.npy %t/both/result0.npy
//
// RUN: not nag-run %s --rows=5 --layout=0=1 2>&1 | FileCheck %s --check-prefix=PAD
// RUN: not nag-run %s --rows=5 --layout=0=-1:0 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not nag-run %s --rows=5 --layout=0 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not nag-run %s --rows=5 --layout=3=0:0 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not nag-run %s --rows=5 --result-layout=1=0:0 2>&1 | FileCheck %s --check-prefix=RESULT

// PAD: --layout=0=1: expected N=OFFSET:PAD, both at least 0
// NEGATIVE: --layout=0=-1:0: expected N=OFFSET:PAD, both at least 0
// NOTHING: --layout=0: expected N=OFFSET:PAD
// ARGUMENT: --layout=3=0:0: 'update' has no argument 3; it has 3, counted from 0
// RESULT: --result-layout=1=0:0: 'update' has no result 1; it has 1, counted from 0

func.func @update(%R: tensor<?x100xf32>, %f: tensor<?x100xf32> {nag.name = "f"}, %alpha: tensor<f32>)
    -> tensor<?x100xf32> {
  %R1 = nag.update %R branch %f alpha %alpha
      : (tensor<?x100xf32>, tensor<?x100xf32>, tensor<f32>) -> tensor<?x100xf32>
  return %R1 : tensor<?x100xf32>
}
