# Measure, calibrate, analyze with what came out: every step says what it does not know.
cmake_policy(VERSION 3.22)
file(REMOVE ${OUT}/fermi.db ${OUT}/card.xml ${OUT}/card.with.dots.xml ${OUT}/full.db)

# Runs the program; the result must be `code`, and the text that it prints contain each further argument.
function(expect code text)
  separate_arguments(arguments UNIX_COMMAND "${text}")
  execute_process(COMMAND ${PROGRAM} ${arguments} WORKING_DIRECTORY ${ROOT}
                  OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE result)
  foreach(part IN LISTS ARGN)
    string(FIND "${out}${err}" "${part}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "`${text}` lacks '${part}' in:\n${out}${err}")
    endif()
  endforeach()
  if(NOT result EQUAL code)
    message(FATAL_ERROR "`${text}` exits with ${result}, expected ${code}:\n${out}${err}")
  endif()
endfunction()

set(measure "measure --device simulated:fermi-gtx470 --repetitions 20")
expect(0 "measure --list" "calibrates: classes/barrier/latency")
foreach(benchmark switched-off result-dram barrier store-plug)
  string(APPEND benchmarks " --benchmark ${benchmark}")
endforeach()
expect(0 "${measure} ${benchmarks} --campaign ${OUT}/fermi.db" "barrier")
expect(0 "calibrate --campaign ${OUT}/fermi.db --base fermi-gtx470 -o ${OUT}/card.xml"
       "memories/dram/latency" "not identified; the base's value is kept" "classes/float-add/port: " "without benchmark")
# A range of samples is no bound: whoever uses it says so.
file(WRITE ${OUT}/meet.sass "!Kernel meet
BAR.SYNC 0x0;
EXIT;
!EndKernel
")
expect(0 "analyze ${OUT}/meet.sass --architecture ${OUT}/card.xml --launch 1x32 --format json"
       "measured ranges, which may be too narrow: classes/barrier/latency")
# What no reader would accept is not written.
expect(3 "calibrate --campaign ${OUT}/fermi.db -o ${OUT}/card.with.dots.xml" "does not read back")
if(EXISTS ${OUT}/card.with.dots.xml)
  message(FATAL_ERROR "a description that does not read back was written")
endif()
expect(2 "calibrate --campaign ${OUT}/fermi.db -o -" "needs a --name")
expect(0 "calibrate --campaign ${OUT}/fermi.db --name card -o -" "<architecture name=\"card\"")
expect(3 "calibrate --campaign ${OUT}/fermi.db --base volta-v100" "no time shows when a result is available")

# A campaign that fails is no refusal of the device: the suite ends there.
file(WRITE ${OUT}/full.sh "trap '' XFSZ; ulimit -f 80; exec \"$@\"")
execute_process(COMMAND sh ${OUT}/full.sh ${PROGRAM} measure --device simulated:fermi-gtx470 --suite quick
                        --campaign ${OUT}/full.db --repetitions 2000
                WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE result)
if(NOT result EQUAL 3 OR out MATCHES "not measured")
  message(FATAL_ERROR "exit code ${result}, expected 3:\n${out}${err}")
endif()
# Where points are missing, a table that cannot hold them leaves them to standard error.
expect(0 "measure --device simulated:volta-v100 --suite calibration --repetitions 1 --format csv"
       "warpbound: not measured: barrier: ")
