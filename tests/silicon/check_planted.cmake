# Rows outside their intervals are refused by name; the others are counted with the reason.
cmake_policy(VERSION 3.22)
execute_process(COMMAND ${PROGRAM} ${TABLES} ${DESCRIPTIONS} ${CASE}/planted.csv OUTPUT_VARIABLE tables ERROR_VARIABLE outside
                RESULT_VARIABLE code)
string(REGEX MATCH "^[^\n]*\n" summary "${tables}")
string(REGEX REPLACE "^.*\\*\\*Rows that speak of no value.\\*\\*\n\n" "" unmapped "${tables}")
set(text "${summary}${outside}${unmapped}exit code ${code}\n")
if(APPROVE)
  file(WRITE ${CASE}/planted.txt "${text}")
endif()
file(READ ${CASE}/planted.txt expected)
if(NOT text STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}\ngot:\n${text}")
endif()
