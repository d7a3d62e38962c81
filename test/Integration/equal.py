#===- equal.py - Ways to run that must not matter ---------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""The number of threads never changes bits; the update taken apart agrees with the fused one."""

import numpy as np

from nagtest import TARGETS, evaluate, main, random, run_tool, same_bits, tool, update


def test_threads():
    for element in ["f32", "bf16", "f64"]:
        for d, form in [(33, "lanes"), (4096, "residual")]:
            program = update(d, element, form, 8)
            values = random(program, (37,), seed=d)
            runs = [evaluate(program, values, checked=threads == "1", environment={"OMP_NUM_THREADS": threads})
                    for threads in ["1", "2", "3", "7"]]
            for run in runs[1:]:
                for name, value in runs[0].items():
                    assert same_bits(value, run[name]), (element, d, name)


def test_runs():
    """The same input gives the same bits again."""
    program = update(1600, "bf16", modulator=8)
    values = random(program, (64,), seed=5)
    first, second = (evaluate(program, values, checked=False) for _ in range(2))
    assert all(same_bits(value, second[name]) for name, value in first.items())


def decompose(program):
    return run_tool([tool("nag-opt"), "-", "--nag-decompose"], program.text()).stdout


def test_taken_apart():
    """Small operations in the place of the update: checked by the reference, and near the fused result."""
    for target in TARGETS:
        for element in ["f32", "bf16", "f16", "f64"]:
            for form in ["residual", "lanes"]:
                for modulator in [None, "given", 3]:
                    for d in [1, 129, 1600]:
                        program = update(d, element, form, modulator)
                        text = decompose(program)
                        assert "nag.update" not in text and "nag.rotate" in text
                        values = random(program, (4,), seed=d)
                        # A branch that is constant and a stream that is zero, so that the guard is seen too.
                        values["f"][1] = 1
                        values["stream"][2] = 0
                        fused = evaluate(program, values, target)
                        apart = evaluate(program, values, target, text=text)
                        for name, value in fused.items():
                            difference = np.abs(value.astype(np.float64) - apart[name].astype(np.float64))
                            unit = np.finfo(np.float32).eps if element in ("f32", "f64") else {"bf16": 2 ** -7, "f16": 2 ** -10}[element]
                            assert np.all(difference <= 32 * unit * np.maximum(1, np.abs(value.astype(np.float64)))), (element, form, modulator, d, name)
                        for row in [1, 2]:
                            assert same_bits(apart["updated"][row], fused["updated"][row]), (element, form, modulator, d)


def test_tolerance():
    """`tol` moves the line between signal and noise."""
    d = 64
    stream = np.ones((1, d))
    stream[0, ::2] = -1
    other = np.repeat([[1, -1]], d // 2, axis=-1).reshape(1, d)[:, np.random.default_rng(0).permutation(d)]
    values = dict(stream=stream, f=stream + other / 64, alpha=1)
    for target in TARGETS:
        for element in ["f32", "f64"]:
            moved = evaluate(update(d, element, tol=2.0 ** -8), values, target)["updated"]
            stays = evaluate(update(d, element, tol=2.0 ** -4), values, target)["updated"]
            assert np.array_equal(stays, stream) and not np.array_equal(moved, stream)
            assert not np.array_equal(evaluate(update(d, element, tol=0), values, target)["updated"], stream)


main(globals())
