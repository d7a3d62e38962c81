#===- processors.py - Processors of different instruction sets --------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Code for old and new x86 processors: all of it right, and the same bits where only the width of vectors differs."""

import itertools
import platform

from nagtest import check, main, modulate, split, update

PROCESSORS = ["x86-64", "x86-64-v2", "x86-64-v3"] if platform.machine() == "x86_64" else ["generic"]
WIDTHS = [1, 7, 129, 769, 4096]


def test_update():
    cases = itertools.product(PROCESSORS, ["f32", "bf16", "f16", "f64"], WIDTHS)
    for i, (processor, element, d) in enumerate(cases):
        check(update(d, element, ["residual", "lanes"][i % 2], 3), rows=4, mcpu=processor, offset=i % 2, pad=i % 3, seed=i)


def test_small_operations():
    for processor, element in itertools.product(PROCESSORS, ["bf16", "f16"]):
        check(split(1600, element), rows=3, mcpu=processor)
        check(modulate(1600, 8, element), rows=3, mcpu=processor)


main(globals())
