#===- modulator.py - Extreme gates ------------------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Modulators at the ends of their range: sigmoids that underflow under a fractional power, and shares of nothing."""

import numpy as np

from nagtest import TARGETS, cast, evaluate, exact, main, modulate, same_bits, update

ROW = dict(stream=[[1, 1, 1, 1]], f=[[1, -1, 1, -1]], direction=[[1, 1, 1, 1]])


def gate(z, beta, element, target):
    """m of one direction with <D, w> = z, from the update and from the modulator alone."""
    values = dict(ROW, alpha=1, beta=beta, w=np.full((1, 4), z / 4), b=[0], logits=[0])
    fused = evaluate(update(4, element, modulator=1), values, target)
    alone = evaluate(modulate(4, 1, element), values, target)["m"]
    assert same_bits(fused["m"], alone), (z, beta)
    assert not np.any(np.isnan(fused["updated"]))
    return float(alone[0])


def test_underflow():
    """sigmoid(z)^beta is in range where sigmoid(z) is not."""
    printed = {(-200, .25): 1.92875e-22, (-100, .5): 1.92875e-22, (-90, 1): 8.194e-40, (-200, .5): 3.72e-44}
    for target in TARGETS:
        for (z, beta), value in printed.items():
            expected = np.exp(beta * -np.logaddexp(0, -z))
            assert abs(value / expected - 1) < 1e-3
            m = gate(z, beta, "f64", target)
            assert abs(m / expected - 1) < 1e-12, (z, beta, m)
            m = gate(z, beta, "f32", target)
            if value > 1e-38:
                bound = 2.0 ** -20 * (1 + beta) * (1 + abs(z) / 4)
                assert abs(m / expected - 1) < bound, (z, beta, m)
            else:
                assert m == 0 or abs(m - expected) <= 2.0 ** -149, (z, beta, m)


def test_powers():
    for target in TARGETS:
        for element in ["f32", "f64"]:
            for z in [-200, -1, 0, 3, 200]:
                assert gate(z, 0, element, target) == 1, z
            assert abs(gate(200, 3, element, target) - 1) < 1e-6
            # Where it opens fully, a large power does no harm.
            assert gate(200, 1000, element, target) == 1
            assert gate(-200, 1000, element, target) == 0


def test_shares():
    """softmax of logits that are alone, -inf, or huge."""
    w = np.array([[.5, .25, 0, -.25], [1, -1, 2, 0], [0, 0, 0, .5]])
    b = np.array([.1, -2, 3])
    sigmoids = 1 / (1 + np.exp(-(w.sum(-1) + b)))
    cases = [([-np.inf, 0, 0], (sigmoids[1] + sigmoids[2]) / 2), ([1e4, 0, -1e4], sigmoids[0]),
             ([3e38, 0, -3e38], sigmoids[0]), ([-1e4, -1e4, -1e4], sigmoids.mean()), ([0, 0, 0], sigmoids.mean())]
    for target in TARGETS:
        for element in ["f32", "bf16", "f64"]:
            for logits, expected in cases:
                values = dict(ROW, beta=1, w=w, b=b, logits=logits)
                m = evaluate(modulate(4, 3, element), values, target)["m"][0]
                assert abs(m / expected - 1) < 1e-5, (element, logits, m, expected)


def test_one_share():
    """A single direction has the share 1, whatever its logit is."""
    for target in TARGETS:
        values = dict(ROW, beta=.5, w=[[.5, .25, 0, -.25]], b=[.3])
        first, *others = [evaluate(modulate(4, 1), dict(values, logits=[x]), target)["m"] for x in [0, 5, -1e4, 3e38]]
        assert all(same_bits(first, other) for other in others)


def test_no_share_at_all():
    """All logits -inf: shares do not exist, and every row says so."""
    for target in TARGETS:
        stream = np.random.default_rng(1).normal(size=(3, 4))
        values = dict(stream=stream, f=stream[::-1], alpha=1, beta=1, w=np.ones((3, 4)), b=np.zeros(3), logits=[-np.inf] * 3)
        out = evaluate(update(4, modulator=3), values, target)
        assert np.all(np.isnan(out["m"])) and np.all(np.isnan(out["updated"]))


def second_opinion(offset, betas, elements=("f32", "bf16"), components=(1, 8, 64)):
    """Against NumPy in double precision, within the promise for m; `offset` is added to b."""
    for target in TARGETS:
        for element in elements:
            for C in components:
                generator = np.random.default_rng(C)
                stream, w = (cast(x, element) for x in (generator.normal(size=(5, 768)), generator.normal(size=(C, 768)) * .05))
                b, logits = cast(generator.normal(size=(2, C)) + [[offset], [0]], "f32")
                for beta in betas:
                    values = dict(direction=stream, beta=beta, w=w, b=b, logits=logits)
                    m = evaluate(modulate(768, C, element), values, target)["m"]
                    expected = exact.modulator(stream, np.float32(beta), w, b, logits)
                    longest = np.linalg.norm(w.astype(np.float64), axis=-1).max()
                    assert np.all(np.abs(m / expected - 1) < 2.0 ** -20 * (1 + beta) * (1 + longest)), (element, C, beta)


def test_second_opinion():
    second_opinion(0, [.05, 1, 4])


def test_far_below_one():
    """What exp makes of the rounding of beta log S is within the promise too, however large log S is."""
    second_opinion(-40, [1, 2], ["bf16"], [8])
    second_opinion(-160, [.05, .5], ["f32"], [1, 8])
    second_opinion(-10000, [.005], ["f32"], [8])


main(globals())
