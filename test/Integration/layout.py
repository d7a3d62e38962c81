#===- layout.py - Where tensors lie -----------------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Strides, offsets, shared buffers and sizes of each argument alone, by calling compiled entries as a C program would."""

import numpy as np

from nagtest import Entry, EntryError, Guarded, cast, dtype, main, merge, random, same_bits, split, update


def outputs_like(results, **layout):
    """A guarded buffer for every result."""
    elements = {np.dtype(t): name for name, t in [("f32", np.float32), ("f64", np.float64), ("f16", np.float16)]}
    return {name: Guarded(value.shape, elements.get(value.dtype, "bf16"),
                          **(layout if value.ndim == 2 else {})) for name, value in results.items()}


def call(entry, values, guarded):
    entry.call(values, {name: output.array for name, output in guarded.items()})
    for name, output in guarded.items():
        assert output.intact(), f"{name}: written outside the rows"
    return {name: np.array(output.array) for name, output in guarded.items()}


def assert_same(results, expected, what):
    for name, value in expected.items():
        assert same_bits(results[name], value), (what, name)


def test_alignment_of_each_argument():
    """Every argument and every result in turn 1, 2, 3 and 4 elements off: the same bits."""
    for element in ["bf16", "f16", "f32", "f64"]:
        for d in [768, 769]:
            for form in ["residual", "lanes"]:
                program = update(d, element, form, 8)
                entry, values = Entry(program), random(program, (3,), seed=d)
                expected = entry(**values)
                for offset in [1, 2, 3, 4]:
                    for name, _, kind in program.args:
                        moved = Guarded(values[name].shape, kind, offset, values=values[name])
                        out = call(entry, dict(values, **{name: moved.array}), outputs_like(expected))
                        assert_same(out, expected, (element, d, form, name, offset))
                        assert moved.intact() and same_bits(np.array(moved.array), values[name])
                    for name in expected:
                        guarded = outputs_like(expected)
                        guarded[name] = Guarded(expected[name].shape, {r[0]: r[2] for r in program.results}[name], offset)
                        assert_same(call(entry, values, guarded), expected, (element, d, form, name, offset))


def test_every_row_alone():
    """Row r of seven is the row of one, and rows are written where they are, in every width."""
    for element in ["f32", "bf16", "f16"]:
        for d in [1, 2, 3, 5, 7, 9, 31, 33, 63, 65, 100, 127, 129, 513, 769, 1025, 4097]:
            program = update(d, element, "lanes", 2)
            entry, values = Entry(program), random(program, (7,), seed=d)
            expected = entry(**values)
            assert_same(call(entry, values, outputs_like(expected, stride=d + 3, offset=1)), expected, (element, d))
            for r in range(7):
                alone = {name: value[r:r + 1] if sizes[:1] == ("?",) else value
                         for (name, sizes, _), value in zip(program.args, values.values())}
                assert_same(entry(**alone), {name: value[r:r + 1] for name, value in expected.items()}, (element, d, r))


def test_slices():
    """Stream and branch are halves of one tensor, the result is part of a third."""
    for element in ["f32", "bf16"]:
        for d in [8, 100, 769]:
            program = update(d, element, modulator=3)
            entry, values = Entry(program), random(program, (5,), seed=d)
            expected = entry(**values)
            both = np.zeros((5, 3 * d), dtype(element))
            both[:, :d], both[:, d:2 * d] = values["stream"], values["f"]
            sliced = dict(values, stream=both[:, :d], f=both[:, d:2 * d])
            assert_same(call(entry, sliced, outputs_like(expected, stride=2 * d + 8)), expected, (element, d))
            backwards = dict(values, stream=np.ascontiguousarray(values["stream"][::-1])[::-1])
            assert backwards["stream"].strides[0] < 0
            assert_same(call(entry, backwards, outputs_like(expected)), expected, (element, d, "backwards"))


def test_one_row_for_all_tokens():
    """A row stride of 0 repeats a row."""
    program = update(129)
    entry, values = Entry(program), random(program, (6,), seed=1)
    repeated = np.broadcast_to(values["f"][:1], (6, 129))
    assert repeated.strides[0] == 0
    expected = entry(**dict(values, f=np.ascontiguousarray(repeated)))
    assert_same(call(entry, dict(values, f=repeated), outputs_like(expected)), expected, "stride 0")


def test_strided_log_norms():
    """Numbers of tokens may be a column of a table."""
    program = update(33, "f32", "lanes", "given")
    entry, values = Entry(program), random(program, (5,), seed=3)
    expected = entry(**values)
    table = np.zeros((5, 3), np.float32)
    table[:, 0], table[:, 2] = values["log_norm"], values["m"]
    guarded = outputs_like(expected)
    guarded["log_norm"] = Guarded((5,), "f32", step=4)
    out = call(entry, dict(values, log_norm=table[:, 0], m=table[:, 2]), guarded)
    assert_same(out, expected, "columns")


