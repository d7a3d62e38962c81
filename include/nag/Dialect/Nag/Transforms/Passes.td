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
    Rows between them are kept in the arithmetic type, so that nothing is rounded to the storage type that the fused
    operation does not round.

    Numbers: the same formulas on the same values; sums are taken of what was stored in the arithmetic type, without
    the fused operation's power-of-two scaling of the row, so that results agree to rounding, not to the bit.
  }];
  let dependentDialects = ["::nag::NagDialect"];
}

def NagSimplify : Pass<"nag-simplify"> {
  let summary = "rewrites that hold in exact arithmetic only";
  let description = [{
    Canonicalization of the `nag` dialect is exact to the bit. This pass holds what is equal in exact arithmetic only:

    - `merge(split(R))` becomes `R` (loses the two roundings between);
    - `split(merge(D, s))` becomes `D, s` (the direction as it is stored, not renormalised);
    - `center(center(f))` becomes `center(f)` in the type of the outer one;
    - `orthogonalize(orthogonalize(f, D), D)` becomes the inner one;
    - `scale(scale(P))` against itself becomes the inner one;
    - `update` and `rotate` with `alpha = 0` become their stream (hides a NaN or Inf in the branch or the modulator).

    Numbers: equal in exact arithmetic; rounding and the place where a NaN shows may differ.
  }];
  let dependentDialects = ["::nag::NagDialect"];
}

#endif // NAG_DIALECT_NAG_TRANSFORMS_PASSES_TD
