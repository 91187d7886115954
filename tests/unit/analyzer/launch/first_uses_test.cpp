/// \file
/// The order of first uses of instruction lines, and how many misses follow one another
/// (docs/theory, S36, lemmas 4 and 5).

#include "analyzer/launch/first_uses.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;

/// Four lines, a branch at the end of the second over the third.
const std::string over_a_line = moves(7) + "@P0 BRA L; " + moves(4) + "L: " + moves(3) + "EXIT;";

FirstUses uses_of(const std::string& body) {
    const auto all = analyzed(body);
    return first_uses(*all->request.function, all->graph, 32);
}

std::vector<std::pair<std::int64_t, std::int64_t>> pairs(const std::vector<Lines>& groups) {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const Lines& group : groups)
        all.emplace_back(group.first, group.count);
    return all;
}

TEST(FirstUses, OfStraightCodeAreOneChainAndOneRun) {
    const FirstUses uses = uses_of(moves(11) + "EXIT;");
    EXPECT_EQ(uses.lines, 3);
    EXPECT_THAT(pairs(uses.chains), ElementsAre(std::pair{0, 3}));
    EXPECT_THAT(pairs(uses.runs), ElementsAre(std::pair{0, 3}));
}

TEST(FirstUses, LeaveOutLinesThatNoPathExecutes) {
    EXPECT_EQ(uses_of(moves(3) + "EXIT; " + moves(4) + "EXIT;").lines, 1);
}

// Of four lines the third is jumped over, and what is behind an early end left out.
TEST(FirstUses, KnowWhichLinesAPathMayAvoid) {
    const auto avoidable = [](const std::string& body) {
        const auto all = analyzed(body);
        return avoidable_lines(*all->request.function, all->graph, 32).size();
    };
    EXPECT_EQ(avoidable(moves(11) + "EXIT;"), 0U);
    EXPECT_EQ(avoidable(over_a_line), 1U);
    EXPECT_EQ(avoidable(moves(2) + "@P0 EXIT; " + moves(9) + "EXIT;"), 3U);
    // Both ways through the first line.
    EXPECT_EQ(avoidable("@P0 BRA L; MOV R1, R2; BRA M; L: MOV R1, R2; M: " + moves(3) + "EXIT;"),
              0U);
}

// The line behind the jumped one does not follow it.
TEST(FirstUses, BeginAChainWhereALineMayBePassedBy) {
    const FirstUses uses = uses_of(over_a_line);
    EXPECT_THAT(pairs(uses.chains), ElementsAre(std::pair{0, 3}, std::pair{3, 1}));
    EXPECT_THAT(pairs(uses.runs), ElementsAre(std::pair{0, 2}, std::pair{2, 1}, std::pair{3, 1}));
}

// Both ways through a line come from the line before, though no block of it is on all paths.
TEST(FirstUses, ContinueAChainBehindABranchInsideALine) {
    const FirstUses uses =
        uses_of("@P0 BRA L; MOV R1, R2; BRA M; L: MOV R1, R2; M: " + moves(3) + "EXIT;");
    EXPECT_THAT(pairs(uses.chains), ElementsAre(std::pair{0, 2}));
    EXPECT_THAT(pairs(uses.runs), ElementsAre(std::pair{0, 2}));
}

// A loop back to the first line: whoever is behind it has been there, also in its first round.
TEST(FirstUses, KeepTheRunOfALoop) {
    const FirstUses uses = uses_of("L: " + moves(9) + "@P0 BRA L; " + moves(2) + "EXIT;");
    EXPECT_THAT(pairs(uses.chains), ElementsAre(std::pair{0, 4}));
    EXPECT_THAT(pairs(uses.runs), ElementsAre(std::pair{0, 4}));
}

