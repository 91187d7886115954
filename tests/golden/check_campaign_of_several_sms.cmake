# Runs on several SMs are no observations of a bound on one: `analyze` names them and refuses. Of a bound on as many they are.
cmake_policy(VERSION 3.22)
file(REMOVE ${OUT}/several.db)
set(launch examples/microbenchmark/mad_pair_dependent.sass --architecture fermi-gtx470 --launch 2x64)
execute_process(COMMAND ${PROGRAM} simulate ${launch} --runs 5 --multiprocessors 2 --campaign ${OUT}/several.db
                WORKING_DIRECTORY ${ROOT} OUTPUT_QUIET RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "simulate exits with ${code}")
endif()
execute_process(COMMAND ${PROGRAM} analyze ${launch} --campaign ${OUT}/several.db
                WORKING_DIRECTORY ${ROOT} OUTPUT_QUIET ERROR_VARIABLE err RESULT_VARIABLE code)
if(NOT code EQUAL 3 OR NOT err MATCHES "2 multiprocessors")
  message(FATAL_ERROR "exit code ${code}, expected 3; standard error:\n${err}")
endif()
execute_process(COMMAND ${PROGRAM} analyze ${launch} --multiprocessors 2 --campaign ${OUT}/several.db
                WORKING_DIRECTORY ${ROOT} OUTPUT_QUIET ERROR_VARIABLE err RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "exit code ${code}, expected 0 with as many SMs; standard error:\n${err}")
endif()
