#===- layout.py - Where tensors lie -----------------------------------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Strides, offsets, shared buffers and sizes of each argument alone, by calling compiled entries as a C program would."""

import itertools

import numpy as np

from nagtest import (Entry, EntryError, Guarded, Program, cast, center, dtype, main, merge, random, same_bits, split,
                     update)


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
            # The result is the third part of that same tensor.
            outputs = {name: np.zeros_like(value) for name, value in expected.items()}
            outputs["updated"] = both[:, 2 * d:]
            entry.call(sliced, outputs)
            assert_same(outputs, expected, (element, d, "third part"))
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


def test_in_place_where_rows_are_too_wide_to_keep():
    """A contraction of what is stored reads the row again; the result may lie there."""
    width, components = 20000, 8
    text = f"""func.func @boundary(%D: tensor<?x{width}xf32>, %s: tensor<?xf32>, %f: tensor<?x{width}xf32>,
    %alpha: tensor<f32>, %beta: tensor<f32>, %w: tensor<{components}x{width}xf32>, %b: tensor<{components}xf32>,
    %l: tensor<{components}xf32>) -> (tensor<?x{width}xf32>, tensor<?xf32>, tensor<?xf32>) {{
  %D1, %s1 = nag.update %D, %s branch %f alpha %alpha
      : (tensor<?x{width}xf32>, tensor<?xf32>, tensor<?x{width}xf32>, tensor<f32>) -> (tensor<?x{width}xf32>, tensor<?xf32>)
  %m = nag.modulate %D1 by(%beta, %w, %b, %l)
      : (tensor<?x{width}xf32>, tensor<f32>, tensor<{components}x{width}xf32>, tensor<{components}xf32>,
         tensor<{components}xf32>) -> tensor<?xf32>
  return %D1, %s1, %m : tensor<?x{width}xf32>, tensor<?xf32>, tensor<?xf32>
}}
"""
    row, number, gates = (("?", width), "f32"), (("?",), "f32"), ((components,), "f32")
    program = Program("boundary", [("D", *row), ("s", *number), ("f", *row), ("alpha", (), "f32"), ("beta", (), "f32"),
                                   ("w", (components, width), "f32"), ("b", *gates), ("l", *gates)],
                      [("D1", *row), ("s1", *number), ("m", *number)])
    entry, values = Entry(program, text=text), random(program, (3,))
    expected = entry(**values)
    for name in ["D", "f"]:
        work = {key: np.array(value) for key, value in values.items()}
        outputs = dict({key: np.zeros_like(value) for key, value in expected.items()}, D1=work[name])
        entry.call(work, outputs)
        assert_same(outputs, expected, name)


def refusal(entry, inputs, outputs):
    """The kind and the name of what an entry says is wrong, or None."""
    try:
        entry.call(inputs, outputs)
    except EntryError as error:
        return error.kind, error.argument
    return None


def test_in_place_where_nothing_reads_later():
    """A result may lie on an input that only kernels before its own read, or its own row by row; on no other. Where one
    kernel does everything, that is every row."""
    text = """func.func @update({0}: tensor<?x96xf32>, %alpha: tensor<f32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) {{
  %x = nag.update %R branch %f alpha %alpha : (tensor<?x96xf32>, tensor<?x96xf32>, tensor<f32>) -> tensor<?x96xf32>
  %y = nag.update %R branch %g alpha %alpha : (tensor<?x96xf32>, tensor<?x96xf32>, tensor<f32>) -> tensor<?x96xf32>
  return %x, %y : tensor<?x96xf32>, tensor<?x96xf32>
}}
""".format(": tensor<?x96xf32>, ".join(["%R", "%f", "%g"]))
    rows = (("?", 96), "f32")
    program = Program("update", [(name, *rows) for name in "Rfg"] + [("alpha", (), "f32")], [(name, *rows) for name in "xy"])
    values = random(program, (6,))
    apart = {("x", "f"), ("y", "R"), ("y", "f"), ("y", "g")}
    for options, allowed in [(["--no-fuse"], apart), ([], set(itertools.product("xy", "Rfg")))]:
        entry = Entry(program, text=text, options=options)
        expected = entry(**values)
        for result, name in itertools.product("xy", "Rfg"):
            work = {key: np.array(value) for key, value in values.items()}
            outputs = {key: np.zeros_like(value) for key, value in expected.items()}
            outputs[result] = work[name]
            said = refusal(entry, work, outputs)
            if (result, name) in allowed:
                assert said is None, (result, name, said)
                assert_same(outputs, expected, (result, name))
            else:
                assert said == ("overlap", "result " + result), (result, name, said)
                assert same_bits(work[name], values[name]), "written before the check"


