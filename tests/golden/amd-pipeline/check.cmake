# A stage of a pipeline that is code of AMD: bounded, simulated, and certified.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
run(pipeline tests/golden/amd-pipeline/system.xml --simulate 5 --quiet --evidence ${OUT}/evidence)
run(verify ${OUT}/evidence)
string(REPLACE "${OUT}/" "" text "${text}")
compare("${OUT}/none")
