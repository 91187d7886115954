# Ctrl-C while a series is recorded: recorded runs are kept, the exit code is 4, and the series goes on afterwards.
cmake_policy(VERSION 3.22)
file(REMOVE ${OUT}/interrupted.db)
set(command "${PROGRAM} simulate examples/microbenchmark/mad_pair_dependent.sass --architecture fermi-gtx470 \
--launch 1x1024 --campaign ${OUT}/interrupted.db")
# The file grows with the first recorded runs; more runs are asked for than could ever end.
file(WRITE ${OUT}/interrupt.sh "${command} --runs 100000000 > ${OUT}/out 2> ${OUT}/err &
running=$!
until [ -s ${OUT}/interrupted.db ]; do kill -0 $running || exit 99; done
empty=$(wc -c < ${OUT}/interrupted.db)
while [ \"$(wc -c < ${OUT}/interrupted.db)\" -le \"$empty\" ]; do kill -0 $running || exit 98; done
kill -INT $running
wait $running
")
execute_process(COMMAND sh ${OUT}/interrupt.sh WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE code)
file(READ ${OUT}/err err)
if(NOT code EQUAL 4 OR NOT err MATCHES "^warpbound: interrupted after [1-9][0-9]* of 100000000 runs; recorded runs are kept\n$")
  message(FATAL_ERROR "exit code ${code}, expected 4; standard error, with no progress in it:\n${err}")
endif()
separate_arguments(resume UNIX_COMMAND "${command} --runs 1 --format json")
execute_process(COMMAND ${resume} WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE out RESULT_VARIABLE code)
if(NOT code EQUAL 0 OR out MATCHES "\"runs\": 1,")
  message(FATAL_ERROR "exit code ${code}; expected the recorded runs in:\n${out}")
endif()