def test_tables_are_no_place_for_results():
    """As many tokens as components: `m` has the type of `b`, which every token reads."""
    program = update(16, "f32", "lanes", 4, tokens=(4,))
    entry, values = Entry(program), random(program)
    expected = entry(**values)
    for name, result, fits in [("b", "m", False), ("logits", "log_norm", False), ("log_norm", "log_norm", True),
                               ("log_norm", "m", True), ("w", "updated", False), ("f", "updated", True)]:
        work = {key: np.array(value) for key, value in values.items()}
        outputs = {key: np.zeros_like(value) for key, value in expected.items()}
        outputs[result] = work[name]
        said = refusal(entry, work, outputs)
        assert said == (None if fits else ("overlap", "result " + result)), (name, result, said)
        if fits:
            assert_same(outputs, expected, (name, result))


def test_destinations_that_overlap():
    """Part of an input, an input in another type, another result, tokens on each other: refused by the result's name."""
    program = update(32, "f32", "lanes", "given")
    entry, values = Entry(program), random(program, (6,))
    good = {key: np.zeros_like(value) for key, value in entry(**values).items()}
    flat = np.zeros(6 * 32 + 64, np.float32)

    def rows(start, stride=32):
        return np.lib.stride_tricks.as_strided(flat[start:], (6, 32), (4 * stride, 4))

    for shift in [1, 31, 32, 33, 191]:
        for first, second in [(0, shift), (shift, 0)]:
            if max(first, second) + 192 > flat.size:
                continue
            for name in "stream", "f":
                said = refusal(entry, dict(values, **{name: rows(first)}), dict(good, updated=rows(second)))
                assert said == ("overlap", "result updated"), (shift, name, said)
    # Numbers of tokens within the rows that are written, and in place at another stride.
    assert refusal(entry, values, dict(good, updated=rows(0), log_norm=flat[4:10])) == ("overlap", "result log_norm")
    assert refusal(entry, dict(values, m=flat[191:197]), dict(good, updated=rows(0))) == ("overlap", "result updated")
    assert refusal(entry, dict(values, m=flat[192:198]), dict(good, updated=rows(0))) is None
    numbers = np.zeros(16, np.float32)
    assert refusal(entry, dict(values, log_norm=numbers[:6]), dict(good, log_norm=numbers[:12:2])) == ("overlap", "result log_norm")
    assert refusal(entry, dict(values, log_norm=numbers[:6]), dict(good, log_norm=numbers[5::-1])) == ("overlap", "result log_norm")
    # Even and odd places never meet.
    assert refusal(entry, dict(values, log_norm=numbers[:12:2]), dict(good, log_norm=numbers[1:12:2])) is None
    # The same numbers for every token, tokens on each other, backwards.
    for stride, said in [(0, "stride"), (31, "stride"), (-31, "stride"), (32, None)]:
        start = 155 if stride < 0 else 0
        assert refusal(entry, values, dict(good, updated=rows(start, stride))) == (said and (said, "result updated")), stride
    single = np.lib.stride_tricks.as_strided(numbers, (6,), (0,))
    assert refusal(entry, values, dict(good, log_norm=single)) == ("stride", "result log_norm")
    # Inputs may overlap as they like.
    assert refusal(entry, dict(values, stream=rows(0, 1), f=rows(3, 0), log_norm=flat[:6]), good) is None


