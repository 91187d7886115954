/// \file
/// What `verify` reads off the instructions of a wavefront, and when they issue.

#include "certification/verify/evidence.hpp"
#include "certification/verify/terms.hpp"
#include "certification/verify/wavefront/wave_code.hpp"
#include "certification/verify/wavefront/wave_times.hpp"
#include "tests/unit/certification/amd/wavefront_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::certification::verify {
namespace {

using testing::HasSubstr;
using testing::Optional;

/// A kernel of these instructions on one wavefront, as a verifier has read it.
struct ReadKernel {
    explicit ReadKernel(const std::string& body)
        : evidence{read_evidence(
              tests::plain(build_bundle(tests::bundle_inputs(tests::wavefront_input(
                                            tests::wavefront_image(body), "k", "1x64")))
                               .value()
                               .files),
              &assembly::amd::llvm_decoder())},
          flows{check_flows(*evidence.kernels.front())}, demand{demand_of(*evidence.kernels.front(),
                                                                          flows)} {}

    Evidence evidence;
    SideFlows flows;
    LaunchDemand demand;
};

/// Moments of all issues along a straight line.
std::vector<std::int64_t> issues_of(const ReadKernel& kernel, bool upper) {
    const WaveCode waves = wave_code_of(kernel.demand.code);
    const WaveTimes times{kernel.demand.code, waves, upper, true};
    Moments moments(times.size(), 0);
    std::vector<std::int64_t> issues;
    for (std::size_t i = 0; i < waves.instructions.size(); ++i) {
        issues.push_back(times.issue(moments, i));
        times.follow(moments, i, issues.back(), false);
    }
    return issues;
}

const models::InstructionTiming& timing(const ReadKernel& kernel, std::size_t instruction) {
    return kernel.demand.code.timings[instruction].value();
}

TEST(WaveCode, NamesCountersAndWhatIsWaitedFor) {
    const ReadKernel kernel{"s_load_dword s20, s[0:1], 0x0\n"
                            "ds_read_b32 v8, v9\n"
                            "global_load_dword v1, v[2:3], off\n"
                            "s_waitcnt vmcnt(1) lgkmcnt(2)\n"
                            "s_waitcnt vmcnt(0)\n"
                            "v_add_f32 v5, v1, v1\n"};
    const WaveCode waves = wave_code_of(kernel.demand.code);
    const auto& code = waves.instructions;
    EXPECT_THAT(code[0].counter, Optional(mixed_counter));
    EXPECT_FALSE(code[0].returns_in_order);
    EXPECT_THAT(code[1].counter, Optional(mixed_counter));
    EXPECT_TRUE(code[1].returns_in_order);
    EXPECT_THAT(code[2].counter, Optional(vector_counter));
    EXPECT_THAT(code[3].waits[vector_counter], Optional(1U));
    EXPECT_THAT(code[3].waits[mixed_counter], Optional(2U));
    EXPECT_THAT(code[4].waits[vector_counter], Optional(0U));
    EXPECT_EQ(code[4].waits[mixed_counter], std::nullopt);
    EXPECT_EQ(code[5].counter, std::nullopt);
    EXPECT_EQ(waves.most_waited_for, 2U);
    EXPECT_TRUE(waves.waits_in_open_order);
}

TEST(WaveCode, PutsRegistersOfTheSameInstructionsIntoOneClass) {
    const ReadKernel kernel{"global_load_dwordx4 v[4:7], v[2:3], off\ns_waitcnt vmcnt(0)\n"};
    const auto& load = wave_code_of(kernel.demand.code).instructions[0];
    // The address, the result, and EXEC, which the load reads, too.
    EXPECT_LE(load.touches.size(), 3U);
    EXPECT_EQ(load.writes.size(), 1U);
}

TEST(WaveCode, SaysWhereExecMayBeEmpty) {
    const ReadKernel kernel{"v_rcp_f32 v1, v2\ns_and_saveexec_b64 s[8:9], vcc\nv_rcp_f32 v1, v2\n"
                            "s_or_b64 exec, exec, s[8:9]\n"};
    const auto& code = wave_code_of(kernel.demand.code).instructions;
    EXPECT_FALSE(code[0].may_be_off);
    EXPECT_TRUE(code[2].may_be_off);
    EXPECT_FALSE(code[3].may_be_off);
}

// The first load is back after its latency; the second, issued later, need not be.
TEST(WaveTimes, WaitForTheOlderOfTwoLoads) {
    const ReadKernel kernel{"global_load_dword v1, v[2:3], off\n"
                            "global_load_dword v4, v[6:7], off\n"
                            "s_waitcnt vmcnt(1)\n"
                            "s_waitcnt vmcnt(0)\n"};
    const auto latest = issues_of(kernel, true);
    const auto& load = timing(kernel, 0);
    const std::int64_t latency = load.latency.hi + load.pass_cost.hi * (load.passes.hi - 1);
    EXPECT_EQ(latest[1], port_occupancy(load)); // The port of the first one.
    EXPECT_EQ(latest[2], latency);
    EXPECT_EQ(latest[3], latest[1] + latency);
    const auto earliest = issues_of(kernel, false);
    EXPECT_EQ(earliest[2], load.latency.lo);
    EXPECT_EQ(earliest[3], std::max(earliest[1] + load.latency.lo, earliest[2] + load.gap.lo));
}

// An empty EXEC: the second instruction neither holds the port nor writes.
TEST(WaveTimes, LeaveOutWhatExecSwitchesOffOnTheLowerSide) {
    const ReadKernel kernel{"s_and_saveexec_b64 s[8:9], vcc\nv_rcp_f32 v1, v2\nv_rcp_f32 v3, v2\n"
                            "s_or_b64 exec, exec, s[8:9]\n"};
    const auto earliest = issues_of(kernel, false);
    const auto latest = issues_of(kernel, true);
    EXPECT_EQ(earliest[2] - earliest[1], timing(kernel, 1).gap.lo);
    EXPECT_EQ(latest[2] - latest[1], port_occupancy(timing(kernel, 1)));
    EXPECT_LT(earliest[2] - earliest[1], latest[2] - latest[1]);
}

/// As in a program that was built without LLVM.
class NoDecoder final : public assembly::amd::CodeDecoder {
public:
    [[nodiscard]] Result<std::vector<assembly::amd::DecodedInstruction>>
    decode(assembly::Target, int, std::string_view) const override {
        return Failure{"decoded by LLVM, which this build lacks"};
    }
    [[nodiscard]] Result<std::string> assemble(const assembly::amd::AssemblyText&) const override {
        return Failure{"decoded by LLVM, which this build lacks"};
    }
};

TEST(WavefrontEvidence, SaysWhatABuildWithoutLlvmLacks) {
    const auto files = build_bundle(tests::bundle_inputs(tests::wavefront_input(
                                        tests::wavefront_image("v_mov_b32 v1, 0\n"), "k", "1x64")))
                           .value()
                           .files;
    const NoDecoder decoder;
    Options options;
    options.tool_version = "0.1.0";
    options.rebuild = tests::rebuild_wavefront;
    options.decoder = &decoder;
    const auto steps = verify(tests::plain(files), options);
    EXPECT_EQ(overall(steps), Verdict::Incomplete);
    EXPECT_THAT(tests::step_of(steps, "schema").detail, HasSubstr("which this build lacks"));
}

} // namespace
} // namespace warpbound::certification::verify
