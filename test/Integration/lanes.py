#===- lanes.py - Streams that go through lanes ------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Sub-layers written in residual form and compiled with --lanes: the reference of the lane program is met, and the
residual form without any rounding within a unit for each time that the stream is stored."""

import numpy as np

from nagtest import ARITHMETIC, TARGETS, assert_rows_near, cast, evaluate, exact, main, normalize, run_tool, same_bits, tool
from nagtest.programs import Program


class Chain(Program):
    """Updates of one stream, each of which is given its branch and gives the direction before it."""

    def text(self):
        d, element, branch, modulators = self.attributes
        rows, number = f"tensor<?x{d}x{element}>", ARITHMETIC[element]
        lines, kinds = [], {name: self.type(sizes, kind) for name, sizes, kind in self.args}
        for i, C in enumerate(modulators):
            lines.append(f"%D{i}, %s{i} = nag.split %R{i} : {rows} -> {rows}, tensor<?x{number}>")
            operands, results, text = [f"R{i}", f"f{i}", "alpha"], [rows], f"nag.update %R{i} branch %f{i} alpha %alpha"
            if C:
                operands += ["beta", f"w{i}", f"b{i}", f"logits{i}"]
                text += f" modulator(%beta, %w{i}, %b{i}, %logits{i})"
                results.append(f"tensor<?x{number}>")
            types = ", ".join(rows if name == f"R{i}" else kinds[name] for name in operands)
            left = f"%R{i + 1}" + (f", %m{i}" if C else "")
            lines.append(f"{left} = {text} : ({types}) -> ({', '.join(results)})")
        arguments = ", ".join(f"%{name}: {kind}" for name, kind in kinds.items())
        names = ", ".join(f"%{name}" for name, _, _ in self.results)
        types = ", ".join(self.type(sizes, kind) for _, sizes, kind in self.results)
        body = "\n  ".join(lines)
        return f"func.func @chain({arguments}) -> ({types}) {{\n  {body}\n  return {names} : {types}\n}}\n"


def chain(d, element, branch, modulators):
    number, rows = ARITHMETIC[element], ("?", d)
    args = [("R0", rows, element), ("alpha", (), number), ("beta", (), number)]
    for i, C in enumerate(modulators):
        args.append((f"f{i}", rows, branch))
        if C:
            args += [(f"w{i}", (C, d), element), (f"b{i}", (C,), number), (f"logits{i}", (C,), number)]
    results = []
    for i, C in enumerate(modulators):
        results += [(f"D{i}", rows, element), (f"s{i}", ("?",), number)] + ([(f"m{i}", ("?",), number)] if C else [])
    return Chain("chain", args, results + [(f"R{len(modulators)}", rows, element)],
                 attributes=(d, element, branch, modulators))


def random_values(program, generator, tokens):
    values = {}
    for name, sizes, element in program.args:
        sizes = [tokens if size == "?" else size for size in sizes]
        scale = 0.02 if name.startswith("w") else 1
        values[name] = cast(scale * generator.standard_normal(sizes), element)
    values["alpha"], values["beta"] = (np.asarray(x, values["alpha"].dtype) for x in generator.uniform(0.1, 1.5, 2))
    return values


def compare(program, values, target):
    d, element, _, modulators = program.attributes
    out = evaluate(program, values, target, options=["--lanes"])
    apart = evaluate(program, values, target, options=["--lanes", "--no-fuse"], checked=False)
    assert all(same_bits(out[name], apart[name]) for name in out)
    R = np.asarray(values["R0"], np.float64)
    units = 16 if element == "f32" else 1
    for i, C in enumerate(modulators):
        # The stream has been rounded i + 1 times, which also moves what is orthogonal to it.
        assert_rows_near(out[f"D{i}"], normalize(R), element, units * (i + 1) * (1 if i == 0 else 1.5))
        amount = np.float64(values["alpha"])
        if C:
            parameters = [np.asarray(values[name], np.float64) for name in ["beta", f"w{i}", f"b{i}", f"logits{i}"]]
            m = exact.modulator(R, *parameters)
            assert np.all(np.abs(out[f"m{i}"] - m) <= m * (i + 1) * (2.0 ** -6 if element in ("bf16", "f16") else 2.0 ** -17))
            amount = amount * m
        R = exact.updated(R, values[f"f{i}"], amount)
    n = len(modulators)
    assert_rows_near(out[f"R{n}"], R, element, units * (n + 2) * 1.5)


def test_random_chains():
    generator = np.random.default_rng(4)
    for target in TARGETS:
        for number in range(16 if target == "cpu" else 4):
            element, branch = [("bf16", "bf16"), ("f32", "bf16"), ("f16", "f16"), ("f32", "f32")][number % 4]
            d = int(generator.choice([64, 129, 768, 1000, 4096]))
            modulators = [int(C) for C in generator.choice([0, 0, 1, 8], size=int(generator.integers(2, 6)))]
            program = chain(d, element, branch, modulators)
            compare(program, random_values(program, generator, 4), target)


def test_hard_rows():
    """Zero rows stay zero, a NaN or an infinity stays in its row, and no row is too long or too short for lanes."""
    for target in TARGETS:
        for element, large in [("bf16", 1e30), ("f32", 1e30), ("f16", 1e3)]:
            program = chain(96, element, element, [2, 0, 0])
            values = random_values(program, np.random.default_rng(1), 7)
            R = values["R0"]
            R[0] = 0
            R[1, 5] = np.nan
            R[2, 3] = np.inf
            R[3] = cast(R[3].astype(np.float64) * large, element)
            R[4] = cast(R[4].astype(np.float64) / large, element)
            values["f0"][5] = 0
            values["f0"][6, 0] = np.nan
            out = {name: np.asarray(value, np.float64) for name, value in
                   evaluate(program, values, target, options=["--lanes"]).items()}
            assert np.all(out["R3"][0] == 0) and np.all(out["D2"][0] == 0) and np.all(np.isneginf(out["s2"][[0]]))
            for row in (1, 2, 6):
                assert np.any(~np.isfinite(out["R3"][row]))
            for row in (3, 4, 5):
                assert np.all(np.isfinite(out["R3"][row]))
                assert np.isclose(np.sqrt(np.mean(out["D2"][row] ** 2)), 1, atol=2 ** -8)
            assert np.array_equal(out["D1"][5], out["D0"][5]) and out["s1"][5] == out["s0"][5]


def test_lanes_are_taken():
    """What was compiled is the lane form; without the option it is not."""
    text = chain(64, "bf16", "bf16", [0, 0]).text()
    for options, wanted in [([], False), (["--lanes"], True)]:
        rows = run_tool([tool("nagc"), "-", "--target=cpu", "--emit=row", "-o", "-", *options], text).stdout
        assert ("log1p" in rows) == wanted, rows


main(globals())
