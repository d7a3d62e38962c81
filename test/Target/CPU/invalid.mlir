// What cannot be compiled for a CPU is refused before anything is lowered.
// RUN: nag-opt %s --nag-cpu-to-llvm="cpu=x86-64" --split-input-file --verify-diagnostics
// RUN: not nag-opt %s --nag-cpu-to-llvm="cpu=z80" --split-input-file 2>&1 | FileCheck %s --check-prefix=CPU

// CPU: error: unknown CPU 'z80': expected native, x86-64, {{.*}}, or one of those that 'clang --print-supported-cpus' lists

// expected-error @below {{no kernel to compile: no public function carries 'nag.entry'}}
module {
  func.func private @external(memref<?xf32>)
}

// -----

func.func @unranked(%a: memref<*xf32>) attributes {nag.entry} {
  // expected-error @-1 {{entry argument #0: expected a memref, !llvm.ptr, index, i32, i64, f32 or f64, got 'memref<*xf32>'}}
  return
}

// -----

func.func @allocates(%n: index) attributes {nag.entry} {
  // expected-error @below {{in CPU code: an entry allocates nothing, its buffers lie in the workspace}}
  %m = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @grows_the_stack(%n: index) attributes {nag.entry} {
  // expected-error @below {{in CPU code: a buffer on the stack must have a static size}}
  %m = memref.alloca(%n) : memref<?xf32>
  return
}

// -----

// expected-error @below {{entry: expected at most one result (a status), got 2}}
func.func @two_results() -> (i32, i32) attributes {nag.entry} {
  %c = arith.constant 0 : i32
  return %c, %c : i32, i32
}
