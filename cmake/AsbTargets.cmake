# asb_library, asb_fuzzer and asb_script_test: the three kinds of target a folder can declare.
include(GoogleTest)

# asb_library(FOLDER [SOURCES generated.cc...] [DEPENDS folders...] [LIBRARIES targets...]
#             [DEFINITIONS macros...])
# Library FOLDER from every *.cc beside the CMakeLists.txt; FOLDER_test from every *_test.cc.
# DEPENDS: project folders, linked PUBLIC. LIBRARIES: third party, PUBLIC because headers use them.
# DEFINITIONS reach the folder and its tests, nobody else.
function(asb_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES;DEFINITIONS")
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(APPEND sources ${arg_SOURCES})

  if(sources)
    add_library(${folder} STATIC ${sources})
    asb_compile_options(${folder})
    target_compile_definitions(${folder} PRIVATE ${arg_DEFINITIONS})
    target_link_libraries(${folder} PUBLIC ${arg_DEPENDS} ${arg_LIBRARIES})
  else()
    message(STATUS "src/${folder} has no .cc file yet")
    add_library(${folder} INTERFACE)
    target_link_libraries(${folder} INTERFACE ${arg_DEPENDS} ${arg_LIBRARIES})
  endif()

  if(tests AND BUILD_TESTING)
    add_executable(${folder}_test ${tests})
    asb_compile_options(${folder}_test)
    target_compile_definitions(${folder}_test PRIVATE ${arg_DEFINITIONS})
    asb_gtest(${folder}_test ${folder})
  endif()
endfunction()

# asb_gtest(TARGET libraries...): links GoogleTest and RapidCheck; every TEST becomes one ctest test.
# Under a sanitizer the whole executable is one ctest test: there a process costs up to 0.6 s to
# start, and tests that share a process share its heap. One SKIPPED test marks it skipped, which CI
# does not accept. Tests run in the source folder, so that a golden file has the same short path
# everywhere.
function(asb_gtest target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${target} PRIVATE
    ${ARGN} rapidcheck_gtest rapidcheck_gmock GTest::gmock GTest::gtest_main)
  if(ASB_SANITIZE)
    add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    set_tests_properties(${target} PROPERTIES
      TIMEOUT 300 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
    return()
  endif()
  # PRE_TEST: a build never runs what it has just linked.
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    TEST_PREFIX "${target}:" PROPERTIES TIMEOUT 60)
endfunction()

# asb_script_test(NAME SCRIPT [ARGS...]): a script beside the CMakeLists.txt. Exit 0 passes, 77 skips.
function(asb_script_test name script)
  add_test(NAME "${name}" COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/${script}" ${ARGN}
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties("${name}" PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endfunction()

# asb_fuzzer(NAME folders...): NAME.cc with LLVMFuzzerTestOneInput; its seeds are corpus/NAME/ and
# its dictionary, if any, NAME.dict. As a ctest test it replays the seeds; tools/fuzz searches.
function(asb_fuzzer name)
  add_executable(${name} ${name}.cc)
  asb_compile_options(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzzers")
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE ${ARGN})
  add_test(NAME "fuzz:${name}" COMMAND ${name} -runs=0 "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name}")
  add_dependencies(fuzzers ${name})
endfunction()
