//===- Passes.td - Passes on the nag dialect ----------------------------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_NAG_TRANSFORMS_PASSES_TD
#define NAG_DIALECT_NAG_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def NagDecompose : Pass<"nag-decompose"> {
  let summary = "take nag.update apart into the small operations";
  let description = [{
    Rewrites every `nag.update` into `nag.modulate`, `nag.center`, `nag.orthogonalize`, `nag.scale` and `nag.rotate`.
    The stream stands for its direction: `nag.modulate` renormalises what it reads, and the length of a direction drops
    out of `nag.orthogonalize`, so that no direction is made of a residual only to be read again. Rows in between are in
    the arithmetic type, so that nothing is rounded to the storage type that the fused operation does not round.

    Numbers: the same formulas on the same values, in which intermediate rows are rounded to the arithmetic type and can
    leave its range where the fused operation keeps an exponent beside them. Results agree to rounding, not to the bit;
    live rows are the same but for rows where rounding decides.
  }];
  let dependentDialects = ["::nag::NagDialect"];
}

def NagSimplify : Pass<"nag-simplify"> {
  let summary = "rewrites that hold in exact arithmetic only";
  let description = [{
    Canonicalization of the `nag` dialect is exact to the bit. This pass holds what is equal in exact arithmetic only:

    | before | after | where |
    |---|---|---|
    | `merge(split(R))` | `R` | both lanes are of that split, and the merge has the type of `R` |
    | `split(merge(D, s))` | `D, s` | they are *lanes of a split*, and the types are the same |
    | `center(center(f))` | `center(f)`, in the type of the outer one | always |
    | `orthogonalize(orthogonalize(f, D), D)` | the inner one, in the type of the outer one | always |
    | `scale(u, u)` with `u = scale(P, f)` | `u`, in the type of the outer one | the outer `tol` is below 1 |
    | `update` and `rotate` with a constant `alpha = 0` | the stream, and `nag.modulate` for a modulator in use | residual form, or *lanes of a split* |

    `D` and `s` are *lanes of a split* if they are the two results of one `nag.split`, or of one `nag.update` (or
    `nag.rotate` towards a scaled, orthogonalised row) of such lanes. Then `rms(D) = 1`, and `s = -inf` where `D` is
    zero. Of other lanes, function arguments for instance, neither is known: `split(merge(D, s))` and an update with
    `alpha = 0` renormalise `D`, and `split(merge(0, s))` has the log-norm `-inf`, not `s`.

    Numbers: equal in exact arithmetic. Roundings between the two operations are lost, and so are overflow and underflow
    (a merge of lanes whose norm exceeds the type of the residual). A NaN or Inf shows in other elements of its row, and
    `alpha = 0` hides one in the branch or the modulator, where 0 times it would be NaN.
  }];
  let dependentDialects = ["::nag::NagDialect"];
}

def NagToLanes : Pass<"nag-to-lanes"> {
  let summary = "streams in residual form become lanes where that moves fewer rows";
  let description = [{
    Between two sub-layers the residual form writes the stream and its direction, which the next branch reads; in lane
    form the direction is the stream. Updates and rotations of a stream in one block become their lane form together,
    behind a `nag.split` of the value that the stream starts from:

    | use of a stream | becomes |
    |---|---|
    | `nag.split` | the lanes, or a split of the direction where that has another type |
    | `nag.modulate`, and `nag.orthogonalize` against it | reads the direction |
    | all else: returned, an operand of a call, stored, in another block, ... | reads a `nag.merge` of the lanes |

    A stream is converted if fewer rows are moved for each token (docs/design/fusion.md has the arithmetic). An update
    whose stream comes as a residual and leaves as one gains nothing, and stays.

    `--remarks-filter=nag-to-lanes` says what was converted, and why not.

    Numbers: equal in exact arithmetic only. The stream is rounded to its storage type as a direction instead of a
    residual, once more where it enters and where it leaves, and its norm lives in `f32` (`f64`): scaling `R` by a power
    of two no longer scales the result bit for bit. What is orthogonal, and whether a row is live, is decided against the
    stored direction, which is what the branch has read. A stream does not leave the range of its type as lanes; merged,
    it is as infinite as it was. A NaN or Inf shows in other elements of its row. Zero rows stay zero.
  }];
  let dependentDialects = ["::nag::NagDialect"];
}

#endif // NAG_DIALECT_NAG_TRANSFORMS_PASSES_TD
