# A solver without time: the bound from loop bounds alone, said to be that, and exit code 4. With time the fact counts.
cmake_policy(VERSION 3.22)
function(analyze code bound)
  execute_process(COMMAND ${PROGRAM} analyze examples/saxpy/sm_75.sass --architecture turing-t4 --launch 1x32
                          --assume fetch=none --assume register-file=none
                          --flow-facts tests/golden/limit/facts.xml ${ARGN}
                  WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE out RESULT_VARIABLE ended)
  if(NOT ended EQUAL code OR NOT out MATCHES "upper bound ${bound} cycles")
    message(FATAL_ERROR "analyze ${ARGN}: expected ${bound} cycles and exit code ${code}:\n${out}\nexit code ${ended}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " out "${out}")
  set(out "${out}" PARENT_SCOPE)
endfunction()
analyze(0 5398)
analyze(4 6518 --time-limit 0)
if(NOT out MATCHES "a limit stopped the search for a tighter bound")
  message(FATAL_ERROR "the limit is not named:\n${out}")
endif()
