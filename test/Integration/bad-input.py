#===- bad-input.py - Modules that are not what a tool expects ---------------------------------------------------------===#
#
# Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------------------------------------------------===#

# RUN: %python %s
"""Wrong operands, types and shapes are one located message; odd modules are compiled or refused, never a crash."""

from nagtest import check, main, run_tool, tool, update

PASSES = ["--nag-decompose", "--nag-simplify", "--nag-to-row", "--nag-entry-pipeline", "--nag-cpu-pipeline",
          "--nag-gpu-pipeline", "--canonicalize", "--row-schedule", "--row-place-workspace", "--row-to-cpu",
          "--row-to-gpu", "--nag-entry", "--nag-launch-to-runtime", "--nag-cpu-to-llvm"]
#: Passes that need not be run a second time for anything.
REPEATABLE = ["--nag-decompose", "--nag-simplify", "--nag-to-row", "--canonicalize"]

EXTERNAL = "func.func private @ext(tensor<?x768xf32>) -> tensor<?x768xf32>\n"
BLOCKS = """func.func @blocks(%c: i1, %R: tensor<?x8xf32>, %f: tensor<?x8xf32>, %alpha: tensor<f32>) -> tensor<?x8xf32> {
  cf.cond_br %c, ^turn, ^stay
^turn:
  %a = nag.update %R branch %f alpha %alpha : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  cf.br ^end(%a : tensor<?x8xf32>)
^stay:
  cf.br ^end(%R : tensor<?x8xf32>)
^end(%out: tensor<?x8xf32>):
  return %out : tensor<?x8xf32>
}
"""
MODULES = {
    "empty": "module {}\n",
    "nothing": "",
    "a global": "memref.global \"private\" constant @g : memref<2xf32> = dense<1.0>\n",
    "a declaration": EXTERNAL,
    "a declaration beside an update": EXTERNAL + update(768).text(),
    "a private update": update(8).text().replace("func.func @", "func.func private @"),
    "blocks": BLOCKS,
    "nested": f"module @a {{ module @b {{ {update(8).text()} }} }}\n",
    "nothing of ours": "func.func @f(%x: i32) -> i32 { return %x : i32 }\n",
}


def run(command, text):
    """nag-opt's outcome: 0 or 1, and in words where it is 1."""
    try:
        done = run_tool(command, text)
    except AssertionError:
        done = run_tool(command, text, expect=1)
        assert "error:" in done.stderr, (command, text, done.stderr)
    assert "Stack dump" not in done.stderr and "PLEASE submit" not in done.stderr, (command, text, done.stderr)
    return done


def test_passes_take_any_module():
    for name, text in MODULES.items():
        for option in PASSES:
            once = run([tool("nag-opt"), "-", option], text)
            if option in REPEATABLE and once.returncode == 0:
                twice = run([tool("nag-opt"), "-", option], once.stdout)
                assert twice.stdout == once.stdout, (name, option)


def test_declarations_stay():
    text = MODULES["a declaration beside an update"]
    for option in REPEATABLE:
        assert "func.func private @ext(tensor<?x768xf32>) -> tensor<?x768xf32>" in run([tool("nag-opt"), "-", option], text).stdout


def test_programs_without_a_kernel():
    """A compiler that has nothing to compile says so."""
    for name in ["empty", "nothing", "a global", "a declaration"]:
        for command in [[tool("nag-run"), "-"], [tool("nagc"), "-", "--emit=obj", "-o", "/dev/null"]]:
            done = run_tool(command, MODULES[name], expect=1)
            assert done.stderr.count("error:") == 1, (name, command, done.stderr)


def test_names_that_clash():
    """Kernels get names of their own, whatever the functions of the module are called."""
    text = """func.func @start(%R: tensor<?x768xf32>, %f: tensor<?x768xf32>, %S: tensor<?x769xf32>, %g: tensor<?x769xf32>,
                %alpha: tensor<f32>) -> (tensor<?x768xf32>, tensor<?x769xf32>) {
  %a = nag.update %R branch %f alpha %alpha : (tensor<?x768xf32>, tensor<?x768xf32>, tensor<f32>) -> tensor<?x768xf32>
  %b = nag.update %S branch %g alpha %alpha : (tensor<?x769xf32>, tensor<?x769xf32>, tensor<f32>) -> tensor<?x769xf32>
  return %a, %b : tensor<?x768xf32>, tensor<?x769xf32>
}
"""
    names = ["start_kernel", "start_kernel_0", "start_kernels", "start_0", "update", "row", "gpu", "update_f32"]
    text += "".join(update(8, name=name).text() for name in names)
    for name in ["start"] + names:
        check(None, rows=2, text=text, options=[f"--entry={name}"])
    for option in ["--nag-gpu-pipeline", "--nag-cpu-pipeline"]:
        assert run_tool([tool("nag-opt"), "-", option], text).stdout


