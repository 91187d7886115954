// Bounds of wavefronts of AMD (S54, C99, C100), on cdna2-mi210 with exact times.
#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;

/// A special function takes 16 cycles, each branch 4; loads take 100, stores 40.
models::Architecture machine() {
    auto machine = models::load_architecture("cdna2-mi210").value();
    for (const auto& [path, cycles] :
         std::vector<std::pair<std::string, std::int64_t>>{{"classes/special-function/latency", 16},
                                                           {"classes/uniform/latency", 4},
                                                           {"classes/load-global/initiation", 4},
                                                           {"classes/load-global/pass-cost", 0},
                                                           {"classes/store-global/initiation", 4},
                                                           {"classes/store-global/pass-cost", 0},
                                                           {"classes/store-global/latency", 40},
                                                           {"memories/l1/latency", 98},
                                                           {"memories/l2/latency", 99},
                                                           {"memories/dram/latency", 100},
                                                           {"write-buffer/drain", 1},
                                                           {"classes/atomic-global/latency", 500},
                                                           {"classes/atomic-global/initiation", 4},
                                                           {"classes/atomic-global/pass-cost", 0},
                                                           {"memories/l2/atomic", 1},
                                                           {"classes/memory-fence/latency", 70},
                                                           {"classes/memory-fence/initiation", 1},
                                                           {"control-flow/branch-taken", 4},
                                                           {"control-flow/branch-not-taken", 4}})
        tests::put_value(machine, path, {cycles, cycles, cycles});
    for (auto& [opcode_class, timing] : machine.classes)
        std::erase_if(timing.values.values,
                      [](const auto& value) { return value.name == "line-interval"; });
    return machine;
}

struct Times {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
};

/// `iterations`: of every loop, at most.
Result<Times> times_of(const std::string& body, std::int64_t iterations = 1,
                       const char* processor = "gfx90a") {
    const auto function = assembly::amd::function_of(processor, body);
    if (!function) return function.as_failure();
    const auto graph = assembly::build_control_flow_graph(function.value());
    if (!graph) return graph.as_failure();
    models::FlowFacts stated;
    for (const auto& loop : graph.value().loops)
        stated.loops.push_back({graph.value().blocks[loop.header].address, 1, iterations, {}});
    for (const auto& instruction : function.value().instructions)
        if (instruction.effects.memory) {
            models::MemoryFact fact;
            fact.at = instruction.address;
            fact.transactions = models::CountRange{1, 1};
            stated.memory.push_back(fact);
        }
    const models::Architecture described = machine();
    Request request;
    request.function = &function.value();
    request.graph = &graph.value();
    request.architecture = &described;
    request.launch = {1, 64};
    const auto facts =
        facts_in_use(function.value(), graph.value(), described, request.launch, stated);
    if (!facts) return facts.as_failure();
    request.facts = &facts.value();
    const auto analysis = analyze(request);
    if (!analysis) return analysis.as_failure();
    const auto bounds = analysis.value().execution_time.bounds();
    return Times{bounds.lower().count(), bounds.upper().count()};
}

TEST(Wavefronts, TakeBothSidesOfAnIfOfLanes) {
    const std::string masks = "s_and_saveexec_b64 s[0:1], vcc\n"
                              "s_xor_b64 s[0:1], exec, s[0:1]\n";
    const std::string other = "s_andn2_saveexec_b64 s[0:1], s[0:1]\n";
    const std::string side = "v_rcp_f32 v1, v2\nv_rcp_f32 v3, v1\nv_rcp_f32 v4, v3\n";
    const auto branching =
        times_of(masks + "s_cbranch_execz Else\n" + side + "Else:\n" + other +
                 "s_cbranch_execz End\n" + side + "End:\ns_or_b64 exec, exec, s[0:1]\n");
    const auto one_side = times_of(masks + other + side + "s_or_b64 exec, exec, s[0:1]\n");
    const auto in_sequence =
        times_of(masks + side + other + side + "s_or_b64 exec, exec, s[0:1]\n");
    ASSERT_TRUE(branching && one_side && in_sequence);
    EXPECT_GE(branching.value().upper, in_sequence.value().upper);
    EXPECT_LE(branching.value().upper, in_sequence.value().upper + 2 * 4); // Two branches.
    EXPECT_GT(in_sequence.value().upper, one_side.value().upper + 2 * 16);
    EXPECT_LT(branching.value().lower, one_side.value().lower);
}