def test_overlap_against_numpy():
    """Any two layouts in one buffer: what does not overlap is taken, and what does is refused wherever it can be told."""
    generator = np.random.default_rng(0)
    for tokens, most in [(("?",), 0), (("?", "?"), .25)]:
        overlaps_seen, undecided = 0, 0
        program = center(4, "f32", tokens=tokens)
        entry = Entry(program)
        for _ in range(4000):
            sizes = tuple(int(generator.integers(1, 4)) for _ in tokens)
            base = np.zeros(400, np.float32)

            def layout():
                strides = [int(generator.choice([0, 2, 4, 5, 8, 12, 16, 24, -4, -8, -12])) for _ in tokens]
                start = 200 + int(generator.integers(-30, 30))
                return np.lib.stride_tricks.as_strided(base[start:], sizes + (4,), tuple(4 * s for s in strides) + (4,))

            source, target = layout(), layout()
            said = refusal(entry, dict(f=source), dict(centered=target))
            lies_on_itself = any(size > 1 and abs(stride) < 16 for size, stride in zip(target.shape[:-1], target.strides))
            if lies_on_itself:
                assert said == ("stride", "result centered"), (target.shape, target.strides, said)
                continue
            is_same = source.ctypes.data == target.ctypes.data and all(
                a == b or n == 1 for a, b, n in zip(source.strides, target.strides, sizes))
            overlaps = np.shares_memory(source, target) and not is_same
            overlaps_seen += overlaps
            what = (sizes, source.ctypes.data - target.ctypes.data, source.strides, target.strides)
            if not overlaps:
                assert said is None, (what, said)
            elif said is None:
                # Only tokens in two dimensions that no single stride goes through.
                undecided += 1
                assert len(tokens) == 2, what
            else:
                assert said == ("overlap", "result centered"), (what, said)
        assert undecided <= most * overlaps_seen, (undecided, overlaps_seen)


def test_workspace_apart():
    """The workspace may not lie on an argument."""
    text = """func.func @update(%R: tensor<?x64xf32>, %alpha: tensor<f32>) -> tensor<?x64xf32> {
  %f = nag.center %R : tensor<?x64xf32> -> tensor<?x64xf32>
  %x = nag.update %R branch %f alpha %alpha : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}
"""
    program = Program("update", [("R", ("?", 64), "f32"), ("alpha", (), "f32")], [("x", ("?", 64), "f32")])
    entry = Entry(program, text=text, options=["--no-fuse"])
    R, alpha, x, space = (np.zeros(n, np.float32) for n in [(4, 64), (), (4, 64), (8, 64)])
    for place, status in [(space, 0), (R, 8 << 16 | 3 << 8 | 0), (x[3:], 8 << 16 | 3 << 8 | 2)]:
        words = [entry.descriptor(array) for array in (R, alpha, x)]
        size = entry.workspace_size(entry._pack(words))
        assert size == 1024
        words.append(np.array([place.ctypes.data, place.ctypes.data, 0, size, 1], np.int64))
        assert entry.function(entry._pack(words, stream=True)) == status


def test_negative_sizes():
    """Sizes below zero are wrong even where all arguments agree on them."""
    for tokens in [("?",), ("?", "?")]:
        program = update(8, tokens=tokens)
        entry, values = Entry(program), random(program, (3,) * len(tokens))
        out = np.full_like(values["stream"], 7)
        for axis in range(len(tokens)):
            words = [entry.descriptor(array) for array in (values["stream"], values["f"], values["alpha"], out)]
            for word in words[:2] + words[3:]:
                word[3 + axis] = -1
            words.append(np.array([0, 0, 0, 0, 1], np.int64))
            assert entry.function(entry._pack(words, stream=True)) == 1 << 16 | axis
        assert np.all(out == 7)


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
