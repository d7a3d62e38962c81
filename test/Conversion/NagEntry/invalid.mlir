// What cannot be an entry is refused with its reason.
// RUN: nag-opt %s --nag-to-row --nag-entry --split-input-file --verify-diagnostics

// expected-error @+1 {{entry 'f': expected argument #1 to be a ranked tensor of f32, bf16, f16 or f64, got 'index'}}
func.func @f(%x: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{entry 'f': expected result #0 to be a ranked tensor of f32, bf16, f16 or f64, got 'tensor<?xi32>'}}
func.func @f(%x: tensor<?x8xf32>) -> tensor<?xi32> {
  %0 = arith.constant dense<0> : tensor<4xi32>
  %1 = tensor.cast %0 : tensor<4xi32> to tensor<?xi32>
  return %1 : tensor<?xi32>
}

// -----

func.func private @branch(tensor<?x8xf32>) -> tensor<?x8xf32>
func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{'func.call' op cannot be compiled: an entry holds nag operations, element-wise arith and math operations on floats as elementwise-to-row knows them, tensor.cast, tensor.empty and constants}}
  %0 = func.call @branch(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{entry 'f' has more than one block: only straight-line code can be compiled}}
func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{entry 'f': expected argument #0 of rank at most 6, got 'tensor<1x1x1x1x1x1x8xf32>'}}
func.func @f(%x: tensor<1x1x1x1x1x1x8xf32>) -> tensor<1x1x1x1x1x1x8xf32> {
  return %x : tensor<1x1x1x1x1x1x8xf32>
}

// -----

func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
// expected-error @+1 {{the name 'f_workspace_size' is taken: entry 'f' needs it for a function of its own}}
func.func private @f_workspace_size()
