# A card through a stand-in driver that plays faults: each ends in a message and what ran is in the campaign.
cmake_policy(VERSION 3.22)
set(ENV{WARPBOUND_CUDA_DRIVER} ${STAND_IN})
set(ENV{WARPBOUND_NVML} ${STAND_IN})
set(ENV{WARPBOUND_CUDA_TIME_OUT} 100)
set(ENV{WARPBOUND_STAND_IN} ${OUT}/script)
# Disassemblers of this machine cannot read what the stand-in builds.
set(ENV{PATH} ${OUT}/no-programs)

include(${CMAKE_CURRENT_LIST_DIR}/stand_in.cmake)

set(measure measure --device cuda:0 --benchmark dependent-pair --repetitions 5 --warm-up 1)

# States of the driver.
set(ENV{WARPBOUND_CUDA_DRIVER} ${OUT}/no-driver.so)
expect(0 "cuda:<n> +unavailable +no CUDA driver is installed" devices)
expect(3 "cuda:0: no CUDA driver is installed" ${measure})
set(ENV{WARPBOUND_CUDA_DRIVER} ${STAND_IN})
play("init 34")
expect(0 "cuda:<n> +unavailable +the CUDA driver that was found is the toolkit's stub" devices)
expect(3 "cuda:0: the CUDA driver that was found is the toolkit's stub" ${measure})
play("init 100")
expect(3 "cuda:0: the CUDA driver knows no device" ${measure})
play("init 802")
expect(3 "cuda:0: the CUDA driver does not start: CUDA_ERROR_SYSTEM_NOT_READY" ${measure})
play("devices 1")
expect(0 "cuda:0 +available +Stand-in, sm_80, 2 SMs, CUDA driver 13.0" devices)

# What is refused before anything runs.
play("compile-error ptxas fatal: unexpected token")
expect(3 "the PTX was not compiled.*ptxas fatal: unexpected token" ${measure})
play("out-of-memory-at 2")
expect(3 "cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY" ${measure})
play("")
expect(3 "switched-off/n=8: '@!PT IADD[^']*' has no PTX" measure --device cuda:0 --benchmark switched-off)
expect(3 "only simulated devices" ${measure} --policy gto)
expect(3 "draws and paths are of simulated devices" ${measure} --draw all-low)

# What happens to runs; a later process goes on where the one that lost the device stopped.
expect(0 "dependent-pair/warps=1 .* 36 " ${measure})
foreach(fault "time-out-at 40;did not end within 100 ms" "illegal-address-at 40;CUDA_ERROR_ILLEGAL_ADDRESS"
              "lost-at 40;CUDA_ERROR_DEVICE_UNAVAILABLE")
  list(GET fault 0 script)
  list(GET fault 1 message)
  file(REMOVE ${OUT}/c.db)
  play("${script}")
  expect(3 "the device was lost in run [0-9]+: .*${message}" ${measure} --campaign ${OUT}/c.db)
  play("")
  expect(0 "dependent-pair/warps=16" ${measure} --campaign ${OUT}/c.db)
endforeach()
foreach(fault "clock-back-at 9;1 clock" "clock-jump-at 9;1 clock" "no-rate-at 9;1 clock"
              "no-record-at 9;1 launch-failure" "refused-at 9;1 launch-failure"
              "slow-from 9 700;[0-9]+ throttled" "reasons-from 9 64;[0-9]+ throttled")
  list(GET fault 0 script)
  list(GET fault 1 counted)
  play("${script}")
  expect(0 "runs with anomalies\n  [a-z-]+/warps=[0-9]+: ${counted}\n" ${measure})
endforeach()

# The largest launches; what is refused when the card is lost is no limit.
play("")
expect(0 "threads +1024 .*registers +255 .*the compiler took 255 registers.*shared-memory +98304" measure --device cuda:0 --limits)
expect(0 "registers,255," measure --device cuda:0 --limits --format csv)
play("time-out-at 5")
expect(3 "cuda:0: limit of threads: .*did not end within 100 ms" measure --device cuda:0 --limits)

