/// \file
/// How often a warp alone on a scheduler can miss its L0 (docs/theory, S36, lemma 5).

#include "analyzer/launch/first_use_search.hpp"
#include "analyzer/launch/first_uses.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gtest/gtest.h>

namespace warpbound::analyzer {
namespace {

std::optional<std::int64_t> misses(const std::string& body, std::int64_t fewest,
                                   std::int64_t most) {
    const auto all = analyzed(body);
    return most_misses_of_a_warp(*all->request.function, all->graph, 32,
                                 {fewest, std::nullopt, most});
}

TEST(FirstUseSearch, BringsTheStreamedLinesOfStraightCodeAlong) {
    EXPECT_EQ(misses(moves(27) + "EXIT;", 0, 0), 7);
    EXPECT_EQ(misses(moves(27) + "EXIT;", 2, 2), 3); // 0, 3, 6.
    EXPECT_EQ(misses(moves(27) + "EXIT;", 2, 8), 3);
}

// Branches forwards over lines, whatever they skip, go through the text once.
TEST(FirstUseSearch, SkipsLinesWithoutAnotherMiss) {
    std::string body;
    for (const char* label : {"A", "B", "C"}) {
        const std::string to = label;
        body += moves(3) + "@P0 BRA " + to + "; " + moves(4) + to + ": ";
    }
    body +=
        moves(3) + "EXIT;"; // Seven lines, of which the second, fourth and sixth may be skipped.
    EXPECT_EQ(misses(body, 1, 1), 4);
    EXPECT_EQ(misses(body, 2, 2), 3);
    const auto all = analyzed(body);
    const FirstUses uses = first_uses(*all->request.function, all->graph, 32);
    EXPECT_EQ(serial_misses(uses, {2, std::nullopt, 2}, Waiting::OnlyWarp).l0, 7);
}

// In a second round a warp may come to the line that it skipped, with another miss.
TEST(FirstUseSearch, CountsALineThatALoopComesBackTo) {
    const std::string body = "L: " + moves(3) + "@P0 BRA M; " + moves(4) + "M: " + moves(3) +
                             "@P1 BRA L; " + moves(3) + "EXIT;";
    EXPECT_EQ(misses(body, 0, 0), 4);
    EXPECT_EQ(misses(body, 1, 1), 4); // 0 with 1, 2 with 3, 1 with 2 in place of 3, and 3.
    EXPECT_EQ(misses(body, 3, 3), 2); // With 0 held from the start: 2 to 5, then 1 to 4.
}

TEST(FirstUseSearch, ClaimsNothingOfALongText) {
    EXPECT_TRUE(misses(moves(4 * 64 - 1) + "EXIT;", 2, 2));
    EXPECT_FALSE(misses(moves(4 * 64) + "EXIT;", 2, 2));
}

} // namespace
} // namespace warpbound::analyzer
