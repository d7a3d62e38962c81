#===- nagtest/programs.py - Functions of one nag operation ------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""Text of functions that hold one nag operation each, by width, element types, form, modulator and token dimensions."""

from dataclasses import dataclass, field

#: The type that rows of a type are computed in, which is also that of token scalars and parameters.
ARITHMETIC = {"f32": "f32", "bf16": "f32", "f16": "f32", "f64": "f64"}


@dataclass
class Program:
    """A function of one operation. Arguments and results are (name, sizes, element type); "?" is a dynamic size."""

    name: str
    args: list
    results: list
    #: The operation without its results and types, and how it writes its types.
    operation: str = ""
    types: str = "functional"
    attributes: dict = field(default_factory=dict)

    @staticmethod
    def type(sizes, element):
        return "tensor<" + "".join(f"{size}x" for size in sizes) + element + ">"

    def function(self):
        operands = [self.type(sizes, element) for _, sizes, element in self.args]
        results = [self.type(sizes, element) for _, sizes, element in self.results]
        if self.types == "functional":
            types = f"({', '.join(operands)}) -> ({', '.join(results)})"
        else:
            types = f"{', '.join(operands)} -> {', '.join(results)}"
        attributes = ", ".join(f"{key} = {value}" for key, value in self.attributes.items())
        values = ", ".join(f"%result_{name}" for name, _, _ in self.results)
        arguments = ", ".join(f"%{name}: {kind}" for (name, _, _), kind in zip(self.args, operands))
        return (f"func.func @{self.name}({arguments}) -> ({', '.join(results)}) {{\n"
                f"  {values} = {self.operation}{' {' + attributes + '}' if attributes else ''} : {types}\n"
                f"  return {values} : {', '.join(results)}\n}}\n")

    text = function

    def index(self, name):
        return [arg[0] for arg in self.args].index(name)


def _modulator(tokens, d, modulator, w, arithmetic):
    """Operands of `modulator(...)`."""
    return [("beta", (), arithmetic), ("w", (modulator, d), w), ("b", (modulator,), arithmetic),
            ("logits", (modulator,), arithmetic)]


def update(d, stream="f32", form="residual", modulator=None, branch=None, w=None, tokens=("?",), tol=None,
           name="update"):
    """nag.update; `modulator` is None, "given", or C where it is computed."""
    arithmetic, tokens, lanes = ARITHMETIC[stream], tuple(tokens), form == "lanes"
    args = [("stream", tokens + (d,), stream)]
    args += [("log_norm", tokens, arithmetic)] if lanes else []
    args += [("f", tokens + (d,), branch or stream), ("alpha", (), arithmetic)]
    results = [("updated", tokens + (d,), stream)] + ([("log_norm", tokens, arithmetic)] if lanes else [])
    text = f"nag.update %stream{', %log_norm' if lanes else ''} branch %f alpha %alpha"
    if modulator == "given":
        args.append(("m", tokens, arithmetic))
        text += " modulated_by %m"
    elif modulator is not None:
        args += _modulator(tokens, d, modulator, w or stream, arithmetic)
        results.append(("m", tokens, arithmetic))
        text += " modulator(%beta, %w, %b, %logits)"
    return Program(name, args, results, text, attributes={} if tol is None else {"tol": f"{tol:e} : f64"})


def split(d, residual="f32", direction=None, tokens=("?",), name="split"):
    tokens = tuple(tokens)
    return Program(name, [("stream", tokens + (d,), residual)],
                   [("direction", tokens + (d,), direction or residual), ("log_norm", tokens, ARITHMETIC[residual])],
                   "nag.split %stream", "arrow")


def merge(d, direction="f32", residual=None, tokens=("?",), name="merge"):
    tokens = tuple(tokens)
    return Program(name, [("direction", tokens + (d,), direction), ("log_norm", tokens, ARITHMETIC[direction])],
                   [("residual", tokens + (d,), residual or direction)], "nag.merge %direction, %log_norm", "arrow")


def center(d, branch="f32", centered=None, tokens=("?",), name="center"):
    tokens = tuple(tokens)
    return Program(name, [("f", tokens + (d,), branch)],
                   [("centered", tokens + (d,), centered or ARITHMETIC[branch])], "nag.center %f", "arrow")


def orthogonalize(d, centered="f32", direction="f32", orthogonal=None, tokens=("?",), name="orthogonalize"):
    tokens = tuple(tokens)
    return Program(name, [("f", tokens + (d,), centered), ("direction", tokens + (d,), direction)],
                   [("orthogonal", tokens + (d,), orthogonal or centered)],
                   "nag.orthogonalize %f against %direction", "arrow")


def scale(d, orthogonal="f32", branch="f32", unit=None, tokens=("?",), tol=None, name="scale"):
    tokens = tuple(tokens)
    return Program(name, [("orthogonal", tokens + (d,), orthogonal), ("f", tokens + (d,), branch)],
                   [("unit", tokens + (d,), unit or orthogonal)], "nag.scale %orthogonal relative_to %f", "arrow",
                   {} if tol is None else {"tol": f"{tol:e} : f64"})


def modulate(d, C, direction="f32", w=None, tokens=("?",), name="modulate"):
    tokens, arithmetic = tuple(tokens), ARITHMETIC[direction]
    return Program(name, [("direction", tokens + (d,), direction)] +
                   _modulator(tokens, d, C, w or direction, arithmetic), [("m", tokens, arithmetic)],
                   "nag.modulate %direction by(%beta, %w, %b, %logits)")


def rotate(d, stream="f32", form="residual", modulated=True, unit="f32", tokens=("?",), name="rotate"):
    arithmetic, tokens, lanes = ARITHMETIC[stream], tuple(tokens), form == "lanes"
    args = [("stream", tokens + (d,), stream)] + ([("log_norm", tokens, arithmetic)] if lanes else [])
    args += [("unit", tokens + (d,), unit), ("alpha", (), arithmetic)]
    args += [("m", tokens, arithmetic)] if modulated else []
    text = f"nag.rotate %stream{', %log_norm' if lanes else ''} towards %unit alpha %alpha"
    return Program(name, args, [("rotated", tokens + (d,), stream)] + ([("log_norm", tokens, arithmetic)] if lanes else []),
                   text + (" modulator %m" if modulated else ""))
