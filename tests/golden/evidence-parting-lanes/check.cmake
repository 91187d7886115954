# Evidence of a kernel whose lanes part, under a work-conserving policy, in strict turns and in slots, and of one whose lanes
# leave a loop to further code: what certify and verify say, and the sums that are claimed.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
set(folder ${OUT}/evidence)
file(REMOVE_RECURSE ${folder})
run(certify --plan tests/golden/evidence-parting-lanes/plan.xml --runs 20 -o ${folder})
run(verify ${folder})
list_terms(${folder})
compare(${folder})
