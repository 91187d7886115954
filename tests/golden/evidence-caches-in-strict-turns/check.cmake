# Evidence of accesses through caches in strict turns, in one wave and in several: what certify and verify say, and the sums that are claimed.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
set(folder ${OUT}/evidence)
file(REMOVE_RECURSE ${folder})
run(certify --plan tests/golden/evidence-caches-in-strict-turns/plan.xml --runs 20 -o ${folder})
run(verify ${folder})
list_terms(${folder})
compare(${folder})
