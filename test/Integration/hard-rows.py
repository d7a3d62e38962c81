#===- hard-rows.py - Rows on which naive kernels go wrong -------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Rows on which naive kernels go wrong: noise, spikes, the ends of the range, padding, and the guard that stands for
an epsilon. Unless said otherwise m = 1/2, so that values are known in closed form."""

import numpy as np

from nagtest import (TARGETS, assert_rows_near, cast, evaluate, exact, main, merge, modulate, neutral, normalize, random,
                     run_tool, same_bits, split, tool, update)

ALTERNATING = lambda d: np.where(np.arange(d) % 2, -1.0, 1.0)[None]


def half(stream, f, element, target, form="residual", branch=None, **more):
    """The update by alpha m = 1/2."""
    stream = np.asarray(stream)
    program = update(stream.shape[-1], element, form, 1, branch=branch)
    values = dict(neutral(stream.shape[-1]), stream=stream, f=f, **more)
    return evaluate(program, values, target)


def test_noise_is_not_amplified():
    """A branch that is constant, or parallel to the stream, leaves no update: its P is nothing but rounding."""
    for target in TARGETS:
        for d in [3, 7, 33, 100, 768, 5120, 12288]:
            stream = cast(np.random.default_rng(d).normal(size=(3, d)), "f32")
            f = np.full((3, d), .1)
            assert same_bits(half(stream, f, "f32", target)["updated"], stream), d
            lanes = cast(normalize(stream), "f32")
            s = cast([-1, 0, 2], "f32")
            out = half(lanes, f, "f32", target, "lanes", log_norm=s)
            assert same_bits(out["updated"], lanes) and same_bits(out["log_norm"], s), d

            centered = stream - stream.astype(np.float64).mean(axis=-1, keepdims=True)
            stream = cast(centered, "f32")
            f = 7.3 * stream.astype(np.float64) + .05
            assert same_bits(half(stream, f, "f32", target)["updated"], stream), d
            lanes = cast(normalize(stream), "f32")
            out = half(lanes, 7.3 * lanes.astype(np.float64) + .05, "f32", target, "lanes", log_norm=s)
            assert same_bits(out["updated"], lanes) and same_bits(out["log_norm"], s), d


def test_sixteen_bit_squares():
    """fp16: 300 squares past the end of the range, and so does 60000."""
    for target in TARGETS:
        for d in [4096, 128]:
            for size in [1, 60000]:
                out = half(np.full((1, d), 300), size * ALTERNATING(d), "f16", target)["updated"]
                assert np.array_equal(out, cast(300 + 150 * ALTERNATING(d), "f16")), (d, size)


def test_large_rows():
    """Beyond 1.8e19 the square of an f32 overflows."""
    d = 8
    for target in TARGETS:
        big = np.float64(np.float32(1e25))
        out = half(np.full((1, d), big), ALTERNATING(d), "f32", target)["updated"]
        assert_rows_near(out, big * (1 + .5 * ALTERNATING(d)), "f32", 2)

        stream = cast(np.random.default_rng(8).normal(size=(1, d)), "f32")
        small, large = (half(stream, size * ALTERNATING(d), "f32", target)["updated"] for size in (1, 1e25))
        assert_rows_near(large, small.astype(np.float64), "f32", 2)

        spike = np.ones((1, d))
        spike[0, 0] = 1e20
        stream = cast(spike, "f32").astype(np.float64)
        assert abs(exact.rms(stream)[0, 0] / 3.5355e19 - 1) < 1e-5
        f = np.random.default_rng(9).normal(size=(1, d))
        out = half(stream, f, "f32", target)["updated"].astype(np.float64)
        assert np.all(np.isfinite(out))
        assert abs(exact.rms(out) / exact.rms(stream) / np.sqrt(1.25) - 1) < 1e-6

        stream = cast(np.full((1, d), 1e20), "bf16")
        out = half(stream, ALTERNATING(d), "bf16", target)["updated"]
        assert same_bits(out, cast(stream.astype(np.float64) * (1 + .5 * ALTERNATING(d)), "bf16"))


def test_ends_of_the_range():
    """Rows of the largest and of the smallest normal numbers, of the stream and of the branch."""
    d = 768
    largest = {"f32": 3e38, "bf16": 3e38, "f16": 60000, "f64": 1.5e308}
    smallest = {"f32": 2e-38, "bf16": 2e-38, "f16": 1e-4, "f64": 4e-308}
    for target in TARGETS:
        for element in largest:
            base = np.random.default_rng(1).uniform(.5, 1, size=(2, d)) * np.where(np.arange(d) % 3, -1, 1)
            f = np.random.default_rng(2).uniform(.5, 1, size=(2, d)) * np.where(np.arange(d) % 5, -1, 1)
            for size in largest[element] / 4, smallest[element] * 4:
                for times in largest[element], smallest[element]:
                    # Within the tolerance of nag-run, and finite.
                    out = half(base * size, f * times, element, target)["updated"]
                    assert np.all(np.isfinite(out.astype(np.float64))), (element, size, times)
                    assert not np.array_equal(out, cast(base * size, element)), (element, size, times)


def test_spike():
    """One slot 1e5 times the others: an epsilon that a rescale multiplies would show."""
    d = 4096
    stream = np.full((1, d), .01)
    stream[0, 0] = 1000
    stream = cast(stream, "f32")
    f = cast(np.random.default_rng(6).normal(size=(1, d)), "f32")
    for target in TARGETS:
        out = half(stream, f, "f32", target)["updated"]
        assert_rows_near(out, exact.updated(stream, f, .5), "f32", units=64)  # 7.6e-6
        for k in -10, 10:
            factor = np.float32(2.0 ** k)
            assert same_bits(half(stream * factor, f, "f32", target)["updated"], out * factor), k


def test_zero_rows():
    """A zero stream, a zero branch, or both: the row passes, and the rows beside it do not notice."""
    d = 33
    for target in TARGETS:
        for element in ["f32", "bf16", "f16", "f64"]:
            for form in ["residual", "lanes"]:
                program = update(d, element, form, 3)
                values = random(program, (4,), seed=7)
                values["stream"][[1, 3]] = 0
                values["f"][[2, 3]] = 0
                if form == "lanes":
                    values["log_norm"][[1, 3]] = -np.inf
                out = evaluate(program, values, target)
                assert same_bits(out["updated"][1:], values["stream"][1:]), (element, form)
                if form == "lanes":
                    assert same_bits(out["log_norm"][1:], values["log_norm"][1:]), element
                assert np.all(np.isfinite(out["m"]))
                alone = dict(values, **{name: value[:1] for name, value in values.items()
                                        if name in ("stream", "f", "log_norm")})
                for name, value in evaluate(program, alone, target).items():
                    assert same_bits(value, out[name][:1]), (element, form, name)
        # The same rule without token dimensions, and in one element.
        for tokens, d1 in [((), 7), ((), 1), ((2,), 1)]:
            zero = np.zeros(tokens + (d1,))
            out = evaluate(update(d1, tokens=tokens), dict(stream=zero, f=zero + 1, alpha=1), target)
            assert same_bits(out["updated"], cast(zero, "f32"))


def test_zero_rows_have_no_direction():
    for target in TARGETS:
        for element in ["f32", "bf16", "f16", "f64"]:
            stream = random(split(33, element), (3,))["stream"]
            stream[1] = 0
            lanes = evaluate(split(33, element), dict(stream=stream), target)
            assert not np.any(lanes["direction"][1]) and lanes["log_norm"][1] == -np.inf
            assert np.all(np.isfinite(lanes["log_norm"][[0, 2]]))
            for s in -np.inf, 0, np.inf, np.nan:
                lanes["log_norm"][1] = s
                merged = evaluate(merge(33, element), lanes, target)["residual"]
                assert not np.any(merged[1]), (element, s)


def test_nothing_leaves_its_row():
    """A NaN or an infinity makes a bad row of its own row only."""
    for target in TARGETS:
        for element in ["f32", "bf16", "f16", "f64"]:
            for form in ["residual", "lanes"]:
                for d in [3, 769]:
                    program = update(d, element, form, 2)
                    values = random(program, (5,), seed=d)
                    good = evaluate(program, values, target)
                    for argument in ["stream", "f"]:
                        for bad in [np.nan, np.inf, -np.inf]:
                            broken = values[argument].copy()
                            broken[2, d // 2] = bad
                            out = evaluate(program, dict(values, **{argument: broken}), target)
                            others = [0, 1, 3, 4]
                            for name in out:
                                assert same_bits(out[name][others], good[name][others]), (element, form, argument, bad)
                            assert np.any(np.isnan(out["updated"][2].astype(np.float64))), (element, form, argument, bad)


def test_padding_is_not_part_of_the_row():
    """Widths below a vector's, against numbers found by hand."""
    cases = [([1, 2, 2], [10, 11, 12], [-.212678125, 1.75746437, 2.84887469]),
             ([1, 2, 3, 4, 5, 6, 7], [1, -2, 3 - 1, -2, 3, -3, 4], None),
             ([1, 2, 3, 4, 5, 6, 7], [1, -1, 2, -2, 3, -3, 4],
              [1.35440518, .477370333, 4.19447672, 1.47978538, 7.03454826, 2.48220042, 9.8746198]),
             ([3, 4], [5, 1], [5, 2.5])]
    for target in TARGETS:
        for element, bound in [("f64", 5e-9), ("f32", 2e-6)]:
            for stream, f, expected in cases:
                out = half([stream], [f], element, target)["updated"].astype(np.float64)[0]
                if expected:
                    assert np.all(np.abs(out - expected) <= bound * np.maximum(np.abs(expected), 1)), (out, expected)
                assert abs(np.linalg.norm(out) / np.linalg.norm(stream) - np.sqrt(1.25)) < bound


