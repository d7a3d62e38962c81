// The residual form without a modulator: nothing in it is from a library, so PTX needs no toolkit.
func.func @plain(%R: tensor<?x4096xbf16>, %f: tensor<?x4096xbf16>, %alpha: tensor<f32>) -> tensor<?x4096xbf16> {
  %R1 = nag.update %R branch %f alpha %alpha
      : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>) -> tensor<?x4096xbf16>
  return %R1 : tensor<?x4096xbf16>
}
