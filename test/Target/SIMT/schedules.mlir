// Every schedule and every order of threads gives the same bits, without a finding.
//
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: nag-run %s --rows=5 --target=simt --simt-check --schedule=warp --check --out=%t/warp
// RUN: nag-run %s --rows=5 --target=simt --simt-check --schedule=block --simt-seed=1 --check --out=%t/block
// RUN: nag-run %s --rows=5 --target=simt --simt-check --schedule=stream --simt-seed=2 --check --out=%t/stream
// RUN: nag-run %s --rows=5 --target=simt --simt-check --row-stride-pad=3 --offset=1 --simt-seed=3 --check --out=%t/unaligned
// RUN: cmp %t/warp/result0.npy %t/block/result0.npy
// RUN: cmp %t/warp/result0.npy %t/stream/result0.npy
// RUN: cmp %t/warp/result0.npy %t/unaligned/result0.npy
// RUN: cmp %t/warp/result1.npy %t/block/result1.npy
// RUN: cmp %t/warp/result1.npy %t/stream/result1.npy
// RUN: cmp %t/warp/result1.npy %t/unaligned/result1.npy

func.func @update(%R: tensor<?x768xbf16>, %f: tensor<?x768xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                  %w: tensor<8x768xbf16>, %b: tensor<8xf32>, %logits: tensor<8xf32>)
    -> (tensor<?x768xbf16>, tensor<?xf32>) {
  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x768xbf16>, tensor<?x768xbf16>, tensor<f32>, tensor<f32>, tensor<8x768xbf16>, tensor<8xf32>,
         tensor<8xf32>) -> (tensor<?x768xbf16>, tensor<?xf32>)
  return %R1, %m : tensor<?x768xbf16>, tensor<?xf32>
}
