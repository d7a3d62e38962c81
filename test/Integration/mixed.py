#===- mixed.py - Streams, branches and weights of different types -----------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""The update where the stream is wider than the branch, or the weights are f32 beside a 16-bit stream, or the like."""

import itertools

from nagtest import TARGETS, check, main, run_tool, tool, update

# stream, branch, w
MIXTURES = [("f32", "bf16", "f32"), ("f32", "bf16", "bf16"), ("f32", "f16", "f16"), ("f32", "f32", "f32"),
            ("bf16", "bf16", "f32"), ("f16", "f16", "f32")]
# What is refused: no conversion between 16-bit types, no row that is wider than its stream, and f64 is all f64.
REFUSED = [("bf16", "f16", "bf16"), ("f16", "bf16", "f16"), ("bf16", "f32", "bf16"), ("f64", "f32", "f64"),
           ("f64", "f64", "f32"), ("f32", "f64", "f32"), ("f32", "f32", "f64")]
WIDTHS = [1, 7, 129, 1600, 4096]


def test_mixtures():
    for target in TARGETS:
        for i, ((stream, branch, w), d) in enumerate(itertools.product(MIXTURES, WIDTHS)):
            program = update(d, stream, ["residual", "lanes"][i % 2], 5, branch, w)
            check(program, rows=4, target=target, offset=i % 3, pad=i % 5, seed=i)


def test_mixtures_without_modulator():
    for target in TARGETS:
        for i, (stream, branch, _) in enumerate(MIXTURES):
            program = update(769, stream, ["lanes", "residual"][i % 2], [None, "given"][i // 2 % 2], branch)
            check(program, rows=4, target=target, offset=i % 3, pad=i % 5, seed=i)


def test_refused():
    for stream, branch, w in REFUSED:
        done = run_tool([tool("nag-run"), "-", "--rows=1"], update(8, stream, "lanes", 5, branch, w).text(), expect=1)
        assert done.stderr.count("error:") == 1 and "<stdin>:2:" in done.stderr, done.stderr
        assert f"x8x{branch}>" in done.stderr or f"x8x{w}>" in done.stderr, done.stderr


main(globals())
