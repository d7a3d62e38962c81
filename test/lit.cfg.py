"""What lit needs to run this tree: which files are tests, the tools and substitutions they may use, and the features of
the machine that a test may require.

Substitutions beside lit's own:
  %python    Python with numpy and ml_dtypes (build/venv, made by scripts/setup.sh)
  %cc        the C compiler that built the project
  %nag_src   the root of the source tree
Features:
  ptxas        NVIDIA's assembler is there: cubins can be made
  cuda-driver  libcuda.so.1 can be loaded
  cuda-device  ... and has a device: kernels can be run
  avx512       the processor has AVX-512 F
"""

import ctypes
import os

import lit.formats
from lit.llvm import llvm_config

config.name = "NAG"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "unit", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py", "README.md"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.nag_obj_root, "test")

# A kernel that hangs must fail, not stop the run. lit needs psutil for it.
if lit_config.maxIndividualTestTimeIsSupported[0] and not lit_config.maxIndividualTestTime:
    lit_config.maxIndividualTestTime = 600

# lit starts from an empty environment. These say where CUDA and the libraries are, and how many threads to use;
# OPENBLAS_CORETYPE chooses numpy's kernels on machines that set it.
llvm_config.with_system_environment(
    ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "HOME", "LD_LIBRARY_PATH", "LIBRARY_PATH", "OMP_NUM_THREADS",
     "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "TMPDIR"])
# Ours first: a test must never run a tool of the same name from elsewhere.
tool_dirs = [os.path.join(config.nag_obj_root, "bin"), config.llvm_tools_dir]
if os.path.exists(config.ptxas):
    config.available_features.add("ptxas")
    llvm_config.with_environment("PATH", os.path.dirname(config.ptxas), append_path=True)
llvm_config.with_environment("PATH", tool_dirs, append_path=True)

# The build's own Python packages; without them a test that imports numpy fails and says so.
for root in (config.nag_obj_root, os.path.join(config.nag_src_root, "build")):
    python = os.path.join(root, "venv", "bin", "python")
    if os.path.exists(python):
        config.python_executable = python
        break
else:
    lit_config.note("no build/venv: tests that need numpy will fail until scripts/setup.sh has run")

# Before lit's own %python, which is the one that runs lit.
config.substitutions.append(("%python", f'"{config.python_executable}"'))
llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(["count", "mlir-opt", "mlir-translate", "not", "split-file"], config.llvm_tools_dir)
# A tool that is not built leaves its name to the shell, whose "command not found" fails the test.
for tool in ("nag-opt", "nagc", "nag-run", "nag-bench"):
    llvm_config.add_tool_substitutions([lit.llvm.subst.ToolSubst(tool, unresolved="ignore")], tool_dirs)
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%nag_src", config.nag_src_root))


def cuda_driver():
    """The loaded driver library, or None."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


driver = cuda_driver()
if driver:
    config.available_features.add("cuda-driver")
    count = ctypes.c_int(0)
    if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0:
        config.available_features.add("cuda-device")

try:
    with open("/proc/cpuinfo") as cpuinfo:
        flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
except OSError:
    flags = []
if "avx512f" in flags:
    config.available_features.add("avx512")
