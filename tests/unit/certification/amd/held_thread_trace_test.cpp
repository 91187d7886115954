// Thread traces held against bounds on single instructions, and their drawing.
#include "analyzer/flow/facts_in_use.hpp"
#include "analyzer/preparation.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "certification/thread_trace/held_thread_trace.hpp"
#include "certification/thread_trace/thread_trace_html.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::certification {
namespace {

using harness::trace::ThreadTrace;
using harness::trace::ThreadTraceCategory;
using harness::trace::ThreadTraceWave;
using testing::HasSubstr;
using testing::Not;

/// A scalar load of 50 to 100 cycles, a wait for it, and the end.
class HeldThreadTraces : public testing::Test {
protected:
    HeldThreadTraces() : machine_{models::load_architecture("cdna2-mi210").value()} {
        tests::put_value(machine_, "classes/load-constant/latency", {50, std::nullopt, 100});
        function_ = assembly::amd::function_of(
                        "gfx90a", "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n")
                        .value();
        graph_ = assembly::build_control_flow_graph(function_).value();
        trace_.code.kernels.push_back({function_.name, 1, 0});
        for (const auto& instruction : function_.instructions)
            trace_.code.instructions.push_back({"s_text", "", instruction.address, 0, 1});
    }

    /// A wavefront that waits so long.
    ThreadTraceWave wave(std::int64_t wait, std::int64_t simd = 0, std::int64_t slot = 0) const {
        ThreadTraceWave wave{.file = fmt::format("s{}_{}.json", simd, slot),
                             .begin = 100,
                             .end = 108 + wait,
                             .steps = {},
                             .engine = "SE0",
                             .simd = simd,
                             .slot = slot};
        wave.steps = {{100, 4, 0, 0, ThreadTraceCategory::ScalarMemory},
                      {104, wait, wait - 4, 1, ThreadTraceCategory::Immediate},
                      {104 + wait, 4, 0, 2, ThreadTraceCategory::Immediate}};
        return wave;
    }

    HeldThreadTrace held() {
        const models::Launch launch{1, 64};
        facts_ = analyzer::facts_in_use(function_, graph_, machine_, launch, {}).value();
        analyzer::Request request;
        request.function = &function_;
        request.graph = &graph_;
        request.architecture = &machine_;
        request.facts = &facts_;
        request.launch = launch;
        auto bounds = analyzer::InstructionBounds::of(analyzer::prepare(request).value()).value();
        return hold(trace_, 0, function_, bounds);
    }

    models::Architecture machine_;
    assembly::Function function_;
    assembly::ControlFlowGraph graph_;
    models::FlowFacts facts_;
    ThreadTrace trace_;
};

TEST_F(HeldThreadTraces, CompareIssuesWithTheirBounds) {
    trace_.waves = {wave(50), wave(100)};
    const HeldThreadTrace all = held();
    EXPECT_EQ(all.wavefronts, 2);
    EXPECT_EQ(all.longest, 108);
    EXPECT_EQ(all.held, 4);
    EXPECT_EQ(all.outside, 0);
    ASSERT_EQ(all.instructions.size(), 3U);
    EXPECT_EQ(all.instructions[0].distance.count, 0); // Nothing issued before.
    EXPECT_EQ(all.instructions[1].distance.least, 50);
    EXPECT_EQ(all.instructions[1].distance.most, 100);
    EXPECT_EQ(all.instructions[1].lower, 50);
    EXPECT_EQ(all.instructions[1].upper, 100);
}

TEST_F(HeldThreadTraces, NameWhatIsOutside) {
    trace_.waves = {wave(49), wave(70)};
    EXPECT_EQ(held().outside, 1);
    EXPECT_EQ(held().first_outside, "s0_0.json: /wave/instructions/1: 0x0008 s_text issues 49 "
                                    "cycles after the one before; its bound is 50 to 100");
    trace_.waves = {wave(101)};
    EXPECT_EQ(held().outside, 1);
    EXPECT_EQ(held().instructions[1].outside, 1);
    EXPECT_THAT(thread_trace_section(held(), false, {}), HasSubstr("1 issues lie outside"));
}

TEST_F(HeldThreadTraces, LeaveGapsAndOtherKernelsOut) {
    trace_.waves = {wave(49)};
    trace_.waves[0].steps[0].instruction.reset();
    EXPECT_EQ(held().held, 1);
    EXPECT_EQ(held().outside, 0);
    trace_.code.kernels.push_back({"other", 1, 0});
    for (auto& instruction : trace_.code.instructions)
        instruction.kernel = 1;
    EXPECT_EQ(held().wavefronts, 0);
    EXPECT_EQ(thread_trace_figure(held(), FigureSize::Wide), "");
}

TEST_F(HeldThreadTraces, AreDrawnByWhatTakesTheCyclesOfAColumn) {
    trace_.waves = {wave(200)};
    const HeldThreadTrace drawn = held();
    ASSERT_EQ(drawn.slots.size(), 1U);
    const DrawnColumns& columns = drawn.slots[0].columns;
    EXPECT_EQ(name_of_kind(columns[0].executing - 1U), "scalar memory");
    EXPECT_EQ(columns[0].share, 255);
    EXPECT_EQ(columns[trace_columns / 2].share, 0);
    EXPECT_EQ(name_of_kind(columns[trace_columns / 2].stalled - 1U), "wait");
    EXPECT_TRUE(columns[trace_columns - 1].present);
}

/// 100 slots of 10,000 instructions, which no two columns show alike.
TEST_F(HeldThreadTraces, OfAnySizeStaySmall) {
    for (std::int64_t slot = 0; slot < 100; ++slot) {
        ThreadTraceWave long_wave = wave(50, slot % 4, slot / 4);
        long_wave.steps.clear();
        std::int64_t time = 0;
        for (std::int64_t i = 0; i < 10'000; ++i) {
            const std::int64_t stall = (i * (slot + 7)) % 61;
            const auto category = static_cast<ThreadTraceCategory>(1 + (i / 7 + slot) % 12);
            long_wave.steps.push_back({time, stall + 4, stall, 0, category});
            time += stall + 4;
        }
        long_wave.begin = 0;
        long_wave.end = time;
        trace_.waves.push_back(long_wave);
    }
    const std::string section = thread_trace_section(held(), false, {});
    EXPECT_THAT(section, HasSubstr("the first 80 of 100 slots"));
    EXPECT_LT(section.size(), 2'000'000U);
    EXPECT_GT(section.size(), 100'000U);
}

} // namespace
} // namespace warpbound::certification
