#===- oracle.py - A reference from outside ----------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# REQUIRES: nag-oracle
# RUN: %python %s
"""Random shapes against an independent NumPy reference, a Python file that NAG_ORACLE names. It has to have

    update(R, F, W, b, logits, alpha, beta, tol) -> R', m
    update_lanes(D, s, F, W, b, logits, alpha, beta, tol) -> D', s', m

on float64 rows [T, d] and columns [T, 1]. Where the variable is not set there is nothing to test."""

import importlib.util
import os

import numpy as np

from nagtest import TARGETS, assert_rows_near, evaluate, main, random, update

SPECIFICATION = importlib.util.spec_from_file_location("oracle", os.environ["NAG_ORACLE"])
ORACLE = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(ORACLE)


def test_random_shapes():
    generator = np.random.default_rng(2026)
    for target in TARGETS:
        for seed in range(60):
            element = ["f32", "bf16", "f16", "f64"][seed % 4]
            d, tokens, C = (int(generator.integers(1, high)) for high in (3000, 9, 33))
            form = ["residual", "lanes"][seed // 4 % 2]
            program = update(d, element, form, C)
            values = random(program, (tokens,), seed)
            values["alpha"], values["beta"] = (np.asarray(x, values["alpha"].dtype) for x in generator.uniform(0, 2, size=2))
            out = evaluate(program, values, target, checked=False)
            wide = {name: value.astype(np.float64) for name, value in values.items()}
            rest = [wide["f"], wide["w"], wide["b"], wide["logits"], wide["alpha"], wide["beta"]]
            tol = 2.0 ** -48 if element == "f64" else 2.0 ** -20
            if form == "lanes":
                row, s, m = ORACLE.update_lanes(wide["stream"], wide["log_norm"][:, None], *rest, tol)
                bound = 2.0 ** (-49 if element == "f64" else -21) * np.maximum(1, np.abs(s))
                assert np.all(np.abs(out["log_norm"] - s[:, 0]) <= 2 * bound[:, 0]), seed
            else:
                row, m = ORACLE.update(wide["stream"], *rest, tol)
            longest = np.linalg.norm(wide["w"], axis=-1).max()
            bound = 2.0 ** (-48 if element == "f64" else -20) * (1 + wide["beta"]) * (1 + longest)
            assert np.all(np.abs(out["m"].astype(np.float64) - m[:, 0]) <= bound * m[:, 0]), (seed, d, element)
            assert_rows_near(out["updated"], row, element, more=bound * wide["alpha"])


main(globals())
