#===- sweep.py - Every width of one type against the reference --------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""Runs the update of one storage type in every width, both forms, and every kind of modulator."""

import itertools
import sys

from nagtest import TARGETS, check, update

WIDTHS = [1, 2, 3, 7, 8, 33, 100, 127, 129, 768, 769, 1600, 2880, 4096, 5120, 12288, 16384, 65536]
# Elements before the first row and between rows: dense, unaligned, and aligned with gaps.
LAYOUTS = [(0, 0), (1, 3), (8, 8), (3, 0), (0, 1)]
# C from one direction to many, none a divisor of another's tile.
DIRECTIONS = [8, 1, 3, 64, 16]

element = sys.argv[1]
combinations = itertools.product(WIDTHS, ["residual", "lanes"], [None, "given", "computed"])
for i, (d, form, modulator) in enumerate(combinations):
    if modulator == "computed":
        modulator = DIRECTIONS[i % len(DIRECTIONS)]
    offset, pad = LAYOUTS[i % len(LAYOUTS)]
    for target in TARGETS if element != "f64" else ["cpu"]:
        print(f"{target} {element} d={d} {form} modulator={modulator} offset={offset} pad={pad}")
        print(check(update(d, element, form, modulator), rows=3 if d > 5000 else 5, target=target, offset=offset,
                    pad=pad, seed=i), flush=True)
