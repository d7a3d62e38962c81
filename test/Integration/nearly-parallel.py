#===- nearly-parallel.py - Branches with little of their own ----------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""A branch that is nearly parallel to its stream, the ordinary case early in training: the bound of rows does not grow
while k = rms(f) / rms(P) is below 2^8 (2^12 in 16 bits), and grows in proportion beyond."""

import platform

import numpy as np

from nagtest import TARGETS, cast, evaluate, exact, main, normalize, update

SHARES = {"f32": [4, 16, 64, 250, 707, 5000], "f64": [4, 16, 64, 250, 5000], "bf16": [16, 200], "f16": [16, 200, 1000]}


def near_parallel(d, k, mean, element, branch=None):
    """A stream without mean, and a branch that holds 1/k of something else, and a mean."""
    a, b = np.random.default_rng(d).normal(size=(2, 3, d))
    a, b = (normalize(x - x.mean(-1, keepdims=True)) for x in (a, b))
    return cast(a, element), cast(a + b / k + mean, branch or element)


def ladder(element, branch=None, shares=None, targets=TARGETS, mcpu=None):
    failures = []
    for target in targets:
        for d in [7, 129, 4096]:
            for mean in [0, 1]:
                for k in shares or SHARES[element]:
                    stream, f = near_parallel(d, k, mean, element, branch)
                    try:
                        evaluate(update(d, element, branch=branch), dict(stream=stream, f=f, alpha=1), target,
                                 mcpu=mcpu)
                    except AssertionError as error:
                        line = [line for line in str(error).splitlines() if line.startswith("result 0")]
                        failures.append(f"d={d} k={k} mean={mean}: {(line or [error])[0]}")
    assert not failures, "\n".join(failures)


def test_f32():
    ladder("f32")


def test_f64():
    ladder("f64")


def test_bf16():
    ladder("bf16")


def test_f16():
    ladder("f16")


def test_f32_stream_of_bf16_branches():
    ladder("f32", "bf16", [16, 100])


def test_processors_without_fused_products():
    baseline = "x86-64" if platform.machine() == "x86_64" else "generic"
    for element in ["f32", "f64"]:
        ladder(element, targets=["cpu"], mcpu=baseline)


def test_direction():
    """At cosine 1 - 1e-6 the direction of u is right to 1e-3: its length comes from P, not from a difference of squares."""
    for target in TARGETS:
        for d in [129, 768, 4096, 12288]:
            stream, f = near_parallel(d, np.sqrt(.5e6), 0, "f32")
            u = exact.unit(stream, f)
            out = evaluate(update(d), dict(stream=stream, f=f, alpha=1), target, checked=False)["updated"]
            error = (out.astype(np.float64) - stream) / exact.rms(stream.astype(np.float64)) - u
            assert np.all(exact.rms(error) < 1e-3), (d, exact.rms(error))


main(globals())
