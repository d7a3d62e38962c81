#===- file-names.py - Names of files ----------------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t
"""Tools take files of any name and in any folder."""

import os
import sys

from nagtest import main, run_tool, tool, update

FOLDER = sys.argv[1]


def test_names():
    for name in ["my kernel (1).mlir", "-x.mlir", "ü.mlir", "a'b\"c.mlir", "$HOME;x.mlir", "x" * 200 + ".mlir"]:
        path = os.path.join(FOLDER, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(update(8).text())
        run_tool([tool("nag-opt"), path, "-o", path + ".out"])
        assert os.path.getsize(path + ".out")
        done = run_tool([tool("nag-run"), path, "--rows=2", "--check", f"--result=0={path}.npy"])
        assert "ok" in done.stdout and os.path.getsize(path + ".npy")
        run_tool([tool("nagc"), path, "--emit=shared", "-o", path + ".so"])
        assert os.path.getsize(path + ".so")


def test_name_that_is_too_long():
    done = run_tool([tool("nag-run"), os.path.join(FOLDER, "x" * 300 + ".mlir")], expect=1)
    assert "File name too long" in done.stderr


main(globals())