# What fits on an SM, by blocks that wait for each other; `calibrate` inverts the counts.
play("")
file(REMOVE ${OUT}/room.db ${OUT}/room.xml)
expect(0 "resident-warps, resident-registers, resident-shared-memory: no times, but co-resident blocks of an SM.*resident-warps/warps=1/blocks=66, blocks +2 +16 "
       measure --device cuda:0 --suite residence --campaign ${OUT}/room.db --warm-up 0)
expect(0 "limits/max-blocks +16 .*limits/max-warps +48 .*limits/register-granularity +256 .*limits/register-partitions +4 .*limits/shared-memory +102400 .*limits/shared-reserved +1024 .*where the encoding times the issue.*limits/registers: resident-registers: 65536 to 66560 show the same counts.*limits/shared-granularity: resident-shared-memory: 128 to 256 show"
       calibrate --campaign ${OUT}/room.db)
# Counts of blocks go out as text and come back, and are replayed from it.
file(REMOVE ${OUT}/again.db)
expect(0 "" campaign export ${OUT}/room.db -o ${OUT}/room.csv)
expect(0 "" campaign import ${OUT}/room.csv -o ${OUT}/again.db)
expect(0 "limits/max-warps +48 " calibrate --campaign ${OUT}/again.db)
expect(0 "resident-warps/warps=1/blocks=66, blocks +2 +16 "
       measure --device recorded:${OUT}/room.csv --benchmark resident-warps --warm-up 0)
expect(0 "" calibrate --campaign ${OUT}/room.db -o ${OUT}/room.xml)
expect(0 "target sm_80, issue control encoded.*shared-memory +102400 .*resident-shared-memory" architectures ${OUT}/room.xml)
expect(0 "on cards[ \n]+`--suite[ \n]+residence`" calibrate --help)
expect(3 "would overwrite" calibrate --campaign ${OUT}/room.db --name x -o ${OUT}/./room.db)

# Copies: the stand-in's take 8 us and 10 bytes in a nanosecond, and its clock counts nanoseconds.
play("")
expect(0 "copy-to-device/bytes=4096 .*copies, a line through the means.*copy-to-device +(7999|8000)[.][0-9] +(9[.]99|10[.]00)"
       measure --device cuda:0 --benchmark copy-to-device --repetitions 3)
play("lost-at 4")
expect(3 "the device was lost in run" measure --device cuda:0 --benchmark copy-from-device --repetitions 3 --warm-up 0)

# Rules of scheduling, judged by what the stand-in plays; without what an experiment needs they are not tested.
set(ENV{WARPBOUND_CUDA_TIME_OUT} 5000)
play("")
expect(0 "device     cuda:0.*Stand-in, sm_80, CUDA driver 13.0.*G4  holds.*R2  holds.*Q3  holds"
       hypotheses --device cuda:0 --rule G1,G4,R2,Q3 --runs 2 --record ${OUT}/scheduling.json)
expect(0 "G4  holds" hypotheses --device recorded:${OUT}/scheduling.json --rule G4)
play("schedule-fault 4")
expect(1 "G4  violated.*one-stream, run 1: 'K2' began by [0-9]+, while blocks of 'K1' of its stream ran until"
       hypotheses --device cuda:0 --rule G4 --runs 1)
play("priorities 1")
expect(4 "A1  not tested.*streams have one priority, 0" hypotheses --device cuda:0 --rule A1 --runs 1)
play("timer-step 1000000")
expect(3 "cuda:0: the nanosecond timer is too coarse" hypotheses --device cuda:0 --rule A1 --runs 1)
play("fail-call cuStreamCreate 2 1")
expect(4 "G1  not tested.*cuStreamCreate failed: CUDA_ERROR_OUT_OF_MEMORY" hypotheses --device cuda:0 --rule G1 --runs 1)