def test_names_of_the_c_library():
    """An entry's name is exported: one that the C library or the code itself has is refused, whatever is made of it."""
    for name in ["expf", "exp", "logf", "log1pf", "fma", "fmaf", "malloc", "free", "memcpy", "memset", "main", "omp_get_num_threads",
                 "__kmpc_fork_call", "nag_launch", "nag_launch_persistent", "nag_status"]:
        text = update(8, modulator=2, name=name).text()
        done = run_tool([tool("nagc"), "-", "--target=cpu", "--emit=obj", "-o", "/dev/null"], text, expect=1)
        assert done.stderr.count("error:") == 1 and f"<stdin>:1:1: error: the name '{name}'" in done.stderr, done.stderr
    for emit in "llvm", "asm", "obj", "shared", "header":
        refused(text, "the name 'nag_status'", command=("nagc", "-", "--target=cpu", f"--emit={emit}", "-o", "/dev/null"))
    for target in "cpu", "simt":
        refused(text, "the name 'nag_status'", command=("nag-run", "-", "--rows=1", f"--target={target}"))


def test_names_that_follow_from_others():
    """Two entries one of which has the name of a function beside the other."""
    for more in ["workspace_size", "check", "abi_version", "packed", "workspace_size_packed", "abi_version_packed"]:
        text = update(8, name="f").text() + update(8, name=f"f_{more}").text()
        for emit in "obj", "shared", "header":
            refused(text, f"the name 'f_{more}' is taken", command=("nagc", "-", "--target=cpu", f"--emit={emit}", "-o", "/dev/null"))
        refused(text, f"the name 'f_{more}' is taken", command=("nag-run", "-", "--rows=1", "--entry=f"))


def test_names_that_are_no_names_in_c():
    """The header has C's names; an object may have others."""
    for name in ["int", "static_assert", "int32_t", "bitand", '"my kernel"', "a.b"]:
        text = update(8, name=name).text()
        refused(text, "expected a name that is an identifier in C and C++", command=("nagc", "-", "--target=cpu", "--emit=header"))
        run_tool([tool("nagc"), "-", "--target=cpu", "--emit=obj", "-o", "/dev/null"], text)


def test_many_components():
    """The CPU takes any number of them; a GPU target says what it can."""
    check(update(8, modulator=300), rows=5)
    program = update(8, modulator=1000)
    for command in [("nagc", "-", "--emit=cubin", "-o", "/dev/null"), ("nagc", "-", "--emit=ptx"), ("nag-run", "-", "--rows=5", "--target=simt")]:
        refused(program.text(), "<stdin>:2:", "C = 1000", "at most 128", command=command)
    check(update(40, modulator=128), rows=3, target="simt")


def test_constants_of_different_functions():
    """Two functions that differ in a constant alone."""
    text = ""
    for name, alpha in ("one", 1.0), ("two", 2.0):
        text += f"""func.func @{name}(%R: tensor<?x64xf32>, %f: tensor<?x64xf32>) -> tensor<?x64xf32> {{
  %alpha = arith.constant dense<{alpha}> : tensor<f32>
  %a = nag.update %R branch %f alpha %alpha : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<f32>) -> tensor<?x64xf32>
  return %a : tensor<?x64xf32>
}}
"""
    shown = set()
    for name in "one", "two":
        check(None, rows=2, text=text, options=[f"--entry={name}"])
        shown.add(run_tool([tool("nag-run"), "-", "--rows=2", f"--entry={name}"], text).stdout)
    assert len(shown) == 2


def refused(text, *words, command=("nag-opt", "-")):
    done = run_tool([tool(command[0]), *command[1:]], text, expect=1)
    assert done.stderr.count("error:") == 1 and "<stdin>:" in done.stderr, done.stderr
    for word in words:
        assert word in done.stderr, (word, done.stderr)


