#===- graphs.py - Random graphs of nag and element-wise operations ------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""What fusion makes of any graph has the bits that a kernel for each operation gives; element-wise operations meet the
reference, and give the bits that NumPy's types give."""

import os
import tempfile

import ml_dtypes
import numpy as np

from nagtest import ARITHMETIC, TARGETS, cast, evaluate, main, run_tool, same_bits, tool
from nagtest.programs import Program


class Graph:
    """A function that grows by operations on random values; values are (name, kind, element type), where the kind is
    rows or numbers."""

    def __init__(self, generator, d, elements, tokens):
        self.generator, self.d, self.tokens = generator, d, tokens
        self.wide = "f64" if "f64" in elements else "f32"
        self.lines, self.values = [], []
        self.arguments = {}
        for i, element in enumerate(elements):
            self.argument(f"x{i}", "rows", element)
        self.argument("n0", "numbers", self.wide)
        for name, sizes in [("alpha", ""), ("beta", ""), ("b", "3x"), ("logits", "3x")]:
            self.arguments[name] = f"tensor<{sizes}{self.wide}>"
        for element in set(elements):
            self.arguments[f"w_{element}"] = f"tensor<3x{d}x{element}>"

    def argument(self, name, kind, element):
        self.arguments[name] = self.type(kind, element)
        self.values.append((name, kind, element))

    def type(self, kind, element):
        tokens = "".join(f"{size}x" for size in self.tokens)
        return f"tensor<{tokens}{str(self.d) + 'x' if kind == 'rows' else ''}{element}>"

    def pick(self, kind, element=None):
        found = [value for value in self.values if value[1] == kind and element in (None, value[2])]
        return found[int(self.generator.integers(len(found)))] if found else None

    def add(self, text, kind, element, prefix="v"):
        name = f"{prefix}{len(self.lines)}"
        self.lines.append(f"%{name} = {text}")
        self.values.append((name, kind, element))

    def elementwise(self):
        kind = "rows" if self.generator.random() < 0.75 else "numbers"
        x = self.pick(kind)
        y, z = self.pick(kind, x[2]), self.pick(kind, x[2])
        t = self.type(kind, x[2])
        choice = self.generator.integers(6)
        if choice < 2:
            op = self.generator.choice(["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minnumf"])
            self.add(f"{op} %{x[0]}, %{y[0]} : {t}", kind, x[2])
        elif choice == 2:
            op = self.generator.choice(["arith.negf", "math.absf"])
            self.add(f"{op} %{x[0]} : {t}", kind, x[2])
        elif choice == 3:
            self.lines.append(f"%c{len(self.lines)} = arith.cmpf olt, %{x[0]}, %{y[0]} : {t}")
            condition = f"%c{len(self.lines) - 1}"
            self.add(f"arith.select {condition}, %{z[0]}, %{x[0]} : {t.replace(x[2] + '>', 'i1>')}, {t}", kind, x[2])
        elif x[2] in ("bf16", "f16"):
            self.add(f"arith.extf %{x[0]} : {t} to {self.type(kind, 'f32')}", kind, "f32")
        elif x[2] == "f32" and kind == "rows":
            self.add(f"arith.truncf %{x[0]} : {t} to {self.type(kind, 'bf16')}", kind, "bf16")

    def nag(self):
        x = self.pick("rows")
        y, n = self.pick("rows", x[2]), self.pick("numbers")
        t, number = self.type("rows", x[2]), self.type("numbers", self.wide)
        alpha, i = self.arguments["alpha"], len(self.lines)
        choice = self.generator.integers(6)
        if choice == 0:
            self.lines.append(f"%D{i}, %s{i} = nag.split %{x[0]} : {t} -> {t}, {number}")
            self.values += [(f"D{i}", "rows", x[2]), (f"s{i}", "numbers", self.wide)]
        elif choice == 1:
            self.add(f"nag.merge %{x[0]}, %{n[0]} : {t}, {number} -> {t}", "rows", x[2])
        elif choice == 2:
            self.add(f"nag.center %{x[0]} : {t} -> {t}", "rows", x[2])
        elif choice == 3 and f"w_{x[2]}" in self.arguments:
            w, vector = self.arguments[f"w_{x[2]}"], self.arguments["b"]
            self.add(f"nag.modulate %{x[0]} by(%beta, %w_{x[2]}, %b, %logits) : ({t}, {alpha}, {w}, {vector}, {vector}) "
                     f"-> {number}", "numbers", self.wide)
        elif choice == 4:
            self.lines.append(f"%D{i}, %s{i} = nag.update %{x[0]}, %{n[0]} branch %{y[0]} alpha %alpha : "
                              f"({t}, {number}, {t}, {alpha}) -> ({t}, {number})")
            self.values += [(f"D{i}", "rows", x[2]), (f"s{i}", "numbers", self.wide)]
        else:
            self.add(f"nag.update %{x[0]} branch %{y[0]} alpha %alpha modulated_by %{n[0]} : "
                     f"({t}, {t}, {alpha}, {number}) -> {t}", "rows", x[2])

    def text(self):
        made = self.values[len(self.arguments) - 4 - sum(name.startswith("w_") for name in self.arguments):]
        # Some of what is made leaves, the last of it always.
        results = [value for value in made[:-1] if self.generator.random() < 0.3] + made[-1:]
        arguments = ", ".join(f"%{name}: {kind}" for name, kind in self.arguments.items())
        names, types = ", ".join(f"%{name}" for name, _, _ in results), ", ".join(self.type(k, e) for _, k, e in results)
        lines = "\n  ".join(self.lines)
        return f"func.func @f({arguments}) -> ({types}) {{\n  {lines}\n  return {names} : {types}\n}}\n"


