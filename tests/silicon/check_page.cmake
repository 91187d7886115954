# Runs the comparison and compares its tables with those of the page.
cmake_policy(VERSION 3.22)
execute_process(COMMAND ${PROGRAM} ${TABLES} ${DESCRIPTIONS} ${TABLES}/rows.csv OUTPUT_VARIABLE tables ERROR_VARIABLE outside
                RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "outside their intervals, or hidden:\n${outside}")
endif()
file(READ ${PAGE} page)
string(FIND "${page}" "<!-- tables -->\n${tables}<!-- end of tables -->" at)
if(at EQUAL -1)
  message(FATAL_ERROR "the tables of ${PAGE} are out of date; scripts/silicon.sh writes them")
endif()
