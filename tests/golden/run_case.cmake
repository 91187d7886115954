# Runs one case and compares, or rewrites the expectation with APPROVE.
cmake_policy(VERSION 3.22)
file(STRINGS ${CASE}/command arguments)
string(REPLACE "@CASE@" "${CASE}" arguments "${arguments}")
separate_arguments(arguments UNIX_COMMAND "${arguments}")
execute_process(COMMAND ${PROGRAM} ${arguments} WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE code)
string(REPLACE "${ROOT}/" "" text "${out}${err}exit code ${code}\n")
include(${CMAKE_CURRENT_LIST_DIR}/compare.cmake)
