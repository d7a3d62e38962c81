#===- relations.py - What holds whatever the values are ---------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Relations between the arguments and the results of the update that follow from its formula alone."""

import numpy as np

from nagtest import (TARGETS, assert_rows_near, cast, evaluate, exact, main, random, same_bits, ulp, update)

TYPES = ["f32", "bf16", "f16", "f64"]
WIDTHS = [2, 129, 2880]


def rows(d, seed=0, tokens=4):
    """Random rows, and one whose tail differs from its head: an error factor in the sum of a constant row cancels."""
    generator = np.random.default_rng(seed)
    stream, f = generator.normal(size=(2, tokens, d))
    stream[0] = 1
    stream[0, d - (d + 8) // 9:] = 3
    return stream, f


def each(types=TYPES, widths=WIDTHS):
    for target in TARGETS:
        for element in types:
            for i, d in enumerate(widths):
                stream, f = rows(d, i)
                yield target, element, d, cast(stream, element), cast(f, element)


def test_norm_grows_by_the_amount():
    """|R'|^2 = |R|^2 (1 + (alpha m)^2)."""
    for target, element, d, stream, f in each():
        program = update(d, element, modulator=3)
        values = dict(random(program, (4,)), stream=stream, f=f)
        out = evaluate(program, values, target)
        amount = .7 * out["m"].astype(np.float64)
        gain = np.linalg.norm(out["updated"].astype(np.float64), axis=-1) / np.linalg.norm(stream.astype(np.float64), axis=-1)
        bound = {"f32": 16, "f64": 64, "bf16": 1, "f16": 1}[element] * ulp(element) + 2.0 ** -22
        assert np.all(np.abs(gain / np.sqrt(1 + amount * amount) - 1) < bound), (element, d, gain)


def test_rms_of_a_row_with_a_heavy_tail():
    """The closed form: head 1, the last ninth 3, so that rho = 1.37436854."""
    d = 2880
    stream = np.ones((1, d))
    stream[0, d - 320:] = 3
    assert abs(exact.rms(stream)[0, 0] - 1.37436854) < 1e-8
    f = np.where(np.arange(d) % 2, -1.0, 1.0)[None]
    for target in TARGETS:
        out = evaluate(update(d, "f32"), dict(stream=stream, f=f, alpha=.5), target)["updated"]
        # f is orthogonal to both halves of the stream, so u is f.
        assert_rows_near(out, stream + .5 * exact.rms(stream) * f, "f32", 2)


def test_update_is_orthogonal():
    """<u, R> = 0 and rms(u) = 1, but sum(u) is not 0: the mean is removed first, then the part along R."""
    for target, element, d, stream, f in each(["f32", "f64"]):
        out = evaluate(update(d, element), dict(stream=stream, f=f, alpha=1), target)["updated"].astype(np.float64)
        stream = stream.astype(np.float64)
        u = (out - stream) / exact.rms(stream)
        bound = {"f32": 16, "f64": 64}[element] * ulp(element)
        assert np.all(np.abs(np.mean(u * stream / exact.rms(stream), -1)) < bound), (element, d)
        assert np.all(np.abs(exact.rms(u) - 1) < bound), (element, d)
        # Row 0 is a row of means: its u would have none if the order were the other one.
        if d > 7:
            assert np.all(np.abs(np.mean(u[1:], -1)) > 1e-6), (element, d)


def test_scale_of_the_branch_is_nothing():
    """f -> 2^k f gives the same bits, f -> 3 f and f -> f + 5 the same row, f -> -f the opposite update."""
    for target, element, d, stream, _ in each():
        # Integers, so that what is done to them is exact in every type.
        f = cast(np.random.default_rng(d).integers(-8, 9, size=stream.shape), element)
        f[:, 0] = 9
        program = update(d, element)
        run = lambda g: evaluate(program, dict(stream=stream, f=g, alpha=.75), target)["updated"]
        same, tripled, shifted, flipped = run(f), run(cast(3 * f, element)), run(cast(f + 5, element)), run(-f)
        for k in [-13, 9] if element == "f16" else [-100, 100]:
            assert same_bits(same, run(cast(f.astype(np.float64) * 2.0 ** k, element))), (element, d, k)
        wide = same.astype(np.float64)
        assert_rows_near(tripled, wide, element)
        assert_rows_near(shifted, wide, element)
        assert_rows_near(flipped, 2 * stream.astype(np.float64) - wide, element, 2 if ulp(element) > 1e-6 else None)


def test_powers_of_two_scale_exactly():
    """R -> 2^k R gives 2^k R', bit for bit, and the same m, in residual form."""
    reach = {"f32": [-100, -1, 1, 120], "bf16": [-100, 3, 120], "f16": [-4, 1, 10], "f64": [-900, 1, 1000]}
    for target, element, d, stream, f in each():
        program = update(d, element, modulator=2)
        # Far from zero on both sides, so that scaling keeps all of it normal.
        stream = cast(np.where(stream < 0, -1, 1) * (np.abs(stream.astype(np.float64)) + .25), element)
        values = dict(random(program, (4,)), stream=stream, f=f)
        base = evaluate(program, values, target)
        for k in reach[element]:
            scaled = cast(stream.astype(np.float64) * 2.0 ** k, element)
            out = evaluate(program, dict(values, stream=scaled), target, checked=False)
            expected = cast(base["updated"].astype(np.float64) * 2.0 ** k, element)
            tiny = np.abs(expected.astype(np.float64)) < float(np.ldexp(1.0, {"f16": -14, "f64": -1022}.get(element, -126)))
            assert np.array_equal(np.where(tiny, 0, out["updated"]), np.where(tiny, 0, expected)), (element, d, k)
            assert same_bits(base["m"], out["m"]), (element, d, k)


def test_rows_do_not_know_each_other():
    """Rows permuted, alone, or in another layout give the same bits."""
    for target in TARGETS:
        for i, element in enumerate(TYPES):
            for j, d in enumerate([1, 33, 769, 4096]):
                program = update(d, element, ["lanes", "residual"][(i + j) % 2], [3, 8][j % 2])
                values = random(program, (9,), seed=j)
                base = evaluate(program, values, target)
                of_token = [name for name, sizes, _ in program.args if sizes[:1] == ("?",)]
                order = np.random.default_rng(j).permutation(9)
                def run(rows, **layout):
                    return evaluate(program, {name: value[rows] if name in of_token else value for name, value in
                                              values.items()}, target, checked=False, **layout)
                for rows, layout in [(order, {}), ([4], {}), ([8], dict(offset=1)), (slice(2, 9), dict(pad=1)),
                                     (slice(None), dict(offset=3, pad=5)), (slice(None), dict(offset=2))]:
                    out = run(rows, **layout)
                    for name, value in base.items():
                        assert same_bits(value[rows], out[name]), (element, d, rows, layout, name)


def test_lanes_are_the_residual():
    """exp(s') D' = R' for D = R / rms(R) and s = log rms(R): equal in exact arithmetic, near in floating point."""
    for target, element, d, stream, f in each(["f32", "f64"]):
        wide = stream.astype(np.float64)
        lanes = dict(stream=wide / exact.rms(wide), log_norm=np.log(exact.rms(wide))[:, 0], f=f, alpha=.7)
        out = evaluate(update(d, element, "lanes"), lanes, target)
        merged = np.exp(out["log_norm"].astype(np.float64))[:, None] * out["updated"].astype(np.float64)
        assert_rows_near(merged, exact.updated(wide, f, .7), element, more=4 * ulp(element))


main(globals())
