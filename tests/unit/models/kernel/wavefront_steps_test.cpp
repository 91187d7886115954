#include "assembly/flow/control_flow_graph.hpp"
#include "models/formulas/prediction/prediction.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::models {
namespace {

/// The steps of a wavefront that passes straight-line code.
Steps steps_of(const std::string& text) {
    const auto function = assembly::amd::function_of("gfx90a", text).value();
    const auto graph = assembly::build_control_flow_graph(function).value();
    return steps_along(function, graph, std::vector<std::size_t>{0}, {}).value();
}

/// Whether the wait waits for the step so many before it.
bool waits_for(const Steps& steps, std::size_t wait, std::size_t producer) {
    for (const std::int64_t distance : steps[wait].distances)
        if (distance == static_cast<std::int64_t>(wait - producer)) return true;
    return false;
}

TEST(WavefrontSteps, AWaitForZeroWaitsForAllOperationsOfTheCounter) {
    const auto steps = steps_of("global_load_dword v4, v[6:7], off\n"
                                "global_load_dword v5, v[6:7], off\n"
                                "s_waitcnt vmcnt(0)\nv_mov_b32 v8, 0\n");
    EXPECT_TRUE(waits_for(steps, 2, 0));
    EXPECT_TRUE(waits_for(steps, 2, 1));
    EXPECT_TRUE(steps[3].distances.empty() || !waits_for(steps, 3, 1));
}

TEST(WavefrontSteps, ACountedWaitLeavesTheLastOperationsOutstanding) {
    const auto steps = steps_of("global_load_dword v4, v[6:7], off\n"
                                "global_load_dword v5, v[6:7], off\n"
                                "global_load_dword v8, v[6:7], off\n"
                                "s_waitcnt vmcnt(2)\ns_waitcnt vmcnt(1)\n");
    EXPECT_TRUE(waits_for(steps, 3, 0));
    EXPECT_FALSE(waits_for(steps, 3, 1));
    // The first has returned: it delays nothing any more.
    EXPECT_FALSE(waits_for(steps, 4, 0));
    EXPECT_TRUE(waits_for(steps, 4, 1));
    EXPECT_FALSE(waits_for(steps, 4, 2));
}

/// A store counts in vmcnt, before gfx10.
TEST(WavefrontSteps, CountersAreWaitedForEachByItself) {
    const auto steps = steps_of("ds_read_b32 v4, v5\n"
                                "global_store_dword v[6:7], v8, off\n"
                                "s_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(0)\n");
    EXPECT_TRUE(waits_for(steps, 2, 0));
    EXPECT_FALSE(waits_for(steps, 2, 1));
    EXPECT_TRUE(waits_for(steps, 3, 1));
    EXPECT_FALSE(waits_for(steps, 3, 0));
}

TEST(WavefrontSteps, NopsAndSleepsCountTheirTimes) {
    const auto steps = steps_of("s_nop 3\ns_sleep 2\nv_mov_b32 v8, 0\n");
    EXPECT_EQ(steps[0].stall, 4);
    EXPECT_EQ(steps[1].sleep, 2);
    EXPECT_EQ(steps[2].sleep, std::nullopt);
}

prediction::Setting of_one_wavefront() {
    prediction::Setting setting;
    setting.architecture = load_architecture("cdna2-mi210").value();
    setting.launch = {1, 64};
    return setting;
}

/// 4 issue intervals of 4 cycles, then 4 + 2 x 64 cycles, then the move issues; its result is
/// there 4 cycles later, and the end issues then.
TEST(WavefrontSteps, GapsOfAWavefrontAreThoseOfTheContract) {
    NamedProfile profile;
    profile.name = "k";
    profile.steps = steps_of("s_nop 3\ns_sleep 2\nv_mov_b32 v8, 0\n");
    profile.counts = counts_of(profile.steps);
    const prediction::Setting setting = of_one_wavefront();
    const auto time = prediction::predict(prediction::Model::GpuMech, profile, setting,
                                          prediction::Variant::Typical);
    ASSERT_FALSE(time.refused()) << time.why();
    EXPECT_EQ(time.time->value(), 16 + 132 + 4 + 1);
}

TEST(WavefrontSteps, AlwaysAtMostAsManyOperationsAsAreKeptAreWaitedFor) {
    std::string text;
    for (int load = 0; load < 40; ++load)
        text += "global_load_dword v4, v[6:7], off\n";
    const auto steps = steps_of(text + "s_waitcnt vmcnt(39)\ns_waitcnt vmcnt(20)\n");
    EXPECT_TRUE(waits_for(steps, 40, 0));
    EXPECT_FALSE(waits_for(steps, 40, 1));
    EXPECT_EQ(steps[41].distances.size(), 19U);
}

TEST(WavefrontSteps, AModelOfAnotherKindOfMachineIsRefusedByName) {
    NamedProfile profile;
    profile.name = "k";
    profile.steps = steps_of("v_mov_b32 v8, 0\n");
    profile.counts = counts_of(profile.steps);
    const prediction::Setting setting = of_one_wavefront();
    const auto answer = prediction::predict(prediction::Model::AluFetch, profile, setting,
                                            prediction::Variant::Typical);
    ASSERT_TRUE(answer.refused());
    EXPECT_NE(answer.why().find("gfx90a issues single instructions"), std::string::npos);
}

} // namespace
} // namespace warpbound::models