TEST(Wavefronts, WaitForAtomicsInTheOrderOfTheirIssue) {
    const std::string behind = "global_atomic_add v[2:3], v1, off\n"
                               "global_load_dword v4, v[6:7], off\n";
    const auto first = times_of(behind + "s_waitcnt vmcnt(1)\n");
    const auto none = times_of("global_load_dword v4, v[6:7], off\ns_waitcnt vmcnt(0)\n");
    ASSERT_TRUE(first) << to_string(first.error());
    ASSERT_TRUE(none) << to_string(none.error());
    EXPECT_GE(first.value().lower, 500);
    EXPECT_LE(first.value().upper, 500 + 30);
    EXPECT_LT(none.value().upper, 200);
}

TEST(Wavefronts, LoopUntilTheLastLaneLeaves) {
    const std::string loop = "s_mov_b64 s[4:5], 0\n"
                             "L:\nv_rcp_f32 v1, v1\n"
                             "s_or_b64 s[4:5], vcc, s[4:5]\n"
                             "s_andn2_b64 exec, exec, s[4:5]\n"
                             "s_cbranch_execnz L\n"
                             "s_or_b64 exec, exec, s[4:5]\n";
    const auto once = times_of(loop, 1);
    const auto often = times_of(loop, 5);
    ASSERT_TRUE(once && often);
    EXPECT_EQ(often.value().upper, once.value().upper + 4 * 16); // The unit is busy throughout.
    EXPECT_EQ(often.value().lower, once.value().lower);
}

// A load of 100 cycles, a store of 40: one of both may be outstanding only when the load is back.
TEST(Wavefronts, WaitForCountsInTheOrderOfIssue) {
    const std::string accesses = "global_load_dword v0, v[2:3], off\n"
                                 "global_store_dword v[2:3], v5, off\n";
    const auto one = times_of(accesses + "s_waitcnt vmcnt(1)\n");
    const auto both = times_of(accesses + "s_waitcnt vmcnt(0)\n");
    const auto none = times_of(accesses + "s_waitcnt vmcnt(2)\n");
    ASSERT_TRUE(one && both && none);
    EXPECT_EQ(one.value().upper, both.value().upper);
    EXPECT_LE(none.value().lower, one.value().lower);
    const auto reader = times_of(accesses + "s_waitcnt vmcnt(1)\ns_nop 9\n");
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader.value().upper, one.value().upper + 10 * 4);
    EXPECT_GE(reader.value().lower, 98 + 10 * 4);
}

// A load of 100 cycles, then one of LDS: one of each may be outstanding.
TEST(Wavefronts, WaitForSeveralCountsAtOnce) {
    const std::string accesses = "global_load_dword v0, v[2:3], off\n"
                                 "global_load_dword v1, v[2:3], off\n"
                                 "ds_read_b32 v4, v5\nds_read_b32 v6, v7\n";
    const auto after = [&](const std::string& wait) {
        return times_of(accesses + wait + "s_nop 15\n").value();
    };
    const Times both = after("s_waitcnt vmcnt(1) lgkmcnt(1)\n");
    EXPECT_EQ(both.upper,
              std::max(after("s_waitcnt vmcnt(1)\n").upper, after("s_waitcnt lgkmcnt(1)\n").upper));
    EXPECT_LT(after("s_waitcnt lgkmcnt(1)\n").lower, both.lower);
    EXPECT_LT(both.lower, after("s_waitcnt vmcnt(0) lgkmcnt(1)\n").lower + 1);
}

// What a fence takes is waited for by vmcnt.
TEST(Wavefronts, WaitForFences) {
    const auto times = [](const std::string& wait) {
        return times_of("buffer_wbl2\n" + wait + "s_nop 9\n").value();
    };
    EXPECT_GE(times("s_waitcnt vmcnt(0)\n").lower, 70 + 10 * 4);
    EXPECT_LT(times("").lower, 70 + 10 * 4);
}

