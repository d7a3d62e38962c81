#===- nagtest/arrays.py - Arrays of all element types -----------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""NumPy arrays of the storage types: in files, compared by their bits, and laid out with guard bytes around them."""

import ml_dtypes
import numpy as np

DTYPES = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "f16": np.dtype(np.float16),
          "bf16": np.dtype(ml_dtypes.bfloat16)}
#: Bits of the significand, the leading one included.
PRECISION = {"f32": 24, "f64": 53, "f16": 11, "bf16": 8}

GUARD = 0xAB


def dtype(element):
    return DTYPES[element]


def cast(values, element):
    """To nearest even, whatever overflows becoming infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values).astype(DTYPES[element])


def save(path, array):
    np.save(path, array)


def load(path, element):
    """bf16 comes as two bytes that NumPy has no name for."""
    array = np.load(path)
    return array.view(DTYPES[element]) if element == "bf16" else array


def same_bits(a, b):
    """Whether two arrays are equal bit for bit, signs of zeros and NaNs included."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def normalize(rows):
    """Rows of RMS 1."""
    rows = np.asarray(rows, np.float64)
    return rows / np.sqrt(np.mean(rows * rows, axis=-1, keepdims=True))


def ulp(element):
    """The unit in the last place of 1."""
    return 2.0 ** (1 - PRECISION[element])


class Guarded:
    """An array in the middle of a buffer of guard bytes: `offset` elements before the first row, `stride` elements from
    one row to the next, `step` from one element to the next."""

    def __init__(self, shape, element, offset=0, stride=None, step=1, values=None):
        kind = DTYPES[element]
        width = shape[-1] if shape else 1
        rows = int(np.prod(shape[:-1], dtype=np.int64)) if shape else 1
        stride = width * step if stride is None else stride
        # 64 bytes on either side; NumPy's own alignment does not matter, the start is cut to a multiple of 64.
        count = offset + max(rows - 1, 0) * stride + width * step
        raw = np.full(count * kind.itemsize + 192, GUARD, np.uint8)
        start = 64 + -raw.ctypes.data % 64
        self.buffer = raw[start - 64:start + count * kind.itemsize + 64]
        base = raw[start:start + count * kind.itemsize].view(kind)[offset:]
        strides = [step * kind.itemsize]
        for size in reversed(shape[:-1]):
            strides.insert(0, stride * kind.itemsize)
            stride *= size
        self.array = np.lib.stride_tricks.as_strided(base, shape, strides if shape else ())
        # Where the elements are, found by writing them.
        self.array[...] = np.zeros((), kind)
        self.inside = self.buffer != GUARD
        self.array[...] = np.frombuffer(bytes([0xFF] * kind.itemsize), kind)[0] if values is None else values

    def intact(self):
        """Whether every byte outside the elements is as it was."""
        return bool(np.all(self.buffer[~self.inside] == GUARD))
