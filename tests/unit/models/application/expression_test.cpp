/// \file
/// Expressions and quantities: exact values, units, and what is refused.

#include "models/application/expression.hpp"
#include "models/application/quantity.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::models::application {
namespace {

std::string value_of(const std::string& text, const Values& values = {}) {
    const auto read = Expression::parse(text);
    if (!read) return "refused: " + read.error().what;
    const auto value = read.value().value(values);
    return value ? to_string(value.value()) : "no value: " + value.error().what;
}

TEST(ApplicationExpression, FollowsPrecedenceAndParentheses) {
    EXPECT_EQ(value_of("1 + 2 * 3"), "7");
    EXPECT_EQ(value_of("(1 + 2) * 3"), "9");
    EXPECT_EQ(value_of("10 - 4 - 3"), "3"); // From the left.
    EXPECT_EQ(value_of("8 / 4 / 2"), "1");
    EXPECT_EQ(value_of("-2 * -3"), "6");
    EXPECT_EQ(value_of("2 > 1"), "1");
    EXPECT_EQ(value_of("1 + 1 == 3"), "0");
}

TEST(ApplicationExpression, IsExact) {
    EXPECT_EQ(value_of("0.1 + 0.2 == 0.3"), "1");
    EXPECT_EQ(value_of("1 / 3 * 3"), "1");
    EXPECT_EQ(value_of("4e8 * 4"), "1600000000");
    EXPECT_EQ(value_of("1e18 + 1 - 1e18"), "1");
}

TEST(ApplicationExpression, HasFunctions) {
    EXPECT_EQ(value_of("min(3, 2) + max(3, 2)"), "5");
    EXPECT_EQ(value_of("floor(-1.5)"), "-2");
    EXPECT_EQ(value_of("ceil(-1.5)"), "-1");
    EXPECT_EQ(value_of("ceil(7 / 2)"), "4");
    // log2 is rounded up: 2^0 >= 1, 2^3 >= 5, 2^3 >= 8, 2^4 >= 8.5.
    EXPECT_EQ(value_of("log2(1)"), "0");
    EXPECT_EQ(value_of("log2(5)"), "3");
    EXPECT_EQ(value_of("log2(8)"), "3");
    EXPECT_EQ(value_of("log2(8.5)"), "4");
}

TEST(ApplicationExpression, TakesValuesByName) {
    EXPECT_EQ(value_of("23 + 4 * a", {{"a", Rational{128}}}), "535");
    EXPECT_EQ(value_of("n"), "no value: 'n' has no value");
    EXPECT_EQ(Expression::parse("a + b * a").value().names(), (std::vector<std::string>{"a", "b"}));
}

TEST(ApplicationExpression, RefusesWhatHasNoValue) {
    EXPECT_EQ(value_of("1 / (2 - 2)"), "no value: a division by 0");
    EXPECT_EQ(value_of("log2(0)"), "no value: log2 of 0; expected at least 1");
    EXPECT_EQ(value_of("1 +"), "refused: the expression ends where a number or a name is expected");
    EXPECT_EQ(value_of("(1"), "refused: ')' is missing");
    EXPECT_EQ(value_of("sqrt(2)"),
              "refused: there is no function 'sqrt'; expected min, max, floor, ceil or log2");
    EXPECT_EQ(value_of("1 2"), "refused: '2' behind the expression");
    EXPECT_EQ(value_of(std::string(200, '(')), "refused: an expression nested more than 64 deep");
    EXPECT_EQ(value_of("1e99"), "refused: an exponent above 30");
}

TEST(ApplicationQuantity, HasOneToThreeEnds) {
    const auto range = [](const std::string& text) {
        return rounded(Quantity::parse(text, time_units).value().value({}).value());
    };
    const auto time = [](std::int64_t count) { return Nanoseconds{count}; };
    EXPECT_EQ(range("2us"), (TimeRange{time(2000), time(2000), time(2000)}));
    EXPECT_EQ(range("2..4 us"), (TimeRange{time(2000), time(3000), time(4000)}));
    EXPECT_EQ(range("900ns..1us..1.5us"), (TimeRange{time(900), time(1000), time(1500)}));
    // Ends outward, the middle to the nearest.
    EXPECT_EQ(range("1/3ns..5/3ns"), (TimeRange{time(0), time(1), time(2)}));
}

TEST(ApplicationQuantity, RefusesAMissingUnitAndEndsOutOfOrder) {
    const auto refusal = [](const std::string& text) {
        const auto read = Quantity::parse(text, time_units);
        if (!read) return read.error().what;
        const auto value = read.value().value({});
        return value ? std::string{} : value.error().what;
    };
    EXPECT_EQ(refusal("2"), "the unit is missing; expected s, ms, us, ns");
    EXPECT_EQ(refusal("2 h"), "'h' is no unit; expected s, ms, us, ns");
    EXPECT_EQ(refusal("2us..1us"), "an end is below the end before it");
    EXPECT_EQ(refusal("1us..2us..3us..4us"),
              "more than three ends; expected LO..TYPICAL..HI at most");
    EXPECT_EQ(refusal("-1us"), "it is negative");
    EXPECT_EQ(refusal("1e10 s"), "it is above 10^18");
}

} // namespace
} // namespace warpbound::models::application
