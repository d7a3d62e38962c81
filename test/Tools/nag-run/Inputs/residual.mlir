func.func @update(%R: tensor<?x4xf32>, %f: tensor<?x4xf32>, %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<2x4xf32>,
                  %b: tensor<2xf32>, %logits: tensor<2xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
      : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<f32>, tensor<f32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<?x4xf32>, tensor<?xf32>)
  return %R1, %m : tensor<?x4xf32>, tensor<?xf32>
}
