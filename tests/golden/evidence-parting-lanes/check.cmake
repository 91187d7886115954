# Evidence of a kernel whose lanes part, under a work-conserving policy, in strict turns and in slots: what certify and verify
# say, and the sums that are claimed; and a kernel whose lanes leave a loop to further code, which is refused.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
set(folder ${OUT}/evidence)
file(REMOVE_RECURSE ${folder})
run(certify --plan tests/golden/evidence-parting-lanes/plan.xml --runs 20 -o ${folder})
run(verify ${folder})
list_terms(${folder})
set(refused tests/golden/evidence-parting-lanes/leaving)
run(certify ${refused}.sass --architecture turing-t4 --launch 1x32 --flow-facts ${refused}.flow-facts.xml -o ${OUT}/refused)
if(EXISTS ${OUT}/refused)
  message(FATAL_ERROR "something was written")
endif()
compare(${folder})
