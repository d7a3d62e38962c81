func.func @identity(%x: tensor<?x4xbf16>) -> tensor<?x4xbf16> {
  return %x : tensor<?x4xbf16>
}
