#===- shapes.py - Widths at the edges of vectors, warps and shared memory ---------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Widths next to those that vectors, warps, alignment and shared memory like, and rows that must not touch their
neighbours."""

from nagtest import TARGETS, check, evaluate, main, random, same_bits, update

HALF_AND_FULL = ["f16", "bf16", "f32"]


def test_odd_rows_stay_in_their_row():
    """Guard bytes lie before, between and after the rows; a row is the same when it is alone."""
    for target in TARGETS:
        for i, element in enumerate(HALF_AND_FULL):
            for d in [1, 2, 3, 5, 7, 9, 31, 33, 63, 65, 100, 127, 129, 513, 769, 1025, 4097]:
                program = update(d, element, ["residual", "lanes"][(i + d) % 2], 2)
                values = random(program, (7,), seed=d)
                base = evaluate(program, values, target, offset=d % 4, pad=1 + d % 7)
                row = d % 7
                alone = {name: value[row:row + 1] if sizes[:1] == ("?",) else value
                         for (name, sizes, _), value in zip(program.args, values.values())}
                for name, value in evaluate(program, alone, target, checked=False).items():
                    assert same_bits(value, base[name][row:row + 1]), (element, d, name)


def test_narrower_than_a_warp():
    for target in TARGETS:
        for d in [1, 2, 4, 8, 16, 24, 64]:
            for element in ["f32", "bf16", "f16", "f64"]:
                check(update(d, element, "lanes", 8), rows=33, target=target, seed=d)


def test_odd_numbers_of_warps():
    """3, 5, 6, 7 and 14 warps of 32 threads with 8 elements each, and widths that end in the middle of one."""
    for target in TARGETS:
        for i, d in enumerate([768, 1280, 1536, 1792, 3584, 3328, 5632, 7168]):
            for j, element in enumerate(HALF_AND_FULL):
                for extra in [0, 8, 5]:
                    check(update(d + extra, element, ["residual", "lanes"][(i + j) % 2], [None, 8][extra == 0]), rows=3,
                          target=target, seed=d)


def test_around_the_limits_of_shared_memory():
    """48 KB is 12,288 numbers; 227 KB is 58,112."""
    for target in TARGETS:
        for i, d in enumerate([8192, 12287, 12288, 12289, 16384, 24576, 57344, 58368, 65536, 131072]):
            check(update(d, "f32", ["residual", "lanes"][i % 2], [4, None, "given"][i % 3]), rows=2, target=target, seed=d)


main(globals())
