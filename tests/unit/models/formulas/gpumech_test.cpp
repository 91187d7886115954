#include "models/formulas/gpumech.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace warpbound::models::gpumech {
namespace {

using testing::HasSubstr;

// Two instructions, a load of 100 used at once, one instruction, an addition of 18, and its use.
// Issues at 0, 1, 2, 102, 103, 121; the last result is ready at 127.
std::vector<TracedInstruction> trace() {
    return {{.latency = 6_cycles},
            {.latency = 6_cycles},
            {.latency = 100_cycles, .memory = true},
            {.latency = 6_cycles, .distances = {1}},
            {.latency = 18_cycles},
            {.latency = 6_cycles, .distances = {1, 2}}};
}

/// Each instruction executed once, in order.
Result<IssueTrace> once(const std::vector<TracedInstruction>& instructions) {
    std::vector<std::uint32_t> order(instructions.size());
    std::iota(order.begin(), order.end(), 0U);
    return issue_trace(instructions, order);
}

TEST(GpumechProfile, CutsAWarpAtItsStalls) {
    const auto intervals = intervals_of(once(trace()).value()).value();
    ASSERT_EQ(intervals.size(), 3U);
    EXPECT_EQ(intervals[0].instructions, 3);
    EXPECT_EQ(intervals[0].stall, 99_cycles); // A gap of 100.
    EXPECT_EQ(intervals[0].cause, StallCause::Memory);
    EXPECT_EQ(intervals[1].instructions, 2);
    EXPECT_EQ(intervals[1].stall, 17_cycles);
    EXPECT_EQ(intervals[1].cause, StallCause::Dependence);
    EXPECT_EQ(intervals[2].instructions, 1);
    EXPECT_EQ(intervals[2].stall, 5_cycles);
    const auto alone = performance_of(intervals, 1).value();
    EXPECT_EQ(alone.instructions, 6);
    EXPECT_EQ(alone.cycles, 127); // The elapsed time.
}

TEST(GpumechProfile, TakesGapsThatAreGiven) {
    const IssueTrace given{.gaps = {{1_cycles}, {4_cycles, StallCause::Memory}},
                           .tail = {1_cycles}};
    const auto intervals = intervals_of(given).value();
    ASSERT_EQ(intervals.size(), 2U);
    EXPECT_EQ(intervals[0].instructions, 2);
    EXPECT_EQ(intervals[0].stall, 3_cycles);
    EXPECT_EQ(intervals[1].instructions, 1);
    EXPECT_EQ(intervals[1].stall, 0_cycles);
}

// Three warps of about 100 instructions in 200 cycles and two of 300 in 300: the middle of the
// first three is nearest to warp 3.
TEST(GpumechRepresentative, IsTheMiddleOfTheLargerCluster) {
    const std::vector<WarpPerformance> warps{
        {300, 300}, {90, 200}, {301, 300}, {100, 200}, {111, 200}};
    const auto found = representative(warps).value();
    EXPECT_EQ(found.warp, 3U);
    EXPECT_EQ(found.cluster_size, 3U);
}

TEST(GpumechRepresentative, IsTheFirstOfEqualWarps) {
    const std::vector<WarpPerformance> warps(4, {100, 200});
    EXPECT_EQ(representative(warps).value().warp, 0U);
    EXPECT_EQ(representative(warps).value().cluster_size, 4U);
    const std::vector<WarpPerformance> halves{{300, 300}, {100, 300}, {300, 300}, {100, 300}};
    EXPECT_EQ(representative(halves).value().warp, 0U);
}

TEST(Gpumech, SplitsTheCyclesPerInstruction) {
    // One memory interval of 4 instructions, one other of 4; stalls 100 and 12. Two warps, round
    // robin with p = 1: 3 + 3 others. 8 + 112 + 6 = 126 cycles for 16 instructions.
    const std::vector<Interval> intervals{{.instructions = 4,
                                           .stall = 100_cycles,
                                           .cause = StallCause::Memory,
                                           .memory = {.misses = 24,
                                                      .dram_reads = 8,
                                                      .dram_writes = 9,
                                                      .l1_share = 0.25,
                                                      .l2_share = 0.5,
                                                      .dram_share = 0.25}},
                                          {.instructions = 4, .stall = 12_cycles}};
    // 48 requests at 32 registers: (32 + 2 * 16) / 48 = 4/3, so 400 / 3 cycles. DRAM: (16 + 18) * 4
    // = 136 requests of 2 cycles in 400: utilisation 0.68, 0.68 * 2 / 0.64 = 2.125 cycles.
    const Memory memory{.miss_registers = 32,
                        .miss_latency = 400,
                        .cores = 4,
                        .dram = {.clock = 1e9, .line_bytes = 128, .bandwidth = 64e9}};
    const auto found =
        predict(intervals, {.probability = IssueProbability::One, .warps = 2}, memory).value();
    const std::array<double, categories> expected{14.0 / 16, 12.0 / 16,      25.0 / 16, 50.0 / 16,
                                                  25.0 / 16, 400.0 / 3 / 16, 2.125 / 16};
    for (std::size_t category = 0; category < categories; ++category)
        EXPECT_NEAR(found.stack.at(category), expected.at(category), 1e-12)
            << to_string(static_cast<Category>(category));
    EXPECT_NEAR(found.cpi.value(), (126 + 400.0 / 3 + 2.125) / 16, 1e-12);
}

TEST(Gpumech, RefusesWhatItCannotComputeWith) {
    const Multithreading four{.warps = 4};
    const std::vector<Interval> plain{{.instructions = 1, .stall = 0_cycles}};
    const auto refused = [](const std::vector<Interval>& intervals,
                            const Multithreading& multithreading) {
        return predict(intervals, multithreading, std::nullopt).error().what;
    };
    EXPECT_THAT(refused({}, four), HasSubstr("no intervals"));
    EXPECT_THAT(refused(plain, {}), HasSubstr("warps is 0"));
    EXPECT_THAT(refused(plain, {.warps = 1, .issue_rate = 0}), HasSubstr("issue rate is 0"));
    EXPECT_THAT(refused({{.instructions = 0, .stall = 1_cycles}}, four),
                HasSubstr("instructions of an interval is 0"));
    EXPECT_THAT(
        refused({{.instructions = 1, .stall = 1_cycles, .cause = StallCause::Memory}}, four),
        HasSubstr("sum to 0"));
    EXPECT_THAT(refused({{.instructions = 1, .stall = 0_cycles, .memory = {.misses = 1}}}, four),
                HasSubstr("memory is missing"));
    EXPECT_THAT(once({}).error().what, HasSubstr("no instructions"));
    EXPECT_THAT(once({{.latency = 0_cycles}}).error().what,
                HasSubstr("latency of an instruction is 0"));
    EXPECT_THAT(intervals_of({}).error().what, HasSubstr("wait after the last issue is 0"));
    EXPECT_THAT(representative({}).error().what, HasSubstr("no warps"));
    EXPECT_THAT(mshr_occupancy(1, 0).error().what, HasSubstr("miss registers is 0"));
    EXPECT_THAT(dram_delay(1, 1, {}).error().what, HasSubstr("clock is 0"));
    EXPECT_THAT(miss_latency(1, 2, 1).error().what, HasSubstr("L2 miss rate is 2"));
}

// 30 + 0.5 * (200 + 0.25 * 400) and 200 + 0.25 * 400.
TEST(Gpumech, AveragesLatenciesByMissRates) {
    EXPECT_EQ(memory_latency({.l1 = 30, .l2 = 200, .dram = 400}, 0.5, 0.25).value(), 180);
    EXPECT_EQ(miss_latency(200, 0.25, 400).value(), 300);
}

TEST(Gpumech, ExplainsItself) {
    const std::vector<Interval> intervals{{.instructions = 3, .stall = 18_cycles}};
    const Multithreading four{.policy = Policy::GreedyThenOldest, .warps = 4};
    const auto symbols = explain(four, predict(intervals, four, std::nullopt).value());
    const ExplainedSymbol expected{"CPI dependences", 1.5, "cycles/instruction", "H14, inferred"};
    EXPECT_THAT(symbols, testing::Contains(expected));
}

} // namespace
} // namespace warpbound::models::gpumech
