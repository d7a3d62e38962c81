#===- tokens.py - Token dimensions ------------------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Any number of token dimensions, dynamic or not, none of them, and no tokens at all."""

import itertools

from nagtest import TARGETS, check, main, merge, modulate, rotate, split, update

# Sizes in the type, and sizes at run time.
SHAPES = [((), ()), (("?",), (0,)), (("?",), (1,)), (("?",), (7,)), ((0,), ()), ((1,), ()), ((7,), ()),
          (("?", "?"), (2, 3)), (("?", "?"), (0, 3)), (("?", "?"), (3, 0)), (("?", 7), (2, 7)), ((7, "?"), (7, 1)),
          ((2, 3), ()), (("?", "?", "?"), (2, 1, 3)), (("?", 2, "?"), (2, 2, 7)), ((1, 7, 2), ())]


def test_update():
    for target in TARGETS:
        for i, ((tokens, dims), form) in enumerate(itertools.product(SHAPES, ["residual", "lanes"])):
            for modulator in [None, "given", 3]:
                out = check(update([1, 33, 768][i % 3], ["f32", "bf16"][i % 2], form, modulator, tokens=tokens), dims=dims,
                            target=target, offset=i % 2, pad=i % 3, seed=i)
                assert "ok" in out


def test_small_operations():
    for target in TARGETS:
        for tokens, dims in SHAPES:
            for make in [lambda t: split(33, tokens=t), lambda t: merge(33, tokens=t),
                         lambda t: modulate(33, 2, tokens=t), lambda t: rotate(33, form="lanes", tokens=t)]:
                check(make(tokens), dims=dims, target=target, pad=1)


def test_number_of_rows_compared():
    """What the reference is asked for is there: no row is left out in silence."""
    for target in TARGETS:
        out = check(update(768, "bf16", "lanes", 8, tokens=("?", "?")), dims=(3, 5), target=target)
        assert out.count("rows compared 15, left out 0: ok") == 3, out


main(globals())
