//===- NagDialect.td - The nag dialect: what a NAG sub-layer computes ------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_NAG_IR_NAGDIALECT_TD
#define NAG_DIALECT_NAG_IR_NAGDIALECT_TD

include "mlir/IR/OpBase.td"

def Nag_Dialect : Dialect {
  let name = "nag";
  let cppNamespace = "::nag";
  let summary = "Norm-agnostic residual sub-layers on whole tensors";
  let description = [{
    The `nag` dialect says *what* a norm-agnostic (NAG) transformer computes between its attention and MLP
    branches: the residual stream is a direction and a norm, and a sub-layer rotates the direction by a bounded
    amount (T. Figliolia, B. Millidge, arXiv:2606.16112; equation numbers below are that paper's).

    All operations work on immutable ranked tensors. The last dimension is the row of `d` features, static and at
    least 1; all other dimensions, of any number and dynamic or not, count tokens, and every operation treats each
    token alone. Element types:

    | what | type |
    |---|---|
    | streams, directions, branch outputs ("rows") | `f32`, `bf16`, `f16`, or all `f64` |
    | log-norms `s`, modulators `m`, `alpha`, `beta`, `b`, `logits` | `f32`; `f64` where rows are `f64` |
    | preferred directions `w` | the type of the rows, or `f32` |

    Arithmetic is in `f32` (`f64` where rows are `f64`); each result is rounded once, to nearest even, when it is
    stored in its element type. A *row that is not live* (its direction is zero, the branch leaves nothing
    orthogonal to it, or what it leaves is rounding noise: `rms(P) <= tol * rms(f)`) passes unchanged.

    Every operation may say how its kernel is spread over a GPU, in place of the cost model:
    `{schedule = #row.schedule<stream, threads = 256, rows = 1>}`. It changes speed, never bits; a schedule that cannot
    serve the width is an error when a GPU kernel is made. Operations with different schedules do not become one kernel.
  }];
  // Canonicalization and the reification of shapes create operations of these; schedules are attributes of row.
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::nag::row::RowDialect"];
}

#endif // NAG_DIALECT_NAG_IR_NAGDIALECT_TD