def test_shapes_that_disagree():
    good = update(768, tokens=(32,), modulator=4).text()
    refused(good.replace("%f: tensor<32x768", "%f: tensor<8x768").replace("(tensor<32x768xf32>, tensor<32x768", "(tensor<32x768xf32>, tensor<8x768", 1),
            "32x768", "8x768")
    refused(good.replace("%f: tensor<32x768", "%f: tensor<768").replace("(tensor<32x768xf32>, tensor<32x768", "(tensor<32x768xf32>, tensor<768", 1),
            "32x768", "tensor<768xf32>")
    refused(good.replace("4x768", "4x767"), "4x767")
    refused(good.replace("4x768", "0x768").replace("tensor<4x", "tensor<0x"), "w")
    refused(good.replace("tensor<4xf32>, tensor<4xf32>)", "tensor<5xf32>, tensor<4xf32>)").replace("%b: tensor<4x", "%b: tensor<5x"),
            "tensor<5xf32>")


def test_empty_and_unranked():
    for rows in ["tensor<4x0xf32>", "tensor<0x0xf32>", "tensor<f32>", "tensor<*xf32>", "memref<4x8xf32>", "memref<f32>", "f32",
                 "tensor<4x8xi8>", "tensor<4x8xf8E4M3FN>", "tensor<4x8xindex>", "tensor<4x8xcomplex<f32>>", "tensor<4x8xf80>",
                 "vector<4x8xf32>"]:
        refused(f'func.func @f(%R: {rows}, %alpha: tensor<f32>) -> {rows} {{\n'
                f'  %a = "nag.update"(%R, %R, %alpha) <{{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>}}>'
                f' : ({rows}, {rows}, tensor<f32>) -> {rows}\n  return %a : {rows}\n}}\n')


def test_dynamic_width():
    """A row's width is part of the program."""
    text = update("?", tokens=("?",)).text()
    refused(text, "?x?xf32")


def test_generic_form():
    """Nothing is left to the parser of the pretty form."""
    operation = ('func.func @f(%R: tensor<4x8xf32>, %alpha: tensor<f32>) -> tensor<4x8xf32> {{\n  %a = "nag.update"({}) <{{{{{}}}}}>'
                 ' : ({}) -> tensor<4x8xf32>\n  return %a : tensor<4x8xf32>\n}}\n').format
    segments = "operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0, 0, 0>"
    types = "tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>"
    run_tool([tool("nag-opt"), "-"], operation("%R, %R, %alpha", segments, types).replace("{{", "{").replace("}}", "}"))
    cases = [("", segments, ""), ("%R", segments, "tensor<4x8xf32>"), ("%alpha, %R, %R", segments, "tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>"),
             ("%R, %R, %alpha", "", types), ("%R, %R, %alpha", segments.replace("1, 1, 0", "1, 1, 1"), types),
             ("%R, %R, %alpha", segments.replace("i32: 1", "i32: -1"), types)]
    for tol in ['"small"', "1 : i32", "-1.0 : f64", "0x7FF8000000000000 : f64", "0x7FF0000000000000 : f64", "1.0 : f32"]:
        cases.append(("%R, %R, %alpha", f"{segments}, tol = {tol}", types))
    for operands, attributes, kinds in cases:
        refused(operation(operands, attributes, kinds).replace("{{", "{").replace("}}", "}"))


def test_round_trip():
    """The generic form says all that the pretty form does."""
    for form in ["residual", "lanes"]:
        for modulator in [None, "given", 4]:
            text = update(8, "bf16", form, modulator, tol=2.0 ** -10).text()
            pretty = run_tool([tool("nag-opt"), "-"], text).stdout
            generic = run_tool([tool("nag-opt"), "-", "--mlir-print-op-generic"], text).stdout
            assert run_tool([tool("nag-opt"), "-"], generic).stdout == pretty


def test_threads_of_the_compiler():
    """Sixty-four functions, compiled in parallel or not, give the same text."""
    text = "".join(update(64 + i, ["f32", "bf16"][i % 2], ["residual", "lanes"][i // 2 % 2], [None, "given", 3][i % 3], name=f"f{i}").text()
                   for i in range(64))
    for option in ["--nag-decompose", "--nag-to-row", "--nag-entry-pipeline", "--nag-gpu-pipeline", "--nag-cpu-pipeline"]:
        parallel, serial = (run_tool([tool("nag-opt"), "-", option, *more], text).stdout for more in ([], ["--mlir-disable-threading"]))
        assert parallel == serial, option


main(globals())
