#===- fusion.py - Several operations in one kernel -------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Fusion changes no bits: what one kernel computes of several operations is what a kernel for each of them computes."""

import os
import tempfile

from nagtest import ARITHMETIC, TARGETS, main, run_tool, tool

MODULATOR = "(%beta, %w, %b, %logits)"


def parameters(d, element, C=3):
    arithmetic = ARITHMETIC[element]
    return {"alpha": f"tensor<{arithmetic}>", "beta": f"tensor<{arithmetic}>", "w": f"tensor<{C}x{d}x{element}>",
            "b": f"tensor<{C}x{arithmetic}>", "logits": f"tensor<{C}x{arithmetic}>"}


def function(arguments, results, body):
    listed = ", ".join(f"%{name}: {kind}" for name, kind in arguments.items())
    kinds = ", ".join(results.values())
    names = ", ".join(f"%{name}" for name in results)
    return f"func.func @f({listed}) -> ({kinds}) {{\n{body}\n  return {names} : {kinds}\n}}\n"


def boundary(d, stream, branch):
    """The update of one sub-layer, and the modulator of the next."""
    kind, f, number = f"tensor<?x{d}x{stream}>", f"tensor<?x{d}x{branch}>", f"tensor<?x{ARITHMETIC[stream]}>"
    p = parameters(d, stream)
    table = ", ".join(p[name] for name in ["beta", "w", "b", "logits"])
    return function(
        {"D": kind, "s": number, "f": f, "m": number, **p}, {"D1": kind, "s1": number, "m1": number},
        f"  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha modulated_by %m "
        f": ({kind}, {number}, {f}, {p['alpha']}, {number}) -> ({kind}, {number})\n"
        f"  %m1 = nag.modulate %D1 by{MODULATOR} : ({kind}, {table}) -> {number}")


def prologue(d, stream, _):
    """A stream taken apart, its modulator, and the stream put together again."""
    kind, number, p = f"tensor<?x{d}x{stream}>", f"tensor<?x{ARITHMETIC[stream]}>", parameters(d, stream)
    table = ", ".join(p[name] for name in ["beta", "w", "b", "logits"])
    return function(
        {"R": kind, **{name: p[name] for name in ["beta", "w", "b", "logits"]}},
        {"D": kind, "m": number, "R1": kind},
        f"  %D, %s = nag.split %R : {kind} -> {kind}, {number}\n"
        f"  %m = nag.modulate %D by{MODULATOR} : ({kind}, {table}) -> {number}\n"
        f"  %R1 = nag.merge %D, %s : {kind}, {number} -> {kind}")


def sublayers(d, stream, branch):
    """Two updates of a stream in residual form."""
    kind, f, alpha = f"tensor<?x{d}x{stream}>", f"tensor<?x{d}x{branch}>", f"tensor<{ARITHMETIC[stream]}>"
    update = f": ({kind}, {f}, {alpha}) -> {kind}"
    return function({"R": kind, "f": f, "g": f, "alpha": alpha}, {"R2": kind},
                    f"  %R1 = nag.update %R branch %f alpha %alpha {update}\n"
                    f"  %R2 = nag.update %R1 branch %g alpha %alpha {update}")


def steps(d, stream, branch):
    """The update in small operations, rounded to the branch's type between them."""
    kind, f, alpha = f"tensor<?x{d}x{stream}>", f"tensor<?x{d}x{branch}>", f"tensor<{ARITHMETIC[stream]}>"
    return function(
        {"R": kind, "f": f, "alpha": alpha}, {"R1": kind},
        f"  %fc = nag.center %f : {f} -> {f}\n  %P = nag.orthogonalize %fc against %R : {f}, {kind} -> {f}\n"
        f"  %u = nag.scale %P relative_to %f : {f}, {f} -> {f}\n"
        f"  %R1 = nag.rotate %R towards %u alpha %alpha : ({kind}, {f}, {alpha}) -> {kind}")


def run(text, folder, rows, *options):
    run_tool([tool("nag-run"), "-", f"--rows={rows}", f"--out={folder}", *options], text)
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}


def compare(text, rows, *options):
    with tempfile.TemporaryDirectory() as folder:
        apart = run(text, os.path.join(folder, "apart"), rows, "--no-fuse", *options)
        fused = run(text, os.path.join(folder, "fused"), rows, *options)
        assert apart == fused and apart, text


def test_cpu():
    for make in [boundary, prologue, sublayers, steps]:
        for d in [7, 769, 4096]:
            for stream, branch in [("bf16", "bf16"), ("f32", "bf16"), ("f16", "f16"), ("f64", "f64")]:
                compare(make(d, stream, branch), 5)


def test_simt():
    """Also under each schedule, and without findings."""
    if "simt" not in TARGETS:
        return
    for make in [boundary, prologue, sublayers, steps]:
        for d, schedules in [(7, ["warp"]), (769, ["warp", "block", "stream"]), (4096, ["block"]), (12288, ["stream"])]:
            for stream, branch in [("bf16", "bf16"), ("f32", "bf16")][:2 if d < 4096 else 1]:
                for schedule in schedules:
                    compare(make(d, stream, branch), 2, "--target=simt", f"--schedule={schedule}", "--simt-check",
                            "--simt-seed=0,1")


main(globals())
