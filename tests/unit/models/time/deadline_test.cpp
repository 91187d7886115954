#include "models/time/deadline.hpp"

#include <gtest/gtest.h>

namespace warpbound::models {
namespace {

constexpr ClockRange clock{1'000'000'000, 2'000'000'000};

Bounds<Cycles> bounds(std::int64_t lower, std::int64_t upper) {
    return {Cycles{lower}, Cycles{upper}};
}
Deadline deadline(std::string_view text) {
    return parse_deadline(text).value();
}

TEST(Deadline, ReadsCyclesOrATime) {
    EXPECT_EQ(deadline("8000cycles").limit, (std::variant<Cycles, Nanoseconds>{Cycles{8000}}));
    EXPECT_EQ(deadline("8000 cycles"), deadline("8000cycles"));
    EXPECT_EQ(deadline("10ms").limit, (std::variant<Cycles, Nanoseconds>{Nanoseconds{10'000'000}}));
    for (const char* const text : {"8000 cycles", "10 ms", "1.5 s", "1 cycles"})
        EXPECT_EQ(to_string(deadline(text)), text);
}

TEST(Deadline, RefusesOtherText) {
    for (const char* const text :
         {"", "8000", "cycles", "0cycles", "-1cycles", "+1cycles", "1.5cycles", "1e3cycles", "0ms",
          "0s", "8000 cycle", "8000  cycles", "9223372036854775808cycles", "10", "10 mss", "soon"})
        EXPECT_FALSE(parse_deadline(text).has_value()) << text;
    EXPECT_NE(parse_deadline("8000").error().what.find("8000cycles"), std::string::npos);
}

TEST(Deadline, InCyclesNeedsNoClock) {
    EXPECT_EQ(verdict_on(deadline("100cycles"), bounds(50, 100), {}), DeadlineVerdict::Met);
    EXPECT_EQ(verdict_on(deadline("100cycles"), bounds(50, 101), {}), DeadlineVerdict::Undecided);
    EXPECT_EQ(verdict_on(deadline("100cycles"), bounds(100, 101), {}), DeadlineVerdict::Undecided);
    EXPECT_EQ(verdict_on(deadline("100cycles"), bounds(101, 101), {}), DeadlineVerdict::Violated);
    EXPECT_EQ(margin_text(Cycles{70}, deadline("100cycles"), {}), "30 cycles");
    EXPECT_EQ(margin_text(Cycles{170}, deadline("100cycles"), {}), "-70 cycles");
}

TEST(Deadline, InSecondsIsMetAtTheLowestClockAndViolatedAtTheHighest) {
    EXPECT_EQ(verdict_on(deadline("100ns"), bounds(50, 100), clock), DeadlineVerdict::Met);
    EXPECT_EQ(verdict_on(deadline("100ns"), bounds(50, 101), clock), DeadlineVerdict::Undecided);
    EXPECT_EQ(verdict_on(deadline("100ns"), bounds(200, 300), clock), DeadlineVerdict::Undecided);
    // 201 cycles at 2 GHz are 100.5 ns, which a rounded lower time would hide.
    EXPECT_EQ(verdict_on(deadline("100ns"), bounds(201, 300), clock), DeadlineVerdict::Violated);
    EXPECT_THROW(verdict_on(deadline("100ns"), bounds(50, 100), {}), std::logic_error);
}

TEST(Deadline, HasAMarginRoundedDown) {
    EXPECT_EQ(margin_text(Cycles{12'345}, deadline("10ms"), clock), "9.987 ms");
    EXPECT_EQ(margin_text(Cycles{100}, deadline("100ns"), clock), "0 ns");
    EXPECT_EQ(margin_text(Cycles{12'345'678}, deadline("1ms"), clock), "-11.35 ms");
}

TEST(Deadline, OfCyclesInSecondsDecidesAtEachEnd) {
    EXPECT_TRUE(ends_within(Cycles{100}, deadline("100ns"), clock));
    EXPECT_FALSE(ends_within(Cycles{101}, deadline("100ns"), clock));
    EXPECT_FALSE(ends_after(Cycles{200}, deadline("100ns"), clock));
    EXPECT_TRUE(ends_after(Cycles{201}, deadline("100ns"), clock));
}

} // namespace
} // namespace warpbound::models
