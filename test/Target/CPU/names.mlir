// Names that an entry cannot have: one message at the function, whatever is made of it.
// RUN: nag-opt %s --nag-cpu-pipeline --split-input-file --verify-diagnostics

// expected-error @below {{the name 'log1pf' is a function of the C library, which compiled code may call: give the entry another one}}
func.func @log1pf(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// No source says memset: LLVM makes it of a loop that stores zeros.
// expected-error @below {{the name 'memset' is a function of the C library, which compiled code may call}}
func.func @memset(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @below {{the name 'fma' is a routine that code generators call}}
func.func @fma(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @below {{the name 'nag' is kept for the run-time library}}
func.func @nag(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @below {{the name '__kmpc_fork_call' belongs to the OpenMP library, which compiled code may call}}
func.func @__kmpc_fork_call(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @below {{the name 'nag_launch' is kept for the run-time library, whose functions and types begin with it}}
func.func @nag_launch(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @below {{the name 'main' is where a C program starts}}
func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @below {{the name '_Update' is reserved for C compilers and their libraries}}
func.func @_Update(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// expected-error @below {{the name 'llvm.update' is reserved for intrinsics of LLVM}}
func.func @llvm.update(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
// expected-error @below {{the name 'f_packed' is taken: entry 'f' needs it for its packed form; give this entry another one}}
func.func @f_packed(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
// expected-error @below {{the name 'f_workspace_size_packed' is taken: entry 'f_workspace_size' needs it for its packed form}}
func.func @f_workspace_size_packed(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
// expected-error @below {{the name 'f_check' is taken: entry 'f' needs it for a function of its own}}
func.func @f_check(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

// Names are taken from entries only: what is inlined has none.
func.func private @expf(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
func.func @experts(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = func.call @expf(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
