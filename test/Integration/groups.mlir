// Tokens that share a table go through a program in groups: what one token keeps for a later phase must not be another
// one's, in groups that are whole and in those that are not. Fused programs keep the most.
// RUN: nag-run %s --entry=center_orthogonalize --rows=1 --check
// RUN: nag-run %s --entry=center_orthogonalize --rows=2 --check
// RUN: nag-run %s --entry=center_orthogonalize --rows=7 --check
// RUN: nag-run %s --entry=small_ops --rows=5 --check
// RUN: nag-run %s --entry=small_ops --rows=3 --target=simt --simt-check --check

// nag.scale takes any tolerance: both of its rows are scaled.
// RUN: nag-run %s --entry=tolerance --rows=3 --random=0=constant:8.07e-28 --random=1=constant:2.4e-10 --check

func.func @center_orthogonalize(%R: tensor<?x65xbf16>, %f: tensor<?x65xbf16>, %beta: tensor<f32>, %w: tensor<5x65xbf16>,
                                %b: tensor<5xf32>, %logits: tensor<5xf32>) -> (tensor<?xf32>, tensor<?x65xbf16>) {
  %fc = nag.center %f : tensor<?x65xbf16> -> tensor<?x65xbf16>
  %m = nag.modulate %R by(%beta, %w, %b, %logits)
      : (tensor<?x65xbf16>, tensor<f32>, tensor<5x65xbf16>, tensor<5xf32>, tensor<5xf32>) -> tensor<?xf32>
  %P = nag.orthogonalize %fc against %R : tensor<?x65xbf16>, tensor<?x65xbf16> -> tensor<?x65xbf16>
  return %m, %P : tensor<?xf32>, tensor<?x65xbf16>
}

func.func @small_ops(%stream: tensor<?x64xbf16>, %f: tensor<?x64xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                     %w: tensor<1x64xbf16>, %b: tensor<1xf32>, %logits: tensor<1xf32>)
    -> (tensor<?x64xbf16>, tensor<?xf32>) {
  %fc = nag.center %f : tensor<?x64xbf16> -> tensor<?x64xbf16>
  %P = nag.orthogonalize %fc against %stream : tensor<?x64xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16>
  %u = nag.scale %P relative_to %f : tensor<?x64xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16>
  %m = nag.modulate %stream by(%beta, %w, %b, %logits)
      : (tensor<?x64xbf16>, tensor<f32>, tensor<1x64xbf16>, tensor<1xf32>, tensor<1xf32>) -> tensor<?xf32>
  %R1 = nag.rotate %stream towards %u alpha %alpha modulator %m
      : (tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<f32>, tensor<?xf32>) -> tensor<?x64xbf16>
  return %R1, %m : tensor<?x64xbf16>, tensor<?xf32>
}

func.func @tolerance(%P: tensor<?x2xbf16>, %f: tensor<?x2xbf16>) -> tensor<?x2xbf16> {
  %u = nag.scale %P relative_to %f {tol = 1.0e-12 : f64} : tensor<?x2xbf16>, tensor<?x2xbf16> -> tensor<?x2xbf16>
  return %u : tensor<?x2xbf16>
}
