// Inputs at the edge of the range, which simple formulas lose: each once went wrong.
// RUN: nag-run %s --entry=lanes --target=cpu --rows=4 --random=3=constant:3e19 --check
// RUN: nag-run %s --entry=rotate --target=cpu --rows=4 --random=2=normal:1e-24 --random=3=constant:0.7 --check
// RUN: nag-run %s --entry=modulate --target=cpu --rows=3 --random=1=constant:0.5 --random=2=constant:0 --random=3=constant:-inf --check
// RUN: %if ptxas %{ nag-run %s --entry=lanes --target=simt --simt-check --rows=4 --random=3=constant:3e19 --check %}
// RUN: %if ptxas %{ nag-run %s --entry=rotate --target=simt --simt-check --rows=4 --random=2=normal:1e-24 --random=3=constant:0.7 --check %}
// RUN: %if ptxas %{ nag-run %s --entry=modulate --target=simt --simt-check --rows=3 --random=1=constant:0.5 --random=2=constant:0 --random=3=constant:-inf --check %}

// An amount whose square is not a number of f32.
func.func @lanes(%D: tensor<?x64xf32>, %s: tensor<?xf32>, %f: tensor<?x64xf32>, %alpha: tensor<f32>)
    -> (tensor<?x64xf32>, tensor<?xf32>) {
  %0, %1 = nag.update %D, %s branch %f alpha %alpha
      : (tensor<?x64xf32>, tensor<?xf32>, tensor<?x64xf32>, tensor<f32>) -> (tensor<?x64xf32>, tensor<?xf32>)
  return %0, %1 : tensor<?x64xf32>, tensor<?xf32>
}

// A row whose squares underflow is not a zero row.
func.func @rotate(%D: tensor<?x64xf32>, %s: tensor<?xf32>, %u: tensor<?x64xf32>, %alpha: tensor<f32>)
    -> (tensor<?x64xf32>, tensor<?xf32>) {
  %0, %1 = nag.rotate %D, %s towards %u alpha %alpha
      : (tensor<?x64xf32>, tensor<?xf32>, tensor<?x64xf32>, tensor<f32>) -> (tensor<?x64xf32>, tensor<?xf32>)
  return %0, %1 : tensor<?x64xf32>, tensor<?xf32>
}

// Gates that are all shut give 0, not a NaN.
func.func @modulate(%D: tensor<?x64xf32>, %beta: tensor<f32>, %w: tensor<4x64xf32>, %b: tensor<4xf32>,
                    %logits: tensor<4xf32>) -> tensor<?xf32> {
  %m = nag.modulate %D by(%beta, %w, %b, %logits)
      : (tensor<?x64xf32>, tensor<f32>, tensor<4x64xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %m : tensor<?xf32>
}
