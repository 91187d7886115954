# What `calibrate` reads of a machine with encoded issue control: a T4 of which every value is one number, without
# instruction caches; then the T4 as it is described, whose times vary; then what devices that compile say.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
file(READ ${ROOT}/models/architecture/data/turing-t4.xml machine)
string(REGEX REPLACE "lo=\"([0-9]+)\"( typical=\"[0-9]+\")? hi=\"[0-9]+\"" "value=\"\\1\"" machine "${machine}")
string(REGEX REPLACE "<fetch>.*</fetch>" "<fetch/>" machine "${machine}")
string(REPLACE "name=\"turing-t4\"" "name=\"exact-turing\"" machine "${machine}")
string(REPLACE " stands-for-target=\"yes\"" "" machine "${machine}")
file(WRITE ${OUT}/exact-turing.xml "${machine}")
file(REMOVE ${OUT}/exact.db ${OUT}/t4.db ${OUT}/card.xml)
set(benchmarks)
foreach(benchmark switched-off start-order crowd-switched-off spacing-float-add crowd-float-add tight-float-add
        search-float-add search-integer-multiply search-double result-load-shared result-l2 barrier)
  list(APPEND benchmarks --benchmark stated-${benchmark})
endforeach()
execute_process(COMMAND ${PROGRAM} measure --device simulated:${OUT}/exact-turing.xml ${benchmarks} --repetitions 20 --warm-up 0
                        --campaign ${OUT}/exact.db -q OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
run(calibrate --campaign ${OUT}/exact.db -o ${OUT}/card.xml)
string(REGEX REPLACE "\n  [^\n]*was not measured[^\n]*" "" text "${text}")
string(REGEX REPLACE "\nwithout benchmark\n( [^\n]*\n)+" "\n" text "${text}")
execute_process(COMMAND ${PROGRAM} measure --device simulated:turing-t4 --benchmark stated-switched-off --repetitions 20
                        --campaign ${OUT}/t4.db -q OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} calibrate --campaign ${OUT}/t4.db -q OUTPUT_VARIABLE out COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "  classes/float-add/latency: [^\n]*\n" latency "${out}")
string(APPEND text "turing-t4\n${latency}\n")
run(measure --device simulated:maxwell-gtx970 --benchmark stated-switched-off)
compare(${OUT}/evidence)
