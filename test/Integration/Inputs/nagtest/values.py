#===- nagtest/values.py - Random arguments ----------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""Random arguments of programs: like those of nag-run, but in the test's hands."""

import numpy as np

from . import arrays

#: A modulator of 1/2 whatever the row is, so that the update is known in closed form.
NEUTRAL = dict(alpha=1, beta=1, b=[0], logits=[0])


def neutral(d):
    return dict(NEUTRAL, w=np.zeros((1, d)))


def random(program, tokens=(), seed=0):
    """Values for every argument, rounded to its type. `tokens` are the sizes of the dynamic dimensions."""
    generator = np.random.default_rng(seed)
    values = {}
    for name, sizes, element in program.args:
        dynamic = iter(tokens)
        shape = tuple(next(dynamic) if size == "?" else size for size in sizes)
        value = {"alpha": .7, "beta": .5}.get(name)
        if value is None:
            value = generator.uniform(size=shape) if name == "m" else generator.normal(size=shape)
            if name == "w":
                value *= .02
            if name == "direction" or name == "stream" and any(arg[0] == "log_norm" for arg in program.args):
                value = arrays.normalize(value) if value.size else value
        values[name] = arrays.cast(value, element)
    return values
