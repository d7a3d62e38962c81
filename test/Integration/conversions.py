#===- conversions.py - Rounding to the 16-bit types -------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Every 16-bit number is read exactly, and f32 is rounded to the nearest one, on processors with and without
instructions for it."""

import platform

import numpy as np

from nagtest import TARGETS, Entry, dtype, evaluate, main, orthogonalize

PROCESSORS = ["x86-64", "x86-64-v3", "native"] if platform.machine() == "x86_64" else ["native"]
SMALLEST_NORMAL = {"f16": 2.0 ** -14, "bf16": 2.0 ** -126}


def convert(values, source, result, target, mcpu):
    """A row of one element that has no direction to lose is copied into another type."""
    program = orthogonalize(1, source, "f32", result)
    rows = np.asarray(values).reshape(-1, 1)
    return evaluate(program, dict(f=rows, direction=np.zeros(rows.shape)), target, checked=False, mcpu=mcpu)["orthogonal"][:, 0]


def each():
    for target in TARGETS:
        for mcpu in PROCESSORS if target == "cpu" else [None]:
            yield target, mcpu


def assert_equal(actual, expected, exact, flushed):
    """Equal, by sign too; NaN is NaN; what is subnormal before it is rounded may be zero."""
    with np.errstate(invalid="ignore"):
        a, e, exact = (np.asarray(x).astype(np.float64) for x in (actual, expected, exact))
    good = (a == e) & (np.signbit(a) == np.signbit(e)) | np.isnan(a) & np.isnan(e) | (a == 0) & (np.abs(exact) < flushed)
    assert np.all(good), (a[~good][:5], e[~good][:5])


def test_reading():
    for target, mcpu in each():
        for element in ["f16", "bf16"]:
            values = np.arange(2 ** 16, dtype=np.uint16).view(dtype(element))
            # An infinity has no part along a direction, not even along none: that is a NaN, and correct.
            values = values[~np.isinf(values.astype(np.float32))]
            assert_equal(convert(values, element, "f32", target, mcpu), values.astype(np.float32), values, SMALLEST_NORMAL[element])


def test_rounding():
    """Every number, the middle to the next one, and what lies beside the middle."""
    for target, mcpu in each():
        for element in ["f16", "bf16"]:
            numbers = np.arange(2 ** 15, dtype=np.uint16).view(dtype(element))
            numbers = numbers[np.isfinite(numbers)].astype(np.float64)
            # As if the range went on: halfway to it begins infinity.
            middles = np.append((numbers[1:] + numbers[:-1]) / 2, numbers[-1] + (numbers[-1] - numbers[-2]) / 2)
            with np.errstate(over="ignore"):
                middles = middles.astype(np.float32)
            values = np.concatenate([numbers.astype(np.float32), middles, np.nextafter(middles, np.float32(0)),
                                     np.nextafter(middles, np.float32(np.inf)), np.float32([np.nan])])
            values = np.concatenate([values, -values])
            with np.errstate(over="ignore"):
                expected = values.astype(dtype(element))
            assert_equal(convert(values, "f32", element, target, mcpu), expected, values, SMALLEST_NORMAL[element])


def test_printed_values():
    cases = {.49990: .5, 65519: 65504, 65520: np.inf, -65520: -np.inf, 6e-8: 2.0 ** -24, 0.0: 0.0, -0.0: -0.0, np.nan: np.nan}
    for target, mcpu in each():
        for value, expected in cases.items():
            out = convert([value], "f32", "f16", target, mcpu)
            assert_equal(out, np.float16([expected]), [value], 2.0 ** -14)


def test_baseline_links():
    """A library for any x86 loads: it asks for no conversion that the compiler's run-time library may lack."""
    for mcpu in PROCESSORS:
        for element in ["f16", "bf16"]:
            Entry(orthogonalize(33, "f32", "f32", element), mcpu)


main(globals())
