// The residual form with its modulator.
func.func @residual(%R: tensor<?x4096xbf16>, %f: tensor<?x4096xbf16>, %alpha: tensor<f32>, %beta: tensor<f32>,
                    %w: tensor<8x4096xbf16>, %b: tensor<8xf32>, %logits: tensor<8xf32>)
    -> (tensor<?x4096xbf16>, tensor<?xf32>) {
  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>,
         tensor<8xf32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
  return %R1, %m : tensor<?x4096xbf16>, tensor<?xf32>
}
