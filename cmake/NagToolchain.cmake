# Finds LLVM/MLIR 22, the linker and the compiler cache, and sets the flags that building against them needs.
find_package(MLIR REQUIRED CONFIG
  HINTS "$ENV{MLIR_DIR}" /usr/lib/llvm-22/lib/cmake/mlir)
# MLIR's package has no compatible-version rule of its own.
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "LLVM/MLIR 22 is needed, found ${LLVM_PACKAGE_VERSION} at ${MLIR_DIR}: set MLIR_DIR")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION}: ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${LLVM_DEFINITIONS_LIST})
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
link_directories(${LLVM_LIBRARY_DIRS})

# An LLVM built without assertions lays out some classes (mlir::Pass::Statistic) by NDEBUG, so every build type must define it.
if(NOT LLVM_ENABLE_ASSERTIONS)
  add_compile_definitions(NDEBUG)
endif()

find_program(NAG_CCACHE ccache)
if(NAG_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${NAG_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NAG_CCACHE}")
endif()

find_program(NAG_LLD NAMES ld.lld ld.lld-22 HINTS "${LLVM_TOOLS_BINARY_DIR}")
if(NAG_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options("--ld-path=${NAG_LLD}")
endif()