// A second round may use what the first one passed by: a warp at the end of the third line has
// perhaps not used the second one. Nobody comes to the last line without the third one.
TEST(FirstUses, CutTheRunWhereALoopMayComeBackToALineThatItPassedBy) {
    const FirstUses uses = uses_of("L: " + moves(3) + "@P0 BRA M; " + moves(4) + "M: " + moves(3) +
                                   "@P1 BRA L; " + moves(3) + "EXIT;");
    EXPECT_THAT(pairs(uses.chains), ElementsAre(std::pair{0, 2}, std::pair{2, 2}));
    EXPECT_THAT(pairs(uses.runs),
                ElementsAre(std::pair{0, 1}, std::pair{1, 1}, std::pair{2, 1}, std::pair{3, 1}));
}

// A way back to lines that every warp has used cuts no run, whatever is skipped before it.
TEST(FirstUses, JoinLinesBehindALoopOverUsedLines) {
    const FirstUses uses = uses_of(moves(4) + "L: " + moves(6) + "@P0 BRA L; @P1 BRA M; " +
                                   moves(4) + "M: " + moves(3) + "EXIT;");
    EXPECT_THAT(pairs(uses.chains), ElementsAre(std::pair{0, 4}, std::pair{4, 1}));
    EXPECT_THAT(pairs(uses.runs), ElementsAre(std::pair{0, 3}, std::pair{3, 1}, std::pair{4, 1}));
}

const models::Interval two_to_four{2, std::nullopt, 4};

TEST(SerialMisses, OfOneChainBringTheStreamedLinesAlong) {
    const FirstUses uses{7, {{0, 7}}, {{0, 7}}};
    for (const Waiting waiting : {Waiting::OnlyWarp, Waiting::OneOf, Waiting::AnyOf}) {
        const SerialMisses misses = serial_misses(uses, two_to_four, waiting);
        EXPECT_EQ(misses.l0, 3); // 0, 3, 6.
        EXPECT_EQ(misses.requests, 7 + 4);
    }
}

TEST(SerialMisses, OfOneWarpFollowItsRuns) {
    const FirstUses uses{9, {{0, 6}, {8, 3}}, {{0, 4}, {4, 2}, {8, 3}}};
    EXPECT_EQ(serial_misses(uses, two_to_four, Waiting::OnlyWarp).l0, 2 + 1 + 1);
    EXPECT_EQ(serial_misses(uses, two_to_four, Waiting::OnlyWarp).requests, 9 + 3 * 4);
    EXPECT_EQ(serial_misses(uses, two_to_four, Waiting::OneOf).l0, 9);
    EXPECT_EQ(serial_misses(uses, two_to_four, Waiting::OneOf).requests, 9 * 5);
}

// Chains of 8 lines, the second behind nothing that is executed: of each two misses for w + 2
// lines, most with the fewest streamed lines.
TEST(SerialMisses, OfSeveralChainsMayDropStreamedLines) {
    EXPECT_EQ(serial_misses({16, {{0, 8}, {20, 8}}, {}}, two_to_four, Waiting::OneOf).l1, 4 + 4);
    EXPECT_EQ(serial_misses({16, {{0, 8}, {20, 8}}, {}}, two_to_four, Waiting::AnyOf).l1, 16);
    // With w lines before it each of w lines may be requested from there: 2 + f(6) or 4 + f(4).
    EXPECT_EQ(serial_misses({16, {{0, 8}, {8, 8}}, {}}, two_to_four, Waiting::OneOf).l1,
              std::max(4 + 2 + 3, 3 + 4 + 1));
}

// The first miss brings three lines, or each scheduler requests new lines once: from the last ones
// on, of which it may have held all before.
TEST(FirstRequests, OfOneChainBringTheFewestStreamedLinesOnce) {
    const FirstUses uses{7, {{0, 7}}, {{0, 7}}};
    EXPECT_EQ(first_requests(uses, two_to_four, 1), 5);
    EXPECT_EQ(first_requests(uses, two_to_four, 4), 5);
    EXPECT_EQ(first_requests(uses, two_to_four, 6), 6);
    EXPECT_EQ(first_requests(uses, two_to_four, 8), 7);
    EXPECT_EQ(first_requests({2, {{0, 2}}, {}}, two_to_four, 1), 1);
    EXPECT_EQ(first_requests({16, {{0, 8}, {8, 8}}, {}}, two_to_four, 4), 16);
}

} // namespace
} // namespace warpbound::analyzer
