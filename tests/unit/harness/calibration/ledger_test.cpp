// Combination of readings, and rounding.
#include "harness/calibration/ledger.hpp"
#include "harness/calibration/levels.hpp"
#include "harness/calibration/relations.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

TEST(Levels, RefuseLoadsServedNearlyAsOftenByEitherLevel) {
    EXPECT_TRUE(most_are(20, 20, "a").value());
    EXPECT_TRUE(most_are(17, 20, "a").value());
    EXPECT_FALSE(most_are(3, 20, "a").value());
    for (const std::int64_t inside : {4, 9, 10, 11, 16})
        EXPECT_FALSE(most_are(inside, 20, "a")) << inside;
    EXPECT_EQ(most_are(11, 20, "cache-ways/lines=22").error().what,
              "of 20 loads of cache-ways/lines=22 11 are faster than the next level: the level "
              "that serves them is random");
}

TEST(Ledger, KeepsTheSharpestReading) {
    Ledger ledger;
    const RecordedSeries series{{}, {{0, 1, {1}}}};
    ledger.read("a/b", {{1, std::nullopt, 6}, Sharpness::AtMost, "coarse", {&series}});
    ledger.read("a/b", {{4, 4, 4}, Sharpness::Exact, "fine", {&series}});
    const auto findings = ledger.findings();
    ASSERT_TRUE(findings);
    EXPECT_EQ(findings.value().front().interval.lo, 4);
    EXPECT_EQ(ledger.number("a/b"), 4);
}

TEST(Ledger, CombinesANumberInsideARangeToTheRange) {
    Ledger ledger;
    const RecordedSeries series{{}, {{0, 1, {1}}}};
    ledger.read("a/b", {{5, 5, 5}, Sharpness::Exact, "chain", {&series}});
    ledger.read("a/b", {{4, 5, 6}, Sharpness::Range, "delay", {&series}});
    const auto findings = ledger.findings();
    ASSERT_TRUE(findings);
    EXPECT_EQ(findings.value().front().interval.lo, 4);
    EXPECT_EQ(findings.value().front().interval.hi, 6);
    EXPECT_EQ(static_cast<int>(findings.value().front().sharpness),
              static_cast<int>(Sharpness::Range));
}

TEST(Nearest, RoundsHalvesUpward) {
    EXPECT_EQ(nearest(5, 2), 3);
    EXPECT_EQ(nearest(-5, 2), -2);
    EXPECT_EQ(nearest(-7, 4), -2);
    EXPECT_EQ(nearest(158, 32), 5);
}

} // namespace
} // namespace warpbound::harness
