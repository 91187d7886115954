# The commands of docs/how-to/execute-on-real-data.md: a launch on data, its trace, and what is refused.
include(${CMAKE_CURRENT_LIST_DIR}/../collect_commands.cmake)
set(scan examples/everyday/scan.sm_75.sass)
set(launch --launch 4x256,shared-memory=2048,grid=4)
set(arguments --arg 0x160=buffer:i32:2048:constant=1 --arg 0x168=buffer:i32:2048:zero)
run(simulate ${scan} --gpu turing-t4 ${launch} --execute --runs 3 ${arguments} --output 0x168=${OUT}/sums.bin)
# The result is its own reference; its inputs are not.
run(simulate ${scan} --gpu turing-t4 ${launch} --execute --runs 1 ${arguments} --expect 0x168=${OUT}/sums.bin --format json)
run(simulate ${scan} --gpu turing-t4 ${launch} --execute --runs 1 ${arguments} --expect 0x160=${OUT}/sums.bin)
# On a machine whose accesses go through caches.
run(simulate ${scan} --gpu turing-rtx2080ti ${launch} --execute --runs 3 ${arguments})
# The trace gives the same times.
run(trace ${scan} ${launch} ${arguments} -o ${OUT}/traces)
run(simulate ${OUT}/traces/kernelslist.g --listing ${scan} --gpu turing-t4 --runs 3)
# Refused: an access outside, arguments that are not stated, a buffer of no known form.
run(simulate ${scan} --gpu turing-t4 ${launch} --execute --arg 0x160=buffer:i32:2048:iota --arg 0x168=buffer:i32:2000:zero)
run(simulate ${scan} --gpu turing-t4 ${launch} --execute --arg 0x160=buffer:i32:2048:iota)
run(simulate ${scan} --gpu turing-t4 ${launch} --execute --arg 0x160=buffer:i32:2048:ones)
run(simulate examples/everyday/convolution_2d.sm_75.sass --gpu turing-t4 --grid 1 --block 16x16 --execute --arg 0x160=buffer:f32:256:iota
    --arg 0x168=buffer:f32:256:zero --arg 0x170=16 --arg 0x174=16)
compare(${OUT}/traces)
