#include "models/time/duration.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace warpbound::models {
namespace {

constexpr auto longest = std::numeric_limits<std::int64_t>::max();

TEST(Duration, ReadsANumberWithItsUnit) {
    EXPECT_EQ(parse_duration("10ms").value(), Nanoseconds{10'000'000});
    EXPECT_EQ(parse_duration("250us").value(), Nanoseconds{250'000});
    EXPECT_EQ(parse_duration("250\u00b5s").value(), Nanoseconds{250'000});
    EXPECT_EQ(parse_duration("250\u03bcs").value(), Nanoseconds{250'000});
    EXPECT_EQ(parse_duration("1.5s").value(), Nanoseconds{1'500'000'000});
    EXPECT_EQ(parse_duration("800ns").value(), Nanoseconds{800});
    EXPECT_EQ(parse_duration("0.001 us").value(), Nanoseconds{1});
    EXPECT_EQ(parse_duration("1.500000000000s").value(), Nanoseconds{1'500'000'000});
    EXPECT_EQ(parse_duration("9223372036854775807ns").value(), Nanoseconds{longest});
}

TEST(Duration, RefusesOtherText) {
    for (const char* const text :
         {"",      "ms",    "10",    "10 m",    "10min",  "-1ms",  "+1ms",  "1e3ms",
          "1,5ms", ".5ms",  "5.ms",  "1.2.3ms", "0x10ms", "inf s", "nan s", "10msms",
          "ms10",  " 10ms", "10ms ", "1 0ms",   "10MS",   "ns 1"})
        EXPECT_FALSE(parse_duration(text).has_value()) << text;
}

TEST(Duration, SaysWhatIsWrong) {
    const auto why = [](const char* text) { return parse_duration(text).error().what; };
    EXPECT_NE(why("10").find("it has no unit"), std::string::npos);
    EXPECT_NE(why("10h").find("unknown unit"), std::string::npos);
    EXPECT_NE(why("0.5ns").find("parts of a nanosecond"), std::string::npos);
    EXPECT_NE(why("0.0000000001s").find("parts of a nanosecond"), std::string::npos);
    EXPECT_NE(why("9223372036854775808ns").find("292 years"), std::string::npos);
    EXPECT_NE(why("9223372037s").find("292 years"), std::string::npos);
    EXPECT_NE(why("99999999999999999999999s").find("292 years"), std::string::npos);
}

TEST(Duration, PrintsExactlyInTheLargestUnit) {
    EXPECT_EQ(to_string(Nanoseconds{0}), "0 ns");
    EXPECT_EQ(to_string(Nanoseconds{999}), "999 ns");
    EXPECT_EQ(to_string(Nanoseconds{1000}), "1 \u00b5s");
    EXPECT_EQ(to_string(Nanoseconds{12'340}), "12.34 \u00b5s");
    EXPECT_EQ(to_string(Nanoseconds{1'000'001}), "1.000001 ms");
    EXPECT_EQ(to_string(Nanoseconds{1'500'000'000}), "1.5 s");
    EXPECT_EQ(to_string(Nanoseconds{-2500}), "-2.5 \u00b5s");
}

TEST(Duration, ReadsWhatItPrints) {
    for (const std::int64_t count :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{1001}, std::int64_t{123'456'789},
          std::int64_t{60'000'000'000}, longest})
        EXPECT_EQ(parse_duration(to_string(Nanoseconds{count})).value(), Nanoseconds{count});
}

TEST(Duration, RoundsToFourDigitsInADirection) {
    EXPECT_EQ(rounded_up(Nanoseconds{9999}), Nanoseconds{9999});
    EXPECT_EQ(rounded_up(Nanoseconds{12'341}), Nanoseconds{12'350});
    EXPECT_EQ(rounded_down(Nanoseconds{12'349}), Nanoseconds{12'340});
    EXPECT_EQ(rounded_up(Nanoseconds{999'950}), Nanoseconds{1'000'000});
    EXPECT_EQ(rounded_down(Nanoseconds{999'999}), Nanoseconds{999'900});
    EXPECT_EQ(rounded_up(Nanoseconds{0}), Nanoseconds{0});
    EXPECT_EQ(rounded_down(Nanoseconds{longest}), Nanoseconds{9'223'000'000'000'000'000});
    EXPECT_THROW(rounded_up(Nanoseconds{longest}), std::overflow_error);
}

} // namespace
} // namespace warpbound::models
