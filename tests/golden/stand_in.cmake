# Functions of the goldens of cards that the stand-in plays.

function(play)
  string(REPLACE ";" "\n" text "${ARGN}")
  file(WRITE ${OUT}/script "${text}\n")
endfunction()

# Runs warpbound; `expected` are the exit code and what standard output and error together must match.
function(expect code pattern)
  execute_process(COMMAND ${PROGRAM} ${ARGN} WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE text ERROR_VARIABLE text
                  RESULT_VARIABLE result TIMEOUT 60)
  if(NOT result EQUAL code OR NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: exit code ${result}, expected ${code} and '${pattern}':\n${text}")
  endif()
endfunction()