def random_graph(seed):
    generator = np.random.default_rng(seed)
    elements = [["bf16", "bf16"], ["f32", "bf16", "f32"], ["f16", "f16"], ["f32", "f32", "f32"], ["f64", "f64"]][seed % 5]
    d = int(generator.choice([1, 7, 33, 96, 769]))
    graph = Graph(generator, d, elements, [("?",), ("?", 3), (4,)][seed % 3])
    for _ in range(int(generator.integers(2, 9))):
        graph.elementwise() if generator.random() < 0.5 else graph.nag()
    if len(graph.values) == len(elements) + 1:
        graph.elementwise(), graph.nag()
    return graph.text()


def run(text, folder, *options):
    run_tool([tool("nag-run"), "-", "--rows=4", f"--out={folder}", *options], text)
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}


def compare(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        apart = run(text, os.path.join(folder, "apart"), "--no-fuse", *options)
        fused = run(text, os.path.join(folder, "fused"), *options)
        assert apart == fused and apart, text


def seeds(count):
    """NAG_TEST_GRAPHS=first:count looks at others."""
    first, _, wanted = os.environ.get("NAG_TEST_GRAPHS", "0").partition(":")
    return range(int(first), int(first) + (int(wanted) if wanted else count))


def test_cpu():
    for seed in seeds(40):
        compare(random_graph(seed))


def test_simt():
    if "simt" not in TARGETS:
        return
    for seed in seeds(10):
        if seed % 5 != 4:
            compare(random_graph(seed), "--target=simt", "--simt-check", "--simt-seed=0,1")


FUNCTIONS = {
    "arith.addf": lambda x, y, z: x + y, "arith.subf": lambda x, y, z: x - y, "arith.mulf": lambda x, y, z: x * y,
    "arith.divf": lambda x, y, z: x / y, "arith.negf": lambda x, y, z: -x, "math.absf": lambda x, y, z: np.abs(x),
    "math.sqrt": lambda x, y, z: np.sqrt(x), "arith.maximumf": lambda x, y, z: np.maximum(x, y),
    "arith.minimumf": lambda x, y, z: np.minimum(x, y), "arith.maxnumf": lambda x, y, z: np.fmax(x, y),
    "arith.minnumf": lambda x, y, z: np.fmin(x, y), "math.exp": None, "math.log": None, "math.log1p": None}


def one_operation(op, element, sizes):
    names = ["x", "y"] if op.startswith("arith.") and op != "arith.negf" else ["x"]
    program = Program("f", [(name, sizes, element) for name in names], [("out", sizes, element)])
    program.operation = f"{op} {', '.join('%' + name for name in names)}"
    kind = program.type(sizes, element)
    arguments = ", ".join(f"%{name}: {kind}" for name in names)
    return program, (f"func.func @f({arguments}) -> {kind} {{\n  %0 = {program.operation} : {kind}\n"
                     f"  return %0 : {kind}\n}}\n")


def test_operations():
    """Alone, on rows, numbers of tokens and a single number, values of all sizes: the reference is met, and what is
    rounded once has the bits of NumPy."""
    generator = np.random.default_rng(0)
    for target in TARGETS:
        for number, (op, function) in enumerate(FUNCTIONS.items()):
            for element in ["bf16", "f32", "f16", "f64"]:
                sizes, shape = [(("?", 33), (5, 33)), (("?",), (7,)), ((), ()), (("?", "?"), (3, 4)), ((9,), (9,))][
                    (number + ["bf16", "f32", "f16", "f64"].index(element)) % 5]
                program, text = one_operation(op, element, sizes)
                values = {}
                for name, _, _ in program.args:
                    scale = 10.0 ** generator.uniform(-3, 3, size=shape)
                    values[name] = np.asarray(cast(generator.standard_normal(shape) * scale, element))
                if len(shape) == 2:
                    values["x"][1, :4] = [np.nan, np.inf, -np.inf, 0][:4]
                out = evaluate(program, values, target, text=text)["out"]
                if function:
                    with np.errstate(all="ignore"):
                        expected = np.asarray(function(values["x"], values.get("y"), None)).astype(out.dtype)
                    nan = np.isnan(expected.astype(np.float64))
                    assert np.array_equal(nan, np.isnan(out.astype(np.float64))), (op, element)
                    assert same_bits(out[~nan], expected[~nan]), (op, element, target, out, expected)


main(globals())
