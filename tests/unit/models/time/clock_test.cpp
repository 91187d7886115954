#include "models/time/clock.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace warpbound::models {
namespace {

constexpr std::int64_t mega = 1'000'000;

TEST(ClockRange, ReadsOneFrequencyOrTwo) {
    EXPECT_EQ(parse_clock("1590MHz").value(), (ClockRange{1590 * mega, 1590 * mega}));
    EXPECT_EQ(parse_clock("1.59GHz").value(), (ClockRange{1590 * mega, 1590 * mega}));
    EXPECT_EQ(parse_clock("1350..1590MHz").value(), (ClockRange{1350 * mega, 1590 * mega}));
    EXPECT_EQ(parse_clock("1350MHz..1590MHz").value(), (ClockRange{1350 * mega, 1590 * mega}));
    EXPECT_EQ(parse_clock("585000kHz..1.59GHz").value(), (ClockRange{585 * mega, 1590 * mega}));
    EXPECT_EQ(parse_clock("1.35..1.59 ghz").value(), (ClockRange{1350 * mega, 1590 * mega}));
    EXPECT_EQ(parse_clock("1000001Hz").value(), (ClockRange{mega + 1, mega + 1}));
}

TEST(ClockRange, RefusesOtherText) {
    for (const char* const text : {"",
                                   "1590",
                                   "MHz",
                                   "1590MH",
                                   "1590ms",
                                   "-1590MHz",
                                   "+1590MHz",
                                   "0MHz",
                                   "0.9MHz",
                                   "1590Hz",
                                   "1590GHz",
                                   "10.000000001GHz",
                                   "99999999999999999999GHz",
                                   "1.0000000001GHz",
                                   "1590..1350MHz",
                                   "1350...1590MHz",
                                   "1350..MHz",
                                   "..1590MHz",
                                   "1350MHz..1590",
                                   "1350-1590MHz",
                                   "1,59GHz",
                                   "1e9Hz",
                                   "nan MHz",
                                   "1350..1590..1700MHz",
                                   "1590MHz ",
                                   " 1590MHz"})
        EXPECT_FALSE(parse_clock(text).has_value()) << text;
}

TEST(ClockRange, SaysWhatIsWrong) {
    const auto why = [](const char* text) { return parse_clock(text).error().what; };
    EXPECT_NE(why("1590").find("it has no unit"), std::string::npos);
    EXPECT_NE(why("1590Mhzz").find("unknown unit"), std::string::npos);
    EXPECT_NE(why("1590GHz").find("above 10 GHz"), std::string::npos);
    EXPECT_NE(why("1590Hz").find("below 1 MHz"), std::string::npos);
    EXPECT_NE(why("1590..1350MHz").find("lower end is above"), std::string::npos);
    EXPECT_NE(why("1590").find("1350..1590MHz"), std::string::npos);
}

TEST(ClockRange, ReadsWhatItPrints) {
    EXPECT_EQ(to_string(ClockRange{1350 * mega, 1590 * mega}), "1350..1590 MHz");
    EXPECT_EQ(to_string(ClockRange{1590 * mega, 1590 * mega}), "1590 MHz");
    EXPECT_EQ(to_string(ClockRange{1'215'500'000, 1590 * mega}), "1215500..1590000 kHz");
    for (const auto& clock : {ClockRange{1350 * mega, 1590 * mega}, ClockRange{mega, mega},
                              ClockRange{1'000'001, 1'234'567'891}})
        EXPECT_EQ(parse_clock(to_string(clock)).value(), clock);
}

TEST(TimeOfCycles, RoundsOutward) {
    const ClockRange clock{1350 * mega, 1590 * mega};
    // 8000 / 1.35 GHz = 5925.93 ns; 8000 / 1.59 GHz = 5031.45 ns.
    EXPECT_EQ(longest_time(Cycles{8000}, clock), Nanoseconds{5926});
    EXPECT_EQ(shortest_time(Cycles{8000}, clock), Nanoseconds{5031});
    const ClockRange gigahertz{1000 * mega, 1000 * mega};
    EXPECT_EQ(longest_time(Cycles{7}, gigahertz), Nanoseconds{7});
    EXPECT_EQ(shortest_time(Cycles{7}, gigahertz), Nanoseconds{7});
    EXPECT_EQ(longest_time(Cycles{0}, clock), Nanoseconds{0});
    EXPECT_EQ(longest_time(Cycles{1}, clock), Nanoseconds{1});
    EXPECT_EQ(shortest_time(Cycles{1}, clock), Nanoseconds{0});
    EXPECT_EQ(time_of({Cycles{4000}, Cycles{8000}}, clock),
              (Bounds<Nanoseconds>{Nanoseconds{2515}, Nanoseconds{5926}}));
}

// t is the rounded quotient of c cycles: (t - 1) f < 10^9 c <= t f, and s f <= 10^9 c < (s + 1) f.
TEST(TimeOfCycles, IsTheTightestWholeNumber) {
    std::mt19937_64 random{1};
    std::uniform_int_distribution<std::int64_t> cycles{0, 1'000'000'000};
    std::uniform_int_distribution<std::int64_t> hertz{1, 4'000'000'000};
    for (int i = 0; i < 10'000; ++i) {
        const std::int64_t count = cycles(random);
        const std::int64_t frequency = hertz(random);
        const ClockRange clock{frequency, frequency};
        __extension__ using Wide = __int128;
        const Wide product = Wide{count} * 1'000'000'000;
        const Wide above = longest_time(Cycles{count}, clock).count();
        const Wide below = shortest_time(Cycles{count}, clock).count();
        ASSERT_TRUE((above - 1) * frequency < product && product <= above * frequency);
        ASSERT_TRUE(below * frequency <= product && product < (below + 1) * frequency);
    }
}

// Samples that were tampered with may be negative.
TEST(TimeOfCycles, RoundsNegativeCyclesOutward) {
    const ClockRange clock{1500 * mega, 1500 * mega};
    EXPECT_EQ(longest_time(Cycles{-2}, clock), Nanoseconds{-1});
    EXPECT_EQ(shortest_time(Cycles{-2}, clock), Nanoseconds{-2});
}

TEST(TimeOfCycles, ThrowsInsteadOfOverflowing) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(longest_time(Cycles{most}, {1'000'000'000, 1'000'000'000}), Nanoseconds{most});
    EXPECT_THROW(longest_time(Cycles{most}, {999'999'999, 1'000'000'000}), std::overflow_error);
    EXPECT_THROW(shortest_time(Cycles{most}, {1, 1}), std::overflow_error);
    EXPECT_THROW(longest_time(Cycles{1}, {0, 1}), std::logic_error);
}

Architecture machine_with_clock(SourcedValue value) {
    Architecture machine;
    machine.name = "made";
    machine.geometry.values.push_back(std::move(value));
    return machine;
}

TEST(ClockInUse, IsTheStatedOneOrElseTheDescribedOne) {
    const Architecture machine =
        machine_with_clock({.name = "core-clock",
                            .unit = "kHz",
                            .interval = Interval{1'350'000, std::nullopt, 1'590'000},
                            .source = "J19",
                            .grade = Grade::PeerReviewed,
                            .reason = ""});
    const auto described = clock_in_use("", machine).value();
    ASSERT_TRUE(described.has_value());
    EXPECT_EQ(described->range, (ClockRange{1350 * mega, 1590 * mega}));
    EXPECT_FALSE(described->is_stated);
    EXPECT_EQ(described->source, "geometry/core-clock of made, peer-reviewed, J19");
    EXPECT_NE(described->assumption.find("stays within 1350..1590 MHz"), std::string::npos);
    const auto stated = clock_in_use("1GHz", machine).value();
    ASSERT_TRUE(stated.has_value());
    EXPECT_EQ(stated->range, (ClockRange{1000 * mega, 1000 * mega}));
    EXPECT_TRUE(stated->is_stated);
    EXPECT_FALSE(clock_in_use("1", machine).has_value());
}

TEST(ClockInUse, IsNoneWhereTheDescriptionKnowsNone) {
    EXPECT_FALSE(clock_in_use("", Architecture{}).value().has_value());
    const Architecture machine = machine_with_clock({.name = "core-clock",
                                                     .unit = "kHz",
                                                     .interval = std::nullopt,
                                                     .source = "",
                                                     .grade = Grade::Unknown,
                                                     .reason = ""});
    EXPECT_FALSE(described_clock(machine).has_value());
}

} // namespace
} // namespace warpbound::models