def test_in_place():
    """A result may be the tensor that it is computed from."""
    for form in ["residual", "lanes"]:
        for element in ["f32", "bf16"]:
            program = update(769, element, form, 4)
            entry, values = Entry(program), random(program, (5,), seed=4)
            expected = entry(**values)
            work = {name: np.array(value) for name, value in values.items()}
            outputs = {name: np.array(value) for name, value in expected.items()}
            outputs["updated"] = work["stream"]
            if form == "lanes":
                outputs["log_norm"] = work["log_norm"]
            entry.call(work, outputs)
            assert_same(outputs, expected, (form, element))


def test_elements_must_be_neighbours():
    """Columns of a wider tensor, or a transposed one, are refused by the argument's name."""
    program = update(8)
    entry, values = Entry(program), random(program, (8,))
    wide = np.zeros((8, 16), np.float32)
    for name in "stream", "f":
        for view in [wide[:, ::2], np.zeros((8, 8), np.float32).T, wide[:, 7::-1]]:
            try:
                entry.call(dict(values, **{name: view}), {"updated": np.zeros((8, 8), np.float32)})
            except EntryError as error:
                assert (error.kind, error.argument) == ("stride", name), error
            else:
                raise AssertionError(f"{name} with strides {view.strides} was taken")
    try:
        entry.call(values, {"updated": wide[:, ::2]})
    except EntryError as error:
        assert (error.kind, error.argument) == ("stride", "result updated"), error
    else:
        raise AssertionError("a result with gaps was taken")


def test_sizes_must_agree():
    """32 rows of the stream and 8 of the branch, and other sizes that differ: an error, not a read past the end."""
    for tokens in [("?",), (32,)]:
        program = update(768, "f32", "lanes", 3, tokens=tokens)
        entry, values = Entry(program), random(program, (32,))
        good = entry(**values)
        for name, value in values.items():
            for axis in range(value.ndim):
                # More would not be read past its end, but is wrong all the same.
                for size in [value.shape[axis] // 2, value.shape[axis] + 1, 0]:
                    shape = list(value.shape)
                    shape[axis] = size
                    wrong = np.zeros(shape, value.dtype)
                    results = {key: np.full_like(out, 7) for key, out in good.items()}
                    try:
                        entry.call(dict(values, **{name: wrong}), results)
                    except EntryError as error:
                        assert error.kind == "size", error
                    else:
                        raise AssertionError(f"{name} of {wrong.shape} was taken")
                    assert all(np.all(out == 7) for out in results.values()), "written before the check"
        for name, value in good.items():
            results = dict(good, **{name: value[:-1]})
            try:
                entry.call(values, results)
            except EntryError as error:
                assert error.kind == "size", error
            else:
                raise AssertionError(f"result {name} of {value[:-1].shape} was taken")


def test_no_rows():
    """Nothing to do, with null pointers where there is no data; the next call works."""
    for tokens, sizes in [(("?",), (0,)), (("?", "?"), (2, 0)), (("?", "?"), (0, 3)), ((0,), ())]:
        program = update(768, "bf16", "lanes", 3, tokens=tokens)
        entry, values = Entry(program), random(program, sizes)
        out = entry(**values)
        shape = tuple(sizes[i] if size == "?" else size for i, size in enumerate(tokens))
        assert out["updated"].shape == shape + (768,) and out["m"].shape == shape
        if tokens == ("?",):
            later = entry(**random(program, (2,)))
            assert np.all(np.isfinite(later["updated"].astype(np.float32)))


def test_split_and_merge_of_slices():
    for element in ["f32", "f16"]:
        splitter, merger = Entry(split(100, element)), Entry(merge(100, element))
        values = random(split(100, element), (4,))
        wide = Guarded((4, 100), element, offset=3, stride=117, values=values["stream"])
        expected = splitter(**values)
        assert_same(call(splitter, dict(stream=wide.array), outputs_like(expected, stride=101)), expected, element)
        merged = merger(**expected)
        direction = Guarded((4, 100), element, offset=1, stride=130, values=expected["direction"])
        out = call(merger, dict(expected, direction=direction.array), outputs_like(merged, stride=105))
        assert_same(out, merged, element)
        assert np.allclose(merged["residual"].astype(np.float64), cast(values["stream"], element).astype(np.float64), rtol=.01, atol=.01)


main(globals())
