# A pipeline from its description to a verdict, and mistakes in a description with what to type instead.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
run(pipeline examples/pipeline/camera.xml --simulate 20 --sensitivity --quiet)
# An estimate of misses, in every format; the files of --output hold the same.
set(misses docs/theory/examples/9-misses.xml)
run(pipeline ${misses} --quiet)
foreach(format xml csv html)
  run(pipeline ${misses} --simulate 2 --sensitivity --format ${format} -o ${OUT}/misses.${format} --quiet)
  file(READ ${OUT}/misses.${format} written)
  string(FIND "${text}" "${written}exit code" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "misses.${format} is not what --format ${format} prints")
  endif()
endforeach()
run(pipeline ${misses} --format json -o ${OUT}/misses.json -o ${OUT}/misses.txt)
run(pipeline ${misses} --format stm)
run(pipeline ${misses} --format stm --stm-submission 50us -o ${OUT}/misses.yaml)
run(pipeline ${misses} -o ${OUT}/misses.pdf)
string(REGEX REPLACE "<style>[^<]*</style>" "<style>..</style>" text "${text}")
string(REGEX REPLACE "tool-version=\"[^\"]*\"" "tool-version=\"..\"" text "${text}")
string(REGEX REPLACE "warpbound [0-9.]+; description" "warpbound ..; description" text "${text}")
# Every mistake replaces one text of the template.
execute_process(COMMAND ${PROGRAM} pipeline --template OUTPUT_VARIABLE template)
function(changed from to)
  string(REPLACE "${from}" "${to}" file "${template}")
  if(file STREQUAL template)
    message(FATAL_ERROR "'${from}' is not in the template")
  endif()
  file(WRITE ${OUT}/pipelines.xml "${file}")
  run(pipeline ${OUT}/pipelines.xml --quiet)
  set(text "${text}" PARENT_SCOPE)
endfunction()
file(WRITE ${OUT}/pipelines.xml "${template}")
run(pipeline ${OUT}/pipelines.xml --simulate 20)
run(pipeline ${OUT}/pipelines.xml --format json)
run(pipeline)
# Missing: the bound together with the others is refused, the one alone is there.
changed("<traffic level=\"l2\" burst=\"4MB\" rate=\"100GB/s\"/>" "")
changed(" dram-traffic=\"60MB\"" "")
changed(" l2-lines=\"kept\"" "")
changed("<memory level=\"dram\" bandwidth=\"250GB/s\"/>" "")
# Violated, undecided, overloaded.
changed("deadline=\"30ms\"" "deadline=\"3ms\"")
changed("deadline=\"30ms\"" "deadline=\"9ms\"")
changed("period=\"33333333ns\"" "period=\"6ms\"")
# Mistakes
changed("period=\"33333333ns\"" "period=\"33\"")
changed("period=\"33333333ns\" " "")
changed("after=\"upload\"" "after=\"uplaod\"")
changed("name=\"upload\"" "name=\"up load\"")
changed("<pipelines clock" "<pipelines machine=\"ampere-orin\" clock")
changed("<pipelines clock" "<pipelines machine=\"ampere-oron\" clock")
changed("partition=\"vision\" at" "partition=\"visoin\" at")
changed("at-least=\"2ms\" at-most=\"6ms\"" "at-least=\"7ms\" at-most=\"6ms\"")
changed(" at-least=\"2ms\" at-most=\"6ms\"" "")
changed(" source=\"campaign detect.db, longest of 5000 runs\"" "")
changed("partition=\"vision\" at" "partition=\"vision\" priority=\"1\" at")
changed("copy-order=\"fifo\"" "copy-order=\"lifo\"")
changed("burst=\"4MB\" rate=\"100GB/s\"" "burst=\"4MiB\" rate=\"100GB/s\"")
changed("criticality=\"hard\"" "criticality=\"hard\" tolerated-miss-rate=\"0.01\"")
changed("criticality=\"hard\"" "jobs=\"overlap\"")
changed("<host name=\"actuate\"" "<hots name=\"actuate\"")
changed("clock=\"1350..1590MHz\"" "clock=\"1590\"")
changed("at-least=\"2ms\" at-most=\"6ms\"
            basis=\"measured\" source=\"campaign detect.db, longest of 5000 runs\"" "file=\"detect.cubin\" launch=\"1x32\"")
changed("          at-least=\"600us\" at-most=\"900us\"" "")
# Samples of a campaign, at the lowest clock; a series that it does not have.
file(REMOVE ${OUT}/saxpy.db)
execute_process(COMMAND ${PROGRAM} simulate examples/saxpy/sm_75.sass --architecture turing-t4 --launch 2x128 --runs 40
                        --flow-facts examples/saxpy/sm_75.flow-facts.xml --campaign ${OUT}/saxpy.db
                WORKING_DIRECTORY ${ROOT} OUTPUT_QUIET ERROR_QUIET)
foreach(series saxpy_loop saxpy)
  file(WRITE ${OUT}/saxpy.xml "<pipelines clock=\"1350..1590MHz\">
  <device copy-engines=\"1\" memory-interference=\"none\"><partition name=\"all\" multiprocessors=\"40\"/></device>
  <pipeline name=\"soft\" period=\"1ms\" deadline=\"8us\" criticality=\"soft\" tolerated-miss-rate=\"0.9\">
    <kernel name=\"saxpy\" partition=\"all\" at-most=\"8us\"><samples campaign=\"saxpy.db\" series=\"${series}\"/></kernel>
    <host name=\"show\" after=\"saxpy\" at-most=\"4us\"/>
  </pipeline>
</pipelines>
")
  run(pipeline ${OUT}/saxpy.xml --quiet)
endforeach()
# Samples: no file, no time in a line, a time above at-most, no campaign.
set(sample "<samples file=\"detect.csv\" unit=\"us\"/></kernel>")
set(kernel "l2-traffic=\"200MB\" dram-traffic=\"60MB\"/>")
file(REMOVE ${OUT}/detect.csv)
changed("${kernel}" "l2-traffic=\"200MB\" dram-traffic=\"60MB\">${sample}")
file(WRITE ${OUT}/detect.csv "time\n2000\nslow\n")
changed("${kernel}" "l2-traffic=\"200MB\" dram-traffic=\"60MB\">${sample}")
file(WRITE ${OUT}/detect.csv "2000\n7000\n")
changed("${kernel}" "l2-traffic=\"200MB\" dram-traffic=\"60MB\">${sample}")
changed("${kernel}" "l2-traffic=\"200MB\" dram-traffic=\"60MB\"><samples campaign=\"none.db\" series=\"detect\"/></kernel>")
changed("criticality=\"hard\"" "dependence=\"independent\"")
# An estimate has no value where the bound with the others is missing.
file(WRITE ${OUT}/detect.csv "2000\n6000\n")
string(REPLACE "${kernel}" "l2-traffic=\"200MB\" dram-traffic=\"60MB\">${sample}" template "${template}")
changed("<traffic level=\"l2\" burst=\"4MB\" rate=\"100GB/s\"/>" "")
string(REPLACE "${OUT}/" "" text "${text}")
compare("${OUT}/none")
