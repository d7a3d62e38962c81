#===- schedules.py - Every width under every schedule -----------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""Runs the update of some storage types in every width under every schedule that serves it, with and without blocks that
stay, on aligned rows and on others: the reference is met, and all of them give the same bits. Without types it runs the
small operations."""

import itertools
import os
import sys
import tempfile

from nagtest import (TARGETS, center, check, merge, modulate, orthogonalize, rotate, scale, split, update)

WIDTHS = [1, 2, 3, 7, 8, 33, 100, 127, 129, 768, 769, 1600, 2880, 4096, 5120, 12288, 16384, 65536]
# The widest row that a schedule serves.
LIMITS = {"warp": 1024, "block": 8192, "stream": 2 ** 30}
# Elements before the first row and between rows, none of which leaves 16-bit rows aligned.
UNALIGNED = [(1, 0), (2, 1), (4, 4), (1, 7), (4, 3), (2, 8)]
# A block of warps has rows of several tokens, and not all of its last ones.
ROWS = [5, 1, 3]


def run(program, rows, **how):
    """The bytes of every result, which have been compared with the reference."""
    with tempfile.TemporaryDirectory() as folder:
        options = [*how.pop("options"), f"--out={folder}"]
        print(check(program, rows=rows, target="simt", options=options, **how), end="", flush=True)
        results = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                results[name] = file.read()
        return results


def compare(program, d, rows, number, persistent):
    first = None
    for i, schedule in enumerate(kind for kind, limit in LIMITS.items() if d <= limit):
        layouts = [(0, 0), UNALIGNED[(number + i) % len(UNALIGNED)]]
        for (offset, pad), stays in zip(layouts, ["off", persistent] if (number + i) % 2 else [persistent, "off"]):
            print(f"{program.args[0]} rows={rows} {schedule} persistent={stays} offset={offset} pad={pad}")
            results = run(program, rows, offset=offset, pad=pad, seed=number,
                          options=[f"--schedule={schedule}", f"--persistent={stays}"])
            first = first or results
            assert results and results == first, "other bits"


def sweep(mixtures):
    forms = itertools.cycle(itertools.product(["residual", "lanes"], [8, None, 3, "given"]))
    for number, ((stream, branch, w), (i, d)) in enumerate(itertools.product(mixtures, enumerate(WIDTHS))):
        form, modulator = next(forms)
        rows = ROWS[number % len(ROWS)] if d <= 8192 else 1 + number % 2
        # Where there is a w, it may not fit.
        persistent = "auto" if isinstance(modulator, int) else "on"
        compare(update(d, stream, form, modulator, branch, w), d, rows, number, persistent)


def small_operations():
    number = 0
    for d, wide, element in [(769, "f32", "bf16"), (1024, "f32", "f32"), (33, "f16", "f16")]:
        for program in [split(d, wide, element), merge(d, element), center(d, element),
                        orthogonalize(d, wide, element), scale(d, wide, element), modulate(d, 13, element),
                        rotate(d, element, unit=wide), rotate(d, element, "lanes", unit=wide)]:
            compare(program, d, 5, number, "on")
            number += 1


if "simt" not in TARGETS:
    print("skipped: kernels need the toolkit's libdevice")
elif sys.argv[1:]:
    # stream:branch:w
    sweep([mixture.split(":") for mixture in sys.argv[1:]])
else:
    small_operations()