def test_one_element():
    """d = 1: centred, nothing is left of the branch."""
    values = [(r, f) for r in [0, 1, -3, 1e30, 1e-30] for f in [.1, 1e6, -7]]
    stream, f = (np.array(x)[:, None] for x in zip(*values))
    for target in TARGETS:
        for element in ["f32", "bf16"]:
            assert same_bits(half(stream, f, element, target)["updated"], cast(stream, element))
            s = cast(np.arange(15) - 7, "f32")
            out = half(np.sign(stream), f, element, target, "lanes", log_norm=s)
            assert same_bits(out["updated"], cast(np.sign(stream), element)) and same_bits(out["log_norm"], s)


def test_two_elements():
    """d = 2: a rotation by 90 degrees is all that a centred branch can ask for."""
    generator = np.random.default_rng(2)
    stream = cast(generator.normal(size=(16, 2)), "f32").astype(np.float64)
    f = generator.normal(size=(16, 2))
    for target in TARGETS:
        out = evaluate(update(2), dict(stream=stream, f=f, alpha=.5), target)["updated"].astype(np.float64)
        turned = np.stack([-stream[:, 1], stream[:, 0]], axis=-1)
        # Towards the side where the difference of f is.
        side = np.sign((f[:, 0] - f[:, 1]) * (turned[:, 0] - turned[:, 1]))[:, None]
        # R near the diagonal leaves little of the branch.
        bound = 16 * np.maximum(1, np.linalg.norm(stream, axis=-1) / np.abs(stream.sum(-1)) / 2 ** 8)
        error = np.abs(out - (stream + .5 * side * turned)) / np.linalg.norm(stream, axis=-1, keepdims=True) * 2.0 ** 23
        assert np.all(error.max(-1) <= bound), error


