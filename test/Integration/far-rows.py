#===- far-rows.py - Rows past 2^31 elements ---------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Rows whose offset does not fit into 32 bits: views with gaps so wide that only the pages of the rows are there."""

import mmap
import sys

import numpy as np

from nagtest import Entry, cast, dtype, main, same_bits, update

# Named by Python 3.13 and later only; the value is Linux's on x86 and Arm.
MAP_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
STRIDE, TOKENS, WIDTH = 2 ** 20, 2049 + 16, 256


def far_view(element):
    """Rows that lie 2^20 elements apart, in memory that costs nothing until it is written."""
    size = TOKENS * STRIDE * dtype(element).itemsize
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    # Of huge pages, each row would cost 2 MB.
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype(element)).reshape(TOKENS, STRIDE)[:, :WIDTH]


def test_far_rows():
    for element in ["bf16", "f32"]:
        try:
            stream, f, result = (far_view(element) for _ in range(3))
        except OSError as error:
            print(f"{element}: skipped, {error}")
            continue
        assert (TOKENS - 1) * STRIDE > 2 ** 31
        stream[...] = 1
        f[-1] = np.where(np.arange(WIDTH) % 2, -1, 1)
        entry = Entry(update(WIDTH, element))
        entry.call(dict(stream=stream, f=f, alpha=np.array(.5, np.float32)), dict(updated=result))
        assert np.all(result[:-1] == 1)
        expected = cast(1 + .5 * f[-1].astype(np.float64), element)
        assert same_bits(np.array(result[-1]), expected)


if sys.maxsize < 2 ** 40:
    print("skipped: addresses of 32 bits")
else:
    main(globals())
