# A card of AMD that the stand-in plays as the HIP runtime: its states, suites, a kernel of the user, faults.
cmake_policy(VERSION 3.22)
set(ENV{WARPBOUND_HIP_RUNTIME} ${STAND_IN})
set(ENV{WARPBOUND_HIP_TIME_OUT} 100)
set(ENV{WARPBOUND_STAND_IN} ${OUT}/script)
set(ENV{WARPBOUND_BOARD_ROOT} ${OUT}/no-board)
# The stand-in runs the text itself.
file(WRITE ${OUT}/copying-clang "#!/bin/sh\n/bin/cp \"$6\" \"$8\"\n")
file(CHMOD ${OUT}/copying-clang PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{WARPBOUND_CLANG} ${OUT}/copying-clang)
file(REMOVE ${OUT}/c.db ${OUT}/k.db ${OUT}/room.db ${OUT}/contract.db)

include(${CMAKE_CURRENT_LIST_DIR}/stand_in.cmake)

set(measure measure --device hip:0 --benchmark dependent-pair --repetitions 5 --warm-up 1)

# States of the runtime.
set(ENV{WARPBOUND_HIP_RUNTIME} ${OUT}/no-runtime.so)
expect(0 "hip:<n> +unavailable +no HIP runtime is installed" devices)
expect(3 "hip:0: no HIP runtime is installed" ${measure})
set(ENV{WARPBOUND_HIP_RUNTIME} ${STAND_IN})
play("init 100")
expect(3 "hip:0: the HIP runtime knows no device: hipErrorNoDevice" ${measure})
play("devices 1")
expect(0 "hip:0 +available +Stand-in, gfx90a, 2 CUs, HIP runtime 6.2.41134" devices)

# What is refused before anything runs.
play("")
expect(0 "resident-warps/warps=1/blocks=66, blocks +1 +16 " measure --device hip:0 --benchmark resident-warps --repetitions 1 --warm-up 0
       --campaign ${OUT}/room.db)
expect(0 "gfx90a.*limits/max-warps: " calibrate --campaign ${OUT}/room.db)
file(REMOVE ${OUT}/room.db)
expect(0 "resident-warps/warps=1/blocks=66, blocks +2 +16 " measure --device hip:0 --benchmark resident-warps --repetitions 2
       --warm-up 0 --campaign ${OUT}/room.db)
expect(0 "gfx90a.*limits/max-blocks +16 .*limits/max-warps" calibrate --campaign ${OUT}/room.db)
play("processor gfx1011;lanes 32")
file(REMOVE ${OUT}/room.db)
expect(0 "resident-warps/warps=1/blocks=66, blocks +2 +16 " measure --device hip:0 --benchmark resident-warps --repetitions 2
       --warm-up 0 --campaign ${OUT}/room.db)
expect(0 "gfx1011.*limits/max-blocks +16 .*limits/max-warps +48 "
       calibrate --campaign ${OUT}/room.db)
play("")
expect(3 "'@!PT IADD[^']*' has no form for AMD" measure --device hip:0 --benchmark switched-off)
expect(3 "only simulated devices" ${measure} --policy gto)
set(ENV{WARPBOUND_CLANG} "")
expect(3 "need the clock rate, which cannot be measured: AMD's assembly is assembled by clang, which was not found" ${measure})
set(ENV{WARPBOUND_CLANG} ${OUT}/copying-clang)
play("out-of-memory-at 2")
expect(3 "hipMalloc failed: hipErrorOutOfMemory" ${measure})

# Suites; a later process goes on where the one that lost the device stopped.
play("time-out-at 20")
expect(3 "the device was lost in run [0-9]+: .*did not end within 100 ms" ${measure} --campaign ${OUT}/c.db)
play("")
expect(0 "dependent-pair/warps=1 .* 36 .*dependent-pair/warps=16 .* 36 " ${measure} --campaign ${OUT}/c.db)
expect(0 "dependent-pair/warps=16" measure --device recorded:${OUT}/c.db --benchmark dependent-pair --repetitions 5 --warm-up 1)
play("slow-from 9 700")
expect(0 "runs with anomalies\n  [a-z-]+/warps=[0-9]+: [0-9]+ throttled\n" ${measure})

# Rules of the timing contract: what has code runs, what has none is named. The stand-in has other times than an MI210.
play("")
expect(0 "contract-port-add takes blocks of more than 1024 work-items" measure --device hip:0 --suite contract --repetitions 5
       --warm-up 1 --campaign ${OUT}/contract.db)
expect(1 "cdna2-mi210.*C7 +not tested +port\n +contract-port-add takes blocks of more than 1024.*C9 +holds.*C11 +not tested.*has no form.*C13 +violated.*C33 +not tested +streams\n[^\n]*do not run on hip"
       contract --campaign ${OUT}/contract.db)
expect(3 "experiments of scheduling do not run on AMD cards" hypotheses --device hip:0)

# The code of benchmarks, without a device.
expect(0 "// dependent-pair/warps=16\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\".*SHADER_CYCLES.*v_add_f32_e32 v10, v8, v9"
       measure --code gfx1100 --benchmark dependent-pair)
expect(0 "// dependent-pair/warps=16\n.*asm volatile.\"v_add_f32_e32 %0, %1, %2\" : \"=v\".f9. : \"v\".f8., \"v\".f3."
       measure --code hip:gfx90a --benchmark dependent-pair)
expect(0 "// dependent-pair/warps=16\n.version 7.0.*add.rn.f32 %f9, %f8, %f3;" measure --code sm_80 --benchmark dependent-pair)
expect(3 "--code hip:sm_80; expected sm_80 or another target of PTX" measure --code hip:sm_80 --benchmark dependent-pair)
expect(3 "--code: expected one or more --benchmark" measure --code gfx90a)
expect(3 "an access of several registers" measure --code hip:gfx90a --benchmark alu-fetch-ratio-wide)

# A kernel of the user.
set(code tests/fuzz/corpus/code_object/gfx906.hsaco)
set(kernel measure --kernel one --device hip:0 --grid 1 --block 64 --arg 0=buffer:i32:64:iota --arg 1=4 --warm-up 1
    --repetitions 5)
play("processor gfx906")
expect(0 "^one of ${code} on hip:0 .Stand-in, gfx906, HIP runtime 6.2.41134.\n.*\ndevice-time +5 +240.*clock-rate: 1000.0 MHz"
       ${kernel} --module ${code} --release warm --campaign ${OUT}/k.db)
expect(3 "has code for gfx906|has machine code for gfx906|gfx1100" ${kernel} --module tests/fuzz/corpus/code_object/gfx1100.hsaco)
play("processor gfx906;wrong-output-at 4")
expect(1 "output" ${kernel} --module ${code} --release warm)

# Held against its bounds.
if(NOT ANALYZER)
  return()
endif()
play("processor gfx90a;user-time 1000")
expect(0 "bound on mi210: [0-9]+..[0-9]+ cycles.*device-time +5 +5000.*against the bounds [0-9]+..[0-9]+ ns: 5 inside, 0 below, 0 above"
       measure --module tests/data/amd/gfx90a.hsaco.xz --kernel copy --device hip:0 --grid 4 --block 256
       --arg 0=buffer:f32:1024:iota --arg 1=buffer:f32:1024:zero --gpu mi210 --release warm --warm-up 1 --repetitions 5)
