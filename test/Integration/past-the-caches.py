#===- past-the-caches.py - Large destinations on the CPU ----------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Large destinations are written past the CPU's caches, small ones and rows that begin within a cache line are not: the
rows are the same, bit for bit, and nothing beside them is written."""

import numpy as np

from nagtest import Entry, Guarded, cast, main, same_bits, update

#: Destinations of more bytes than this go past the caches (lib/Conversion/RowToCPU).
LIMIT = 16 << 20


def rows_of(element, d, count):
    rng = np.random.default_rng(d)
    # A few rows, repeated: what a row becomes does not depend on where it is.
    few = cast(rng.normal(size=(2, 7, d)), element)
    index = np.arange(count) % 7
    return few[0][index], few[1][index], index


def compare(element, d, offset, pad):
    bytes_per_row = d * np.dtype(cast(0, element).dtype).itemsize
    count = LIMIT // bytes_per_row + 9
    stream, f, index = rows_of(element, d, count)
    entry = Entry(update(d, element))
    alpha = cast(0.5, "f32")
    expected = entry(stream=stream[:7], f=f[:7], alpha=alpha)["updated"]
    out = Guarded((count, d), element, offset=offset, stride=d + pad)
    entry.call(dict(stream=stream, f=f, alpha=alpha), dict(updated=out.array))
    assert out.intact()
    assert same_bits(np.ascontiguousarray(out.array), np.ascontiguousarray(expected[index])), (element, d, offset, pad)


def test_rows_at_cache_lines():
    for element, d in [("bf16", 4096), ("f32", 1024), ("f16", 2880), ("bf16", 96)]:
        compare(element, d, offset=0, pad=0)


def test_rows_within_cache_lines():
    """Some rows begin at a line, most do not."""
    compare("bf16", 769, offset=0, pad=0)
    compare("f32", 100, offset=1, pad=3)


main(globals())
