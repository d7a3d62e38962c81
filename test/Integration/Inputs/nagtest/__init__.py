#===- nagtest/__init__.py - What integration tests share --------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""Programs of nag operations, their arguments, and ways to run them."""

from . import exact
from .arrays import DTYPES, Guarded, cast, dtype, load, normalize, same_bits, save, ulp
from .entry import Entry, EntryError
from .exact import assert_rows_near
from .harness import main
from .programs import (ARITHMETIC, Program, center, merge, modulate, orthogonalize, rotate, scale, split, update)
from .running import TARGETS, check, evaluate, run_tool, tool
from .values import neutral, random
