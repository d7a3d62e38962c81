// RUN: nag-opt %s --split-input-file --verify-diagnostics --nag-launch-to-runtime

module attributes {gpu.container_module} {
  func.func @no_entry() -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{expected to be in an entry, whose i32 result tells whether the launch failed}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return %c0 : i32
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @no_status() attributes {nag.entry} {
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{expected to be in an entry, whose i32 result tells whether the launch failed}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @token() -> i32 attributes {nag.entry} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{has asynchronous tokens}}
    %t = gpu.launch_func async @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return %c0 : i32
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @cluster() -> i32 attributes {nag.entry} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{has a cluster size, which the run-time library cannot launch}}
    gpu.launch_func @kernels::@k clusters in (%c1, %c1, %c1) blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return %c0 : i32
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @wide(%v: vector<4xf32>) -> i32 attributes {nag.entry} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : vector<4xf32>)
    return %c0 : i32
  }
  gpu.module @kernels {
    // expected-error@+1 {{kernel argument #0: expected a strided memref, a pointer or a number of at most 64 bits, got 'vector<4xf32>'}}
    gpu.func @k(%v: vector<4xf32>) kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error@+1 {{the name 'nag_launch' is taken: it is a function of the run-time library}}
  func.func private @nag_launch()
  func.func @entry() -> i32 attributes {nag.entry} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return %c0 : i32
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error@+1 {{the name 'entry_prepare' is taken: entry 'entry' needs it for a function of its own}}
  func.func @entry_prepare() {
    return
  }
  func.func @entry() -> i32 attributes {nag.entry} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return %c0 : i32
  }
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}
