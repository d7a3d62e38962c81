#===- alignment.py - Where single tensors lie, on GPUs ----------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""One unaligned tensor is enough for a kernel with narrow accesses; every tensor has its own row stride; nothing of it
changes bits. (layout.py does the same by calling entries for the CPU, which nag-run's options do not reach.)"""

from nagtest import TARGETS, evaluate, main, random, same_bits, update

GPU_TARGETS = [target for target in TARGETS if target != "cpu"]


def names(program):
    return [name for name, _, _ in program.args] + ["result " + name for name, _, _ in program.results]


def assert_same(program, values, target, expected, layouts):
    for name, value in evaluate(program, values, target, layouts=layouts).items():
        assert same_bits(value, expected[name]), (name, layouts)


def test_alignment_of_each_argument():
    """Every argument and every result in turn 1, 2 or 4 elements off."""
    cases = [("bf16", "bf16", "bf16", 768, [1, 2, 4]), ("f32", "f32", "f32", 1600, [1]), ("f32", "f16", "f16", 8, [4])]
    for target in GPU_TARGETS:
        for stream, branch, w, d, offsets in cases:
            program = update(d, stream, "lanes", 8, branch, w)
            values = random(program, (3,), seed=d)
            expected = evaluate(program, values, target)
            for name in names(program):
                for offset in offsets:
                    assert_same(program, values, target, expected, {name: (offset, 0)})


def test_strides_of_each_argument():
    """Every argument of rows and every result in turn with gaps that keep rows aligned, and that do not."""
    for target in GPU_TARGETS:
        for form in ["residual", "lanes"]:
            program = update(768, "bf16", form, 3)
            values = random(program, (5,), seed=3)
            expected = evaluate(program, values, target)
            for name in ["stream", "f", "w", "result updated"]:
                for pad in [1, 8]:
                    assert_same(program, values, target, expected, {name: (0, pad)})


def test_all_strides_differ():
    """Views of wider tensors: no row stride is another's, on either path."""
    for target in GPU_TARGETS:
        for element, d in [("bf16", 768), ("f32", 129), ("f16", 4096)]:
            program = update(d, element, modulator=8)
            values = random(program, (5,), seed=d)
            expected = evaluate(program, values, target)
            for unit in [8, 1]:
                assert_same(program, values, target, expected,
                            {"stream": (unit, 2 * d), "f": (3 * unit, d + 5 * unit), "w": (0, 7 * unit),
                             "result updated": (2 * unit, d + 9 * unit)})


main(globals())
