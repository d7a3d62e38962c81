#===- nagtest/entry.py - Calls compiled entries -----------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

"""Entries compiled by nagc into a shared library and called on NumPy arrays of any strides: what nag-run does not vary."""

import ctypes
import os
import shutil
import tempfile

import numpy as np

from . import arrays
from .running import run_tool, tool

#: include/nag/Runtime/Abi.h
STATUS = {1: "size", 2: "stride", 3: "null", 4: "workspace", 5: "device", 6: "too many rows", 7: "alignment",
          8: "overlap"}


class EntryError(Exception):
    """What an entry said of its arguments: the kind, and the name of the argument."""

    def __init__(self, kind, argument):
        super().__init__(f"{kind} of {argument}")
        self.kind, self.argument = kind, argument


class Entry:
    """A program in machine code."""

    def __init__(self, program, mcpu="native", text=None, options=()):
        self.program = program
        self.folder = tempfile.mkdtemp()
        library = os.path.join(self.folder, program.name + ".so")
        run_tool([tool("nagc"), "-", "--target=cpu", "--emit=shared", f"--mcpu={mcpu}", *options, "-o", library],
                 text or program.text())
        self.library = ctypes.CDLL(library)
        self.function = self.library[program.name + "_packed"]
        self.function.restype = ctypes.c_int32
        self.workspace_size = self.library[program.name + "_workspace_size_packed"]
        self.workspace_size.restype = ctypes.c_int64

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def descriptor(array):
        words = [array.ctypes.data, array.ctypes.data, 0, *array.shape]
        return np.array(words + [stride // array.itemsize for stride in array.strides], np.int64)

    def call(self, inputs, outputs):
        """Runs on arrays as they lie, results into `outputs`, both by name."""
        named = [(name, inputs[name], element) for name, _, element in self.program.args]
        named += [("result " + name, outputs[name], element) for name, _, element in self.program.results]
        for name, array, element in named:
            assert array.dtype == arrays.dtype(element), f"{name} is {array.dtype}, not {element}"
        words = [self.descriptor(array) for _, array, _ in named]
        size = self.workspace_size(self._pack(words))
        if size < 0:
            raise self._error(-size, named)
        workspace = arrays.Guarded((max(size, 1) // 2 + 1,), "bf16")
        words.append(np.array([workspace.array.ctypes.data, workspace.array.ctypes.data, 0, size, 1], np.int64))
        status = self.function(self._pack(words, stream=True))
        if status:
            raise self._error(status, named)
        assert workspace.intact(), "written past the workspace"

    def __call__(self, **inputs):
        """Runs on dense inputs: new arrays by name."""
        inputs = {name: np.ascontiguousarray(arrays.cast(inputs[name], element)).reshape(np.shape(inputs[name]))
                  for name, _, element in self.program.args}
        first_name, first_sizes, _ = self.program.args[0]
        tokens = inputs[first_name].shape[:len(first_sizes) - 1]
        outputs = {}
        for name, sizes, element in self.program.results:
            shape = tokens + ((sizes[-1],) if len(sizes) == len(first_sizes) else ())
            outputs[name] = np.full(shape, np.nan, arrays.dtype(element))
        self.call(inputs, outputs)
        return outputs

    @staticmethod
    def _pack(words, stream=False):
        return (ctypes.c_void_p * (len(words) + stream))(*[word.ctypes.data for word in words], *([None] * stream))

    @staticmethod
    def _error(status, named):
        argument = status >> 8 & 0xff
        name = named[argument][0] if argument < len(named) else str(argument)
        return EntryError(STATUS.get(status >> 16, f"status {status}"), name)
