// The lane form without a modulator: rows and a number a token.
func.func @lanes(%D: tensor<?x4096xbf16>, %s: tensor<?xf32>, %f: tensor<?x4096xbf16>, %alpha: tensor<f32>)
    -> (tensor<?x4096xbf16>, tensor<?xf32>) {
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xbf16>, tensor<f32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
  return %D1, %s1 : tensor<?x4096xbf16>, tensor<?xf32>
}
