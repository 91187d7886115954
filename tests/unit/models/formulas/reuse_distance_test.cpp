#include "models/formulas/reuse_distance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::reuse_distance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Access> at_times(const std::vector<std::pair<std::uint64_t, std::int64_t>>& stream) {
    std::vector<Access> accesses;
    for (const auto& [line, time] : stream)
        accesses.push_back({.line = line, .sectors = 1, .time = time});
    return accesses;
}

/// h: hit, m: merged, x: missed.
std::string letters(const std::vector<Outcome>& outcomes) {
    std::string text;
    for (const auto& outcome : outcomes)
        text += outcome.missed != 0 ? 'x' : outcome.merged != 0 ? 'm' : 'h';
    return text;
}

TEST(ReuseDistance, CountsDifferentLinesSinceTheLastUse) {
    Distances distances;
    std::vector<std::int64_t> found;
    for (const std::uint64_t line : {1U, 2U, 3U, 2U, 1U, 1U, 3U}) {
        found.push_back(distances.of(line).value_or(-1));
        distances.use(line);
    }
    EXPECT_THAT(found, ElementsAre(-1, -1, -1, 1, 2, 0, 2));
}

// Two ways, one set: the third line pushes out the first.
TEST(ReuseDistance, HitsBelowTheNumberOfWays) {
    const auto found = outcomes(at_times({{1, 0}, {2, 1}, {1, 2}, {3, 3}, {2, 4}, {3, 5}}),
                                {.sets = 1, .ways = 2}, {});
    EXPECT_EQ(letters(found.value()), "xxhxxh");
    EXPECT_EQ(found.value()[2].distance, 1);
}

TEST(ReuseDistance, MergesWithOutstandingData) {
    const auto found =
        outcomes(at_times({{1, 0}, {1, 9}, {1, 10}}), {.sets = 1, .ways = 2}, {.miss = 10});
    EXPECT_EQ(letters(found.value()), "xmh");
}

// Distances are taken before the fill of line 3 at 12 pushes line 1 out.
TEST(ReuseDistance, UsesALineWhenItsDataArrives) {
    const auto stream = at_times({{1, 0}, {2, 1}, {3, 12}, {1, 13}, {2, 30}});
    EXPECT_EQ(letters(outcomes(stream, {.sets = 1, .ways = 2}, {.miss = 10}).value()), "xxxhx");
}

// One miss register: line 2 waits until line 1 has come at 10, and what follows waits with it.
TEST(ReuseDistance, WaitsForAMissRegister) {
    const auto stream = at_times({{1, 0}, {2, 1}, {1, 2}});
    EXPECT_EQ(letters(outcomes(stream, {.sets = 1, .ways = 2}, {.miss = 10}).value()), "xxm");
    EXPECT_EQ(letters(outcomes(stream, {.sets = 1, .ways = 2},
                               {.miss = 10, .spread = 0, .miss_registers = 1})
                          .value()),
              "xxh");
}

TEST(ReuseDistance, FetchesSectorsOneByOneAndLosesThemWithTheLine) {
    const std::vector<Access> stream{{.line = 1, .sectors = 1, .time = 0},
                                     {.line = 1, .sectors = 3, .time = 1},
                                     {.line = 2, .sectors = 1, .time = 2},
                                     {.line = 1, .sectors = 1, .time = 3}};
    const auto found = outcomes(stream, {.sets = 1, .ways = 1}, {}).value();
    EXPECT_EQ(found[1].hit, 1U);
    EXPECT_EQ(found[1].missed, 2U);
    EXPECT_EQ(found[3].missed, 1U);
}

TEST(ReuseDistance, ALateArrivalChangesWhatHits) {
    const auto stream = at_times({{1, 0}, {1, 12}});
    EXPECT_EQ(letters(outcomes(stream, {.sets = 1, .ways = 2}, {.miss = 10}).value()), "xh");
    int merged = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        if (letters(
                outcomes(stream, {.sets = 1, .ways = 2}, {.miss = 10, .spread = 5, .seed = seed})
                    .value()) == "xm")
            ++merged;
    // |N(0, 5)| of at least 2.5 has probability 0.617.
    EXPECT_GT(merged, 20);
    EXPECT_LT(merged, 42);
}

TEST(ReuseDistance, RefusesWhatItCannotComputeWith) {
    const auto why = [](const std::vector<Access>& accesses, const Shape& shape,
                        const Timing& timing) {
        return outcomes(accesses, shape, timing).error().what;
    };
    EXPECT_THAT(why({}, {.sets = 0}, {}), HasSubstr("sets is 0"));
    EXPECT_THAT(why({}, {.ways = 0}, {}), HasSubstr("ways is 0"));
    EXPECT_THAT(why({}, {.sets = 16, .index = SetIndex::FermiL1}, {}), HasSubstr("32 or 64"));
    EXPECT_THAT(why(at_times({{1, 5}, {1, 4}}), {}, {}), HasSubstr("time of an access is 4"));
    EXPECT_THAT(why({{.line = 1, .sectors = 0}}, {}, {}), HasSubstr("no sectors"));
    EXPECT_THAT(why({}, {}, {.miss = -1}), HasSubstr("miss latency is -1"));
    EXPECT_THAT(why({}, {}, {.miss_registers = 0}), HasSubstr("miss registers is 0"));
}

} // namespace
} // namespace warpbound::models::reuse_distance
