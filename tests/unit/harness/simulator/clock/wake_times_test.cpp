#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/wake_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace warpbound::harness::simulator::test {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr auto year = static_cast<std::int64_t>(WakeTimes::days);

std::vector<std::size_t> due_at(WakeTimes& wakes, std::int64_t now) {
    std::vector<std::size_t> due;
    wakes.take(now, due);
    return due;
}

TEST(WakeTimes, FindTheEarliestAmongMany) {
    WakeTimes wakes;
    EXPECT_EQ(wakes.earliest(), never);
    for (std::size_t sleeper = 0; sleeper < 11; ++sleeper)
        EXPECT_EQ(wakes.add(), sleeper);
    EXPECT_EQ(wakes.earliest(), never);
    wakes.set(7, 30);
    wakes.set(10, 20);
    wakes.set(2, 30);
    EXPECT_EQ(wakes.earliest(), 20);
    EXPECT_THAT(due_at(wakes, 19), IsEmpty());
    wakes.set(10, 40);
    EXPECT_EQ(wakes.earliest(), 30);
    EXPECT_THAT(due_at(wakes, 30), UnorderedElementsAre(2, 7));
    EXPECT_EQ(wakes.earliest(), 40);
    EXPECT_THAT(due_at(wakes, 30), IsEmpty());
}

TEST(WakeTimes, DoNotMistakeALaterYearForThisOne) {
    WakeTimes wakes;
    wakes.add();
    wakes.add();
    wakes.set(0, 5 + 3 * year);
    wakes.set(1, 5 + year);
    EXPECT_EQ(wakes.earliest(), 5 + year);
    EXPECT_THAT(due_at(wakes, 5 + year), UnorderedElementsAre(1));
    wakes.set(1, 6 + year);
    EXPECT_EQ(wakes.earliest(), 6 + year);
    wakes.set(1, never);
    EXPECT_EQ(wakes.earliest(), 5 + 3 * year);
    EXPECT_THAT(due_at(wakes, 9 * year), UnorderedElementsAre(0));
}

TEST(WakeTimes, GoBackToAnEarlierCycle) {
    WakeTimes wakes;
    wakes.add();
    wakes.add();
    wakes.set(0, 1000);
    EXPECT_EQ(wakes.earliest(), 1000);
    wakes.set(1, 990);
    EXPECT_EQ(wakes.earliest(), 990);
    EXPECT_THAT(due_at(wakes, 995), UnorderedElementsAre(1));
}

/// The same as a search through all of them, for wakes near, far, and at the turn of a year.
TEST(WakeTimes, AgreeWithASearchThroughAll) {
    std::mt19937_64 engine{1};
    const auto below = [&](std::int64_t limit) {
        return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(limit));
    };
    WakeTimes wakes;
    std::vector<std::int64_t> expected(40, never);
    for (std::size_t sleeper = 0; sleeper < expected.size(); ++sleeper)
        wakes.add();
    std::int64_t now = 0;
    for (int step = 0; step < 20000; ++step) {
        const auto sleeper = static_cast<std::size_t>(below(40));
        const std::int64_t ahead[] = {1, 2, year - 1, year, year + 1, below(30), below(5 * year)};
        const bool sleeps_on = below(8) == 0;
        expected[sleeper] = sleeps_on ? never : now + ahead[below(7)];
        wakes.set(sleeper, expected[sleeper]);
        if (below(3) != 0) continue;
        const std::int64_t earliest = *std::min_element(expected.begin(), expected.end());
        ASSERT_EQ(wakes.earliest(), earliest) << "step " << step;
        if (earliest == never) continue;
        now = earliest + (below(10) == 0 ? below(2 * year) : 0);
        std::vector<std::size_t> due;
        for (std::size_t other = 0; other < expected.size(); ++other)
            if (expected[other] <= now) due.push_back(other);
        ASSERT_THAT(due_at(wakes, now), testing::UnorderedElementsAreArray(due));
        for (const std::size_t woken : due) {
            expected[woken] = now + 1 + below(40);
            wakes.set(woken, expected[woken]);
        }
    }
}

} // namespace
} // namespace warpbound::harness::simulator::test
