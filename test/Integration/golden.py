#===- golden.py - The golden row --------------------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""One update whose values were computed once by decimal arithmetic of 80 digits, in both forms."""

import numpy as np

from nagtest import TARGETS, evaluate, main, modulate, update

ROW = dict(stream=[[1, 2, -2, 4]], f=[[.5, -1, 3, 2]], alpha=1, beta=.5, w=[[.5, -.25, 0, .125], [-.5, .25, .5, 0]],
           b=[0, -1], logits=[0, 1])
RHO, M = 2.5, .540821876
UNIT = np.array([[-.294476379, -1.20244521, 1.02716165, 1.18842253]])
UPDATED = np.array([[.601851831, .374228309, -.611221266, 5.60681225]])
# The values above are rounded to nine digits; f32 promises six of a row of this size.
DIGITS = {"f64": 5e-9, "f32": 2e-6}


def near(actual, expected, relative):
    actual = np.asarray(actual, np.float64)
    assert np.all(np.abs(actual - expected) <= relative * np.abs(expected)), f"got {actual}, expected {expected}"


def test_residual():
    for target in TARGETS:
        for element, relative in DIGITS.items():
            out = evaluate(update(4, element, modulator=2), ROW, target)
            near(out["updated"], UPDATED, relative)
            near(out["m"], [M], relative)


def test_lanes():
    """D = R / rho and s = log rho give the same row on the lanes."""
    lanes = dict(ROW, stream=np.array(ROW["stream"]) / RHO, log_norm=[np.log(RHO)])
    norm = RHO * np.sqrt(1 + M * M)
    for target in TARGETS:
        for element, relative in DIGITS.items():
            out = evaluate(update(4, element, "lanes", 2), lanes, target)
            near(out["updated"], UPDATED / norm, relative)
            near(out["log_norm"], [np.log(norm)], relative)
            near(out["m"], [M], relative)


def test_modulator():
    for target in TARGETS:
        for element, relative in DIGITS.items():
            near(evaluate(modulate(4, 2, element), dict(ROW, direction=ROW["stream"]), target)["m"], [M], relative)


def test_unit():
    """With alpha = 1 and no modulator, R' - R is rho u."""
    for target in TARGETS:
        out = evaluate(update(4, "f64"), ROW, target)["updated"]
        near((out - ROW["stream"]) / RHO, UNIT, DIGITS["f64"])


main(globals())