TEST(Wavefronts, MayExecuteVectorInstructionsForNoLane) {
    const std::string load = "global_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\n";
    const auto certain = times_of(load);
    const auto without_branch = times_of("s_and_saveexec_b64 s[0:1], vcc\n" + load);
    ASSERT_TRUE(certain && without_branch);
    EXPECT_GE(certain.value().lower, 98);
    EXPECT_LT(without_branch.value().lower, 98);
    EXPECT_GE(without_branch.value().upper, 100);
}

// C106: of 2 units of 64 cycles at least one passes, at most three.
TEST(Wavefronts, SleepForUnitsThatTheyName) {
    const Times awake = times_of("s_nop 0\n").value();
    const Times asleep = times_of("s_sleep 2\n").value();
    EXPECT_GE(asleep.lower, 64);
    EXPECT_LE(asleep.lower, 64 + awake.lower);
    EXPECT_EQ(asleep.upper, awake.upper + 3 * 64);
}

// C107: the special function leaves its part of the pipeline in its 16 cycles, the load in 100.
TEST(Wavefronts, WaitForPartsOfThePipeline) {
    const auto times = [](const std::string& wait) {
        return times_of("v_rcp_f32 v0, v1\nglobal_load_dword v2, v[4:5], off\n" + wait +
                            "s_waitcnt vmcnt(0)\ns_nop 9\n",
                        1, "gfx1030")
            .value();
    };
    const auto then_sleep = [&](const std::string& wait) { return times(wait + "s_sleep 1\n"); };
    EXPECT_EQ(then_sleep("s_waitcnt_depctr 0xffe3\n").upper,
              then_sleep("s_waitcnt vmcnt(0)\n").upper);
    EXPECT_LT(then_sleep("s_waitcnt_depctr 0xfff\n").upper,
              then_sleep("s_waitcnt_depctr 0xffe3\n").upper);
    EXPECT_LE(then_sleep("s_waitcnt_depctr 0xffe3\n").lower, then_sleep("s_nop 0\n").lower);
}

TEST(Wavefronts, RefuseWhatTheContractDoesNotCover) {
    const auto refusal = [](const std::string& body) {
        const auto times = times_of(body);
        return times ? std::string{} : to_string(times.error());
    };
    EXPECT_THAT(refusal("flat_load_dword v1, v[2:3]\n"), HasSubstr("counts in two counters"));
    EXPECT_THAT(refusal("s_sleep 0x8001\n"), HasSubstr("how long it holds its wavefront"));
    EXPECT_THAT(refusal("ds_add_u32 v1, v2\n"), HasSubstr("classes/atomic-shared"));
}

TEST(DualIssue, TakesTheLongerTimesOfBothOperations) {
    auto machine = models::load_architecture("rdna3-7900xtx").value();
    for (const auto& [path, cycles] :
         std::vector<std::pair<std::string, std::int64_t>>{{"classes/move/latency", 3},
                                                           {"classes/move/initiation", 2},
                                                           {"classes/shift/latency", 7},
                                                           {"classes/shift/initiation", 1}})
        tests::put_value(machine, path, {cycles, cycles, cycles});
    const auto timing_of = [](const models::Architecture& of) {
        const auto function = assembly::amd::function_of(
            "gfx1100", "v_dual_mov_b32 v4, 0 :: v_dual_lshlrev_b32 v1, 3, v0\n");
        return models::instruction_timings(function.value(), of, {}, 64).at(0);
    };
    const auto timing = timing_of(machine);
    ASSERT_TRUE(timing) << to_string(timing.error());
    EXPECT_EQ(timing.value().latency.lo, 7);
    EXPECT_EQ(timing.value().latency.hi, 7);
    EXPECT_EQ(timing.value().initiation.hi, 2);
    machine.classes.erase(assembly::OpcodeClass::Shift);
    EXPECT_FALSE(timing_of(machine));
}

} // namespace
} // namespace warpbound::analyzer
