# Functions that say once how a library, a tool and a unit test of this project are built and linked.

# nag_add_library(NagFoo Foo.cpp ... [DEPENDS gen-targets] [LINK libs])
# A static library of ours. MLIR comes from the shared libMLIR.so, exactly once in a program.
function(nag_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY NAG_LIBRARIES ${name})
endfunction()

# nag_add_tool(nag-foo main.cpp ... LINK libs)
function(nag_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  install(TARGETS ${name} RUNTIME DESTINATION bin)
  set_property(GLOBAL APPEND PROPERTY NAG_TOOLS ${name})
endfunction()

# nag_add_unittest(FooTests A.cpp ... [LINK libs])
# A GoogleTest program with one ctest entry. Built by `check-nag-unit`, not by `all`: who only wants the compiler need not
# wait for it.
function(nag_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test/unit")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main MLIR LLVM)
  add_dependencies(nag-unit-tests ${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT 600
    ENVIRONMENT "GTEST_OUTPUT=json:${CMAKE_BINARY_DIR}/test/results/unit/${name}.json")
endfunction()
