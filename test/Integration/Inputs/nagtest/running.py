#===- nagtest/running.py - Runs programs by nag-run -------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""Runs programs by nag-run, on arrays or on random arguments."""

import itertools
import os
import shutil
import subprocess
import tempfile

from . import arrays

#: The targets that programs are run on. GPU kernels run under simt where the toolkit's libdevice is at hand, which their
#: exponentials and logarithms come from (lit.local.cfg).
TARGETS = os.environ.get("NAG_TEST_TARGETS", "cpu").split(",")

#: simt runs every kernel in two orders of threads, which must give the same bits: the ascending one, and one by chance
#: that changes from one run to the next.
_orders = itertools.cycle([1, 2, 3])


def _target(target, program):
    """Options for a target. f64 is for the CPU alone, so that the CPU answers for every target."""
    if program and any(element == "f64" for _, _, element in program.args):
        return ["--target=cpu"]
    if target == "simt":
        return ["--target=simt", "--simt-check", f"--simt-seed=0,{next(_orders)}"]
    return [f"--target={target}"]


def tool(name):
    path = shutil.which(name)
    if not path:
        raise RuntimeError(f"{name} is not in PATH")
    return path


def run_tool(command, stdin=None, environment=None, expect=0):
    """The finished process; one that ends with another exit code than `expect` is an error that shows all of it."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=300,
                          env={**os.environ, **(environment or {})})
    if done.returncode != expect:
        raise AssertionError(f"exit code {done.returncode}: {' '.join(command)}\n{(stdin or '')[:3000]}\n"
                             f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def _layout(program, offset, pad, layouts):
    """Options for where tensors lie. `layouts` is (offset, pad) of single arguments by name, of results by
    "result NAME"."""
    options = ([f"--offset={offset}"] if offset else []) + ([f"--row-stride-pad={pad}"] if pad else [])
    results = [name for name, _, _ in program.results] if program else []
    for name, (own_offset, own_pad) in (layouts or {}).items():
        if name.startswith("result "):
            options.append(f"--result-layout={results.index(name.removeprefix('result '))}={own_offset}:{own_pad}")
        else:
            options.append(f"--layout={program.index(name)}={own_offset}:{own_pad}")
    return options


def check(program, rows=None, dims=(), target="cpu", mcpu=None, offset=0, pad=0, seed=0, options=(), text=None,
          environment=None, layouts=None):
    """Runs a program on random arguments and compares with the reference; what nag-run printed."""
    command = [tool("nag-run"), "-", *_target(target, program), "--check", f"--seed={seed}",
               *_layout(program, offset, pad, layouts), *options]
    if rows is not None:
        command.append(f"--rows={rows}")
    command += [f"--dim={i}={size}" for i, size in enumerate(dims)]
    if mcpu:
        command.append(f"--mcpu={mcpu}")
    return run_tool(command, text or program.text(), environment).stdout


def evaluate(program, values, target="cpu", checked=True, mcpu=None, offset=0, pad=0, text=None, environment=None,
             entry=None, options=(), layouts=None):
    """Runs a program on named arrays: its results by name. `checked` compares with the reference as well."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tool("nag-run"), "-", *_target(target, program), f"--out={folder}/out",
                   *_layout(program, offset, pad, layouts), *options]
        command += ["--check"] if checked else []
        command += [f"--mcpu={mcpu}"] if mcpu else []
        command += [f"--entry={entry}"] if entry else []
        for i, (name, _, element) in enumerate(program.args):
            path = os.path.join(folder, f"{name}.npy")
            arrays.save(path, arrays.cast(values[name], element))
            command.append(f"--arg={i}={path}")
        run_tool(command, text or program.text(), environment)
        return {name: arrays.load(os.path.join(folder, "out", f"result{i}.npy"), element)
                for i, (name, _, element) in enumerate(program.results)}