def test_rounding_happens_once():
    """An update of 1/2 at 256 is below half a unit of bf16: it vanishes there, and is exact on an f32 stream."""
    d = 64
    values = dict(neutral(d), alpha=2.0 ** -8, stream=np.full((1, d), 256), f=ALTERNATING(d))
    for target in TARGETS:
        out = evaluate(update(d, "bf16", modulator=1), values, target)["updated"]
        assert same_bits(out, cast(np.full((1, d), 256), "bf16"))
        for branch in ["f32", "bf16"]:
            out = evaluate(update(d, "f32", modulator=1, branch=branch), values, target)["updated"]
            assert same_bits(out, cast(256 + .5 * ALTERNATING(d), "f32"))


def test_layers_read_what_is_stored():
    """Two updates in one function give the bits of two functions: the second reads the rounded stream."""
    for target in TARGETS:
        for element in ["bf16", "f16"]:
            for d in [7, 64, 769]:
                one = update(d, element)
                rows = f"tensor<?x{d}x{element}>"
                operation = f"branch %f alpha %alpha : ({rows}, {rows}, tensor<f32>) -> {rows}"
                two = (f"func.func @update(%stream: {rows}, %f: {rows}, %alpha: tensor<f32>) -> {rows} {{\n"
                       f"  %a = nag.update %stream {operation}\n  %b = nag.update %a {operation}\n"
                       f"  return %b : {rows}\n}}\n")
                values = random(one, (5,), seed=d)
                first = evaluate(one, values, target)["updated"]
                second = evaluate(one, dict(values, stream=first), target)["updated"]
                assert same_bits(second, evaluate(one, values, target, text=two)["updated"]), (element, d)


main(globals())
