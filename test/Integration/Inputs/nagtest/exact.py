#===- nagtest/exact.py - The update in double precision ---------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""The equations of the update in NumPy's doubles, for ordinary rows: what a test expects where it has no closed form.
(The judge of all rows is nag-run's reference; this is a second opinion that a test can take apart.)"""

import numpy as np

from .arrays import ulp


def rms(x):
    return np.sqrt(np.mean(x * x, axis=-1, keepdims=True))


def unit(stream, f):
    """u: f centred, without its part along the stream, of RMS 1."""
    stream, f = np.asarray(stream, np.float64), np.asarray(f, np.float64)
    D = stream / rms(stream)
    centered = f - f.mean(axis=-1, keepdims=True)
    P = centered - np.mean(centered * D, axis=-1, keepdims=True) * D
    return P / rms(P)


def modulator(stream, beta, w, b, logits):
    """m, [tokens]."""
    stream = np.asarray(stream, np.float64)
    t = (stream / rms(stream)) @ np.asarray(w, np.float64).T + np.asarray(b, np.float64)
    logits = np.asarray(logits, np.float64)
    z = logits - np.logaddexp.reduce(logits) - np.logaddexp(0, -t)
    return np.exp(np.float64(beta) * np.logaddexp.reduce(z, axis=-1))


def updated(stream, f, amount):
    """R' for a = `amount`, a number or [tokens]."""
    stream = np.asarray(stream, np.float64)
    return stream + rms(stream) * np.expand_dims(np.asarray(amount, np.float64), -1) * unit(stream, f)


def assert_rows_near(actual, exact, element, units=None, more=0.0):
    """Within the promise for rows: `units` (16 in f32, 64 in f64, 1 in the 16-bit types) of the unit in the last place
    of max(|x|, rms of the row); `more` is a relative error that the operands bring along."""
    units = {"f32": 16, "f64": 64, "bf16": 1, "f16": 1}[element] if units is None else units
    actual = np.asarray(actual, np.float64)
    scale = np.maximum(np.abs(exact), rms(exact))
    excess = np.abs(actual - exact) / scale / (units * ulp(element) + more)
    assert np.all(excess <= 1), f"{np.nanmax(excess):.3g} times the allowed error, at {np.unravel_index(np.nanargmax(excess), excess.shape)}"
