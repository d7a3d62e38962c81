#===- nagtest/harness.py - Runs the functions of a test ---------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""Runs a test's functions, all of them even where one fails."""

import sys
import traceback


def main(namespace):
    """Runs every function called test_*, in order; exit code 1 where one failed."""
    failed = []
    for name, function in list(namespace.items()):
        if not name.startswith("test_"):
            continue
        try:
            function()
            print(f"{name}: ok")
        except Exception:  # noqa: BLE001 - whatever it is, the other functions still run
            traceback.print_exc(file=sys.stdout)
            print(f"{name}: FAILED")
            failed.append(name)
        sys.stdout.flush()
    if failed:
        sys.exit("failed: " + ", ".join(failed))
