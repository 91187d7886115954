// Typical draws and an L1 that is empty for each launch: rules C78 and C79.

#include "tests/unit/harness/simulator/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace warpbound::harness::simulator::test {
namespace {

RandomSource typical_source(std::uint64_t seed = 1) {
    return {Draw::Typical, RandomStream{seed, StreamOf::Memory, 0}};
}

TEST(TypicalDraw, TakesTheTypicalNumberAndElseAnyOfTheInterval) {
    auto source = typical_source();
    std::map<std::int64_t, int> seen;
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(source.draw(Range{1, 9, 4}), 4);
        ++seen[source.draw(Range{1, 3})];
    }
    EXPECT_EQ(seen.size(), 3U);
    RandomSource uniform{Draw::Uniform, RandomStream{1, StreamOf::Memory, 0}};
    std::map<std::int64_t, int> others;
    for (int i = 0; i < 200; ++i)
        ++others[uniform.draw(Range{1, 9, 4})];
    EXPECT_EQ(others.size(), 9U);
}

TEST(TypicalDraw, TakesTheShareOfItsSectorsForAService) {
    auto source = typical_source();
    const Range service{2, 9, 6};
    EXPECT_EQ(source.draw_share(service, 4, 4), 6);
    EXPECT_EQ(source.draw_share(service, 2, 4), 3);
    EXPECT_EQ(source.draw_share(service, 1, 4), 2);
    EXPECT_EQ(source.draw_share(service, 0, 4), 2);
    std::map<std::int64_t, int> seen;
    for (int i = 0; i < 1000; ++i)
        ++seen[source.draw_share(service, 3, 4)]; // 4.5 in the mean.
    EXPECT_EQ(seen.size(), 2U);
    EXPECT_NEAR(seen[4], 500, 80);
    EXPECT_NEAR(seen[5], 500, 80);
}

TEST(TypicalDraw, SpreadsBlocksOverSms) {
    const auto program = short_program();
    auto machine = host_machine(4);
    const Workload workload{{program.kernel({6, 32})}, {launch(0, stream_a)}};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto result =
            run(workload, machine, 4, {.seed = seed, .draw = Draw::Typical, .path = {}});
        std::map<int, int> blocks;
        for (const auto& [warp, started] : result.starts())
            ++blocks[started.multiprocessor];
        EXPECT_EQ(blocks.size(), 4U);
        for (const auto& [sm, count] : blocks)
            EXPECT_LE(count, 2);
    }
}

/// Misses of the L1 and of the L2 in two launches that load the same line.
std::pair<int, int> misses_of_two_launches(std::optional<std::int64_t> invalidate) {
    auto program = straight_line({load_global(1, 1), add(2, 1, 1)});
    program.set_pattern(0).base = 0;
    auto machine = cached_machine(models::IssueControl::Interlocked);
    set(machine.blocks, "launch", 100);
    if (invalidate) set_memory(machine, "l1", "invalidate", *invalidate);
    const Workload workload{{program.kernel()}, {launch(0, stream_a), launch(0, stream_a)}};
    const auto result = run(workload, machine);
    std::pair<int, int> misses;
    for (const Event& event : result.events)
        if (const auto* accessed = std::get_if<LineAccessed>(&event))
            (accessed->level == CacheLevel::L1 ? misses.first : misses.second) +=
                accessed->missed != 0 ? 1 : 0;
    return misses;
}

TEST(L1OfALaunch, IsEmptyWhereTheDescriptionSaysSo) {
    EXPECT_EQ(misses_of_two_launches(1), (std::pair{2, 1}));
    EXPECT_EQ(misses_of_two_launches(0), (std::pair{1, 1}));
    EXPECT_EQ(misses_of_two_launches(std::nullopt), (std::pair{1, 1}));
}

} // namespace
} // namespace warpbound::harness::simulator::test
