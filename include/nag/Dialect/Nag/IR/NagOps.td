//===- NagOps.td - Operations of the nag dialect ----------------------------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_NAG_IR_NAGOPS_TD
#define NAG_DIALECT_NAG_IR_NAGOPS_TD

include "nag/Dialect/Nag/IR/NagDialect.td"
include "nag/Dialect/Row/IR/RowTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===--------------------------------------------------------------------------------------------------===//
// Types
//===--------------------------------------------------------------------------------------------------===//

def Nag_Float : AnyTypeOf<[F32, BF16, F16, F64]>;

/// One row of `d` features for each token: [tokens..., d].
def Nag_Rows : RankedTensorOf<[Nag_Float]>;
/// One number for each token: [tokens...].
def Nag_TokenScalars : RankedTensorOf<[F32, F64]>;
/// A parameter that all tokens share.
def Nag_Scalar : 0DTensorOf<[F32, F64]>;
def Nag_Vector : 1DTensorOf<[F32, F64]>;
def Nag_Matrix : 2DTensorOf<[Nag_Float]>;

//===--------------------------------------------------------------------------------------------------===//
// Base
//===--------------------------------------------------------------------------------------------------===//

/// Every operation of this dialect is a pure function of its operands, has result shapes that follow from its
/// operands' shapes, and result types that are inferred unless a narrower or wider element type is asked for. Its
/// `schedule` goes to the kernel that it becomes.
class Nag_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nag_Dialect, mnemonic,
         !listconcat([Pure, InferTypeOpAdaptorWithIsCompatible,
                      DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>],
                     traits)> {
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===--------------------------------------------------------------------------------------------------===//
// The small operations
//===--------------------------------------------------------------------------------------------------===//

def Nag_SplitOp : Nag_Op<"split"> {
  let summary = "residual to lanes: direction and log-norm";
  let description = [{
    Eq. 3-5. For each row, `s = log rms(R)` and `D = R / rms(R)`, so that `rms(D) = 1`. A zero row has no
    direction: `D = 0`, `s = -inf`. No finite row overflows or underflows on the way: rows are scaled by an exact
    power of two before anything is squared.

    | | shape | element type |
    |---|---|---|
    | `residual` | [tokens..., d] | any row type |
    | `direction` | [tokens..., d] | any row type, not wider than `residual`'s |
    | `log_norm` | [tokens...] | `f32` (`f64`) |

    Constraints:
    - (C1) `residual` has rank at least 1 and a static last dimension of at least 1.
    - (C2) `direction` has the shape of `residual` and an element type that is not wider.
    - (C3) `log_norm` has the leading dimensions of `residual` and the arithmetic type.

    Example:

    ```mlir
    %D, %s = nag.split %R : tensor<?x4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
    ```
  }];
  let arguments = (ins Nag_Rows:$residual, OptionalAttr<Row_ScheduleAttr>:$schedule);
  let results = (outs Nag_Rows:$direction, Nag_TokenScalars:$log_norm);
  let assemblyFormat = "$residual attr-dict `:` type($residual) `->` type($direction) `,` type($log_norm)";
}

def Nag_MergeOp : Nag_Op<"merge"> {
  let summary = "lanes to residual";
  let description = [{
    `R = exp(s) D / rms(D)`: the inverse of `nag.split`. The stored direction is renormalised, as wherever a stored
    direction is read. A zero direction gives a zero row, whatever `s` is.

    | | shape | element type |
    |---|---|---|
    | `direction` | [tokens..., d] | any row type |
    | `log_norm` | [tokens...] | `f32` (`f64`) |
    | `residual` | [tokens..., d] | any row type |

    Constraints:
    - (C1) `direction` has rank at least 1 and a static last dimension of at least 1.
    - (C2) `log_norm` has the leading dimensions of `direction` and the arithmetic type.
    - (C3) `residual` has the shape of `direction`.

    Example:

    ```mlir
    %R = nag.merge %D, %s : tensor<?x4096xbf16>, tensor<?xf32> -> tensor<?x4096xbf16>
    ```
  }];
  let arguments = (ins Nag_Rows:$direction, Nag_TokenScalars:$log_norm, OptionalAttr<Row_ScheduleAttr>:$schedule);
  let results = (outs Nag_Rows:$residual);
  let assemblyFormat =
      "$direction `,` $log_norm attr-dict `:` type($direction) `,` type($log_norm) `->` type($residual)";
}

def Nag_CenterOp : Nag_Op<"center"> {
  let summary = "subtract the row mean";
  let description = [{
    `f_c = f - mean(f)` for each row. The mean is taken twice: one pass leaves a rest that the guard of
    `nag.scale` would take for signal on long rows.

    | | shape | element type |
    |---|---|---|
    | `branch` | [tokens..., d] | any row type |
    | `centered` | [tokens..., d] | any row type |

    Constraints:
    - (C1) `branch` has rank at least 1 and a static last dimension of at least 1.
    - (C2) `centered` has the shape of `branch`.

    Example:

    ```mlir
    %fc = nag.center %f : tensor<?x4096xbf16> -> tensor<?x4096xf32>
    ```
  }];
  let arguments = (ins Nag_Rows:$branch, OptionalAttr<Row_ScheduleAttr>:$schedule);
  let results = (outs Nag_Rows:$centered);
  let assemblyFormat = "$branch attr-dict `:` type($branch) `->` type($centered)";
}

def Nag_OrthogonalizeOp : Nag_Op<"orthogonalize"> {
  let summary = "remove the part along a direction";
  let description = [{
    Eq. 10-11: `P = f_c - (<f_c, D> / <D, D>) D` for each row; `P = f_c` where `D` is zero. The length of `D` does not
    matter: a residual serves as well as its direction.

    | | shape | element type |
    |---|---|---|
    | `centered` | [tokens..., d] | any row type |
    | `direction` | [tokens..., d] | any row type |
    | `orthogonal` | [tokens..., d] | any row type |

    Constraints:
    - (C1) `centered` has rank at least 1 and a static last dimension of at least 1.
    - (C2) `direction` has the shape of `centered`.
    - (C3) `orthogonal` has the shape of `centered`.

    Example:

    ```mlir
    %P = nag.orthogonalize %fc against %D
        : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
    ```
  }];
  let arguments = (ins Nag_Rows:$centered, Nag_Rows:$direction, OptionalAttr<Row_ScheduleAttr>:$schedule);
  let results = (outs Nag_Rows:$orthogonal);
  let assemblyFormat = [{
    $centered `against` $direction attr-dict `:` type($centered) `,` type($direction) `->` type($orthogonal)
  }];
}

def Nag_ScaleOp : Nag_Op<"scale"> {
  let summary = "normalise to RMS 1, or to zero where only rounding noise is left";
  let description = [{
    Eq. 12 (N_out): `u = P / rms(P)` for each row, and `u = 0` where `P` is zero or
    `rms(P) <= tol * rms(f)`, with `f` the branch output that `P` was made from. There is no epsilon: this guard
    takes its place. A NaN in `P` or `f` gives a NaN row.

    `tol` defaults to 2^-20, and to 2^-48 where rows are `f64`.

    | | shape | element type |
    |---|---|---|
    | `orthogonal` | [tokens..., d] | any row type |
    | `branch` | [tokens..., d] | any row type |
    | `unit` | [tokens..., d] | any row type |

    Constraints:
    - (C1) `orthogonal` has rank at least 1 and a static last dimension of at least 1.
    - (C2) `branch` has the shape of `orthogonal`.
    - (C3) `unit` has the shape of `orthogonal`.
    - (C4) `tol` is finite and not negative.

    Example:

    ```mlir
    %u = nag.scale %P relative_to %f : tensor<?x4096xf32>, tensor<?x4096xbf16> -> tensor<?x4096xf32>
    ```
  }];
  let arguments = (ins Nag_Rows:$orthogonal, Nag_Rows:$branch, OptionalAttr<F64Attr>:$tol,
                   OptionalAttr<Row_ScheduleAttr>:$schedule);
  let results = (outs Nag_Rows:$unit);
  let assemblyFormat = [{
    $orthogonal `relative_to` $branch attr-dict `:` type($orthogonal) `,` type($branch) `->` type($unit)
  }];
}

def Nag_ModulateOp : Nag_Op<"modulate"> {
  let summary = "the modulator of a sub-layer, from the direction";
  let description = [{
    Eq. 13: `m = (sum_i p_i sigmoid(<D, w_i> + b_i))^beta` with `p = softmax(logits)` and `i < C`, for each row;
    `D` is renormalised to RMS 1 as it is read (a zero direction stays zero), so that a residual serves as well as its
    direction. Neither the sigmoid nor the power underflows before the other: the sum is taken in logarithms.

    | | shape | element type |
    |---|---|---|
    | `direction` | [tokens..., d] | any row type |
    | `beta` | [] | `f32` (`f64`) |
    | `w` | [C, d] | `direction`'s, a narrower one, or `f32` |
    | `b`, `logits` | [C] | `f32` (`f64`) |
    | `modulator` | [tokens...] | `f32` (`f64`) |

    Constraints:
    - (C1) `direction` has rank at least 1 and a static last dimension of at least 1.
    - (C2) `w` is [C, d] with `C` static and at least 1, in the element type of `direction`, a narrower one, or `f32`
      (all `f64` where rows are `f64`).
    - (C3) `b` and `logits` are [C], in the arithmetic type; `beta` is in the arithmetic type.
    - (C4) `modulator` has the leading dimensions of `direction` and the arithmetic type.

    Example:

    ```mlir
    %m = nag.modulate %D by(%beta, %w, %b, %logits)
        : (tensor<?x4096xbf16>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>, tensor<8xf32>)
        -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Nag_Rows:$direction, Nag_Scalar:$beta, Nag_Matrix:$w, Nag_Vector:$b, Nag_Vector:$logits,
                   OptionalAttr<Row_ScheduleAttr>:$schedule);
  let results = (outs Nag_TokenScalars:$modulator);
  let assemblyFormat = [{
    $direction `by` `(` $beta `,` $w `,` $b `,` $logits `)` attr-dict `:` functional-type(operands, results)
  }];
}

def Nag_RotateOp : Nag_Op<"rotate", [AttrSizedOperandSegments]> {
  let summary = "turn the stream by a given amount towards a unit row";
  let description = [{
    The last step of the update, for a unit row `u` that is orthogonal to the stream, with `a = alpha m` (`a = alpha`
    without `modulator`; `a = 0` in a row where `u` or the stream is zero).

    - Residual form (no `log_norm`), eq. 14: `R' = R + rms(R) a u`. A row with `u = 0` is `R`, bit for bit.
    - Lane form (with `log_norm`), eq. 15-17: `D' = (D / rms(D) + a u) / sqrt(1 + a^2)`,
      `s' = s + log1p(a^2) / 2`. A row with `u = 0` passes; a stored direction (RMS within a storage rounding of 1)
      passes bit for bit, and so does a zero direction.

    | | shape | element type |
    |---|---|---|
    | `stream`, `rotated` | [tokens..., d] | any row type, the same |
    | `unit` | [tokens..., d] | any row type |
    | `alpha` | [] | `f32` (`f64`) |
    | `log_norm`, `modulator`, `rotated_log_norm` | [tokens...] | `f32` (`f64`) |

    Constraints:
    - (C1) `stream` has rank at least 1 and a static last dimension of at least 1.
    - (C2) `unit` has the shape of `stream`.
    - (C3) `log_norm` and `modulator` have the leading dimensions of `stream` and the arithmetic type; `alpha` is in
      the arithmetic type.
    - (C4) `rotated` has the type of `stream`; `rotated_log_norm` is there if and only if `log_norm` is, and has its
      type.

    Example:

    ```mlir
    %R1 = nag.rotate %R towards %u alpha %alpha modulator %m
        : (tensor<?x4096xbf16>, tensor<?x4096xf32>, tensor<f32>, tensor<?xf32>) -> tensor<?x4096xbf16>
    %D1, %s1 = nag.rotate %D, %s towards %u alpha %alpha
        : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xf32>, tensor<f32>)
        -> (tensor<?x4096xbf16>, tensor<?xf32>)
    ```
  }];
  let arguments = (ins Nag_Rows:$stream, Optional<Nag_TokenScalars>:$log_norm, Nag_Rows:$unit, Nag_Scalar:$alpha,
                   Optional<Nag_TokenScalars>:$modulator, OptionalAttr<Row_ScheduleAttr>:$schedule);
  let results = (outs Nag_Rows:$rotated, Optional<Nag_TokenScalars>:$rotated_log_norm);
  let assemblyFormat = [{
    $stream (`,` $log_norm^)? `towards` $unit `alpha` $alpha (`modulator` $modulator^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

//===--------------------------------------------------------------------------------------------------===//
// The fused update
//===--------------------------------------------------------------------------------------------------===//

def Nag_UpdateOp : Nag_Op<"update", [AttrSizedOperandSegments]> {
  let summary = "the whole sub-layer update, in residual or lane form";
  let description = [{
    Eq. 10-17: what a NAG sub-layer does with the output `f` of its branch. With `D` the direction of the stream,

    ```
    f_c = f - mean(f)                                      centre
    P   = f_c - (<f_c, D> / <D, D>) D                      orthogonalise   (eq. 10-11)
    u   = P / rms(P)                                       scale           (eq. 12)
    m   = (sum_i p_i sigmoid(<D, w_i> + b_i))^beta         modulate        (eq. 13), p = softmax(logits)
    a   = alpha m;  0 in a row that is not live            amount
    R'  = R + rms(R) a u                                   residual form   (eq. 14)
    D'  = (D + a u) / sqrt(1 + a^2)                        lane form       (eq. 16)
    s'  = s + log1p(a^2) / 2                                               (eq. 17)
    ```

    The stream is in *residual form* without `log_norm` and in *lane form* with it. The modulator is one of

    - computed, with `modulator(%beta, %w, %b, %logits)`; `m` is then the last result;
    - given, with `modulated_by %m`, where an earlier kernel has written it;
    - 1, with neither.

    A row is *live* unless `D` is zero, `P` is zero, or `rms(P) <= tol rms(f)`. A row that is not live passes
    unchanged in both forms. `tol` defaults to 2^-20, and to 2^-48 where rows are `f64`. The residual form is
    equivariant: scaling `R` by a power of two scales `R'` by the same, bit for bit, where nothing leaves the normal
    range.

    | | shape | element type |
    |---|---|---|
    | `stream`, `updated` | [tokens..., d] | any row type, the same |
    | `branch` | [tokens..., d] | `stream`'s, or a narrower one |
    | `log_norm`, `updated_log_norm`, `given_modulator`, `modulator` | [tokens...] | `f32` (`f64`) |
    | `alpha`, `beta` | [] | `f32` (`f64`) |
    | `w` | [C, d] | `stream`'s, `branch`'s, or `f32` |
    | `b`, `logits` | [C] | `f32` (`f64`) |

    Constraints:
    - (C1) `stream` has rank at least 1 and a static last dimension of at least 1.
    - (C2) `branch` has the shape of `stream` and its element type or a narrower one.
    - (C3) `log_norm` and `given_modulator` have the leading dimensions of `stream` and the arithmetic type; `alpha` is
      in the arithmetic type.
    - (C4) `beta`, `w`, `b` and `logits` are given together or not at all, and not beside `given_modulator`.
    - (C5) `w` is [C, d] with `C` static and at least 1, in the element type of `stream`, of `branch`, or `f32`
      (`f64` where rows are `f64`).
    - (C6) `b` and `logits` are [C], in the arithmetic type; `beta` is in the arithmetic type.
    - (C7) `updated` has the type of `stream`. `updated_log_norm` is the next result if and only if there is a
      `log_norm`, and has its type; `modulator` is the last one if and only if there is a `w`, with the leading
      dimensions of `stream` and the arithmetic type.
    - (C8) `tol` is finite and not negative.

    Example:

    ```mlir
    // Residual form, modulator computed.
    %R1, %m = nag.update %R branch %f alpha %alpha modulator(%beta, %w, %b, %logits)
        : (tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<f32>, tensor<f32>, tensor<8x4096xbf16>, tensor<8xf32>,
           tensor<8xf32>) -> (tensor<?x4096xbf16>, tensor<?xf32>)
    // Lane form, no modulator.
    %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
        : (tensor<?x4096xbf16>, tensor<?xf32>, tensor<?x4096xbf16>, tensor<f32>)
        -> (tensor<?x4096xbf16>, tensor<?xf32>)
    ```
  }];
  let arguments = (ins Nag_Rows:$stream, Optional<Nag_TokenScalars>:$log_norm, Nag_Rows:$branch, Nag_Scalar:$alpha,
                   Optional<Nag_TokenScalars>:$given_modulator, Optional<Nag_Scalar>:$beta, Optional<Nag_Matrix>:$w,
                   Optional<Nag_Vector>:$b, Optional<Nag_Vector>:$logits, OptionalAttr<F64Attr>:$tol,
                   OptionalAttr<Row_ScheduleAttr>:$schedule);
  // `updated_log_norm` in lane form, then `modulator` where it is computed: which are there follows from the operands.
  let results = (outs Nag_Rows:$updated, Variadic<Nag_TokenScalars>:$token_scalars);
  let assemblyFormat = [{
    $stream (`,` $log_norm^)? `branch` $branch `alpha` $alpha (`modulated_by` $given_modulator^)?
    (`modulator` `(` $beta^ `,` $w `,` $b `,` $logits `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Whether the stream is a direction and a log-norm.
    bool isLaneForm() { return bool(getLogNorm()); }
    /// Whether this operation computes its modulator, rather than being given one or none.
    bool computesModulator() { return bool(getW()); }
    /// The new log-norm, in lane form.
    ::mlir::Value getUpdatedLogNorm() { return isLaneForm() ? getTokenScalars().front() : ::mlir::Value(); }
    /// The modulator, where it is computed.
    ::mlir::Value getModulator() { return computesModulator() ? getTokenScalars().back() : ::mlir::Value(); }
  }];
}

#endif // NAG_DIALECT_NAG_IR_NAGOPS_TD
