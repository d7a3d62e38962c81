// 16-bit floats are integers wherever they only move, constants included; conversions stand between bitcasts.
// RUN: nag-opt %s --nag-cpu-half-as-integer | FileCheck %s

// CHECK-LABEL: llvm.func @select(
// CHECK-SAME: %{{.*}}: i1, %[[P:.*]]: !llvm.ptr, %[[X:.*]]: vector<4xi16>) -> vector<4xi16>
// CHECK: llvm.mlir.constant(dense<16256> : vector<4xi16>) : vector<4xi16>
// CHECK: llvm.select %{{.*}} : i1, vector<4xi16>
// CHECK: llvm.bitcast %{{.*}} : vector<4xi16> to vector<4xbf16>
// CHECK: %[[WIDE:.*]] = llvm.fpext %{{.*}} : vector<4xbf16> to vector<4xf32>
// CHECK: %[[NARROW:.*]] = llvm.fptrunc %[[WIDE]] : vector<4xf32> to vector<4xbf16>
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[NARROW]] : vector<4xbf16> to vector<4xi16>
// CHECK: llvm.return %[[BITS]] : vector<4xi16>
llvm.func @select(%c: i1, %p: !llvm.ptr, %x: vector<4xbf16>) -> vector<4xbf16> {
  %one = llvm.mlir.constant(dense<1.0> : vector<4xbf16>) : vector<4xbf16>
  %y = llvm.select %c, %x, %one : i1, vector<4xbf16>
  %wide = llvm.fpext %y : vector<4xbf16> to vector<4xf32>
  %narrow = llvm.fptrunc %wide : vector<4xf32> to vector<4xbf16>
  llvm.return %narrow : vector<4xbf16>
}

// CHECK-LABEL: llvm.func @intrinsic(
// CHECK-SAME: %[[S:.*]]: vector<16xf32>, %[[A:.*]]: vector<32xi16>
// CHECK: %[[X:.*]] = llvm.bitcast %[[A]] : vector<32xi16> to vector<32xbf16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%[[S]], %[[X]], %{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>)
llvm.func @intrinsic(%s: vector<16xf32>, %a: vector<32xbf16>) -> vector<16xf32> {
  %0 = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%s, %a, %a)
      : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  llvm.return %0 : vector<16xf32>
}
