#===- small-ops.py - The small operations against the reference -------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Each operation of which the update consists, alone, in every type."""

from nagtest import (TARGETS, center, check, main, merge, modulate, orthogonalize, rotate, scale, split)

TYPES = ["f32", "bf16", "f16", "f64"]
WIDTHS = [1, 127, 769, 4096]
# What rows of a type may be made from: itself, and what is computed in f32.
WIDE = {"f32": "f32", "bf16": "f32", "f16": "f32", "f64": "f64"}


def sweep(make):
    """`make(d, element)` in every width and type, the layout varying with both."""
    for target in TARGETS:
        for i, d in enumerate(WIDTHS):
            for j, element in enumerate(TYPES):
                check(make(d, element), rows=3, target=target, offset=(i + j) % 3, pad=(2 * i + j) % 5, seed=4 * i + j)


def test_split():
    sweep(lambda d, element: split(d, element))
    sweep(lambda d, element: split(d, WIDE[element], element))


def test_merge():
    sweep(lambda d, element: merge(d, element))
    sweep(lambda d, element: merge(d, element, WIDE[element]))


def test_center():
    sweep(lambda d, element: center(d, element))
    sweep(lambda d, element: center(d, element, element))


def test_orthogonalize():
    sweep(lambda d, element: orthogonalize(d, WIDE[element], element))
    sweep(lambda d, element: orthogonalize(d, element, element, WIDE[element]))


def test_scale():
    sweep(lambda d, element: scale(d, WIDE[element], element))
    sweep(lambda d, element: scale(d, element, element))


def test_modulate():
    for C in [1, 8, 13]:
        sweep(lambda d, element: modulate(d, C, element, WIDE[element] if C == 8 else element))


def test_rotate():
    for form in ["residual", "lanes"]:
        for modulated in [False, True]:
            sweep(lambda d, element: rotate(d, element, form, modulated, WIDE[element]))


main(globals())
