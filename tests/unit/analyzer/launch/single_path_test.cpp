#include "analyzer/launch/single_path.hpp"
#include "analyzer/preparation.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

/// Instructions of the only path in order; negative: left by an edge that is taken. Empty: none.
std::vector<int> path(const std::string& body, std::vector<models::LoopFact> loops = {},
                      std::size_t longest = 100) {
    models::FlowFacts facts;
    facts.loops = std::move(loops);
    const auto all = analyzed(body, std::move(facts));
    const auto context = prepare(all->request);
    EXPECT_TRUE(context) << to_string(context.error());
    std::vector<int> instructions;
    const auto steps = single_path(context.value().kernel, longest);
    if (steps)
        for (const PathStep& step : *steps)
            instructions.push_back(static_cast<int>(step.instruction) *
                                   (step.transferred ? -1 : 1));
    return instructions;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OnlyPath, TurnsLoopsAsOftenAsTheirBoundsSay) {
    EXPECT_THAT(path("NOP; L: NOP; @P0 BRA L; EXIT;", {{8, 3, 3, {}}}),
                ElementsAre(0, 1, -2, 1, -2, 1, 2, 3));
    // The way out lies in the header.
    EXPECT_THAT(path("NOP; L: @P0 BRA E; NOP; BRA L; E: EXIT;", {{8, 2, 2, {}}}),
                ElementsAre(0, 1, 2, -3, -1, 4));
    // The inner loop begins anew in each turn of the outer one.
    EXPECT_THAT(
        path("NOP; L: NOP; M: @P0 BRA M; @P1 BRA L; EXIT;", {{8, 2, 2, {}}, {16, 2, 2, {}}}),
        ElementsAre(0, 1, -2, 2, -3, 1, -2, 2, 3, 4));
}

TEST(OnlyPath, IsNoneWhereThereAreSeveral) {
    EXPECT_THAT(path("NOP; L: NOP; @P0 BRA L; EXIT;", {{8, 2, 3, {}}}), IsEmpty());
    EXPECT_THAT(path("@P0 BRA E; NOP; E: EXIT;"), IsEmpty());
    EXPECT_THAT(path("@P0 EXIT; NOP; EXIT;"), IsEmpty());
    // Two ways out of the loop.
    EXPECT_THAT(path("NOP; L: NOP; @P1 BRA E; @P0 BRA L; NOP; E: EXIT;", {{8, 3, 3, {}}}),
                IsEmpty());
    // Two ways through a turn.
    EXPECT_THAT(path("NOP; L: NOP; @P1 BRA M; NOP; M: @P0 BRA L; EXIT;", {{8, 3, 3, {}}}),
                IsEmpty());
}

/// Of lanes that may diverge anywhere, unless they share one path.
bool share_one_path(const std::string& body, models::FlowFacts facts = {}) {
    const auto all = analyzed(body, std::move(facts));
    const auto context = prepare(all->request);
    EXPECT_TRUE(context) << to_string(context.error());
    return lanes_share_one_path(context.value().kernel);
}

TEST(OnlyPath, LeadsToAnExit) {
    const std::string body = "@P0 BRA M; EXIT; M: @P1 BRA N; BRA N; N: EXIT;";
    EXPECT_FALSE(share_one_path(body));
    models::FlowFacts facts;
    facts.nevers.push_back({32, {}});
    EXPECT_TRUE(share_one_path(body, facts));
}

TEST(OnlyPath, OfLanesMayEndEarly) {
    EXPECT_TRUE(share_one_path("@P0 EXIT; NOP; EXIT;"));
    EXPECT_FALSE(share_one_path("@P0 BRA E; NOP; E: EXIT;"));
    // Both edges lead to the next instruction: lanes may go there one after the other.
    EXPECT_FALSE(share_one_path("@P0 BRA E; E: EXIT;"));
}

TEST(OnlyPath, OfLanesHasNoGuardedPoints) {
    EXPECT_TRUE(share_one_path("SSY E; NOP.S; E: EXIT;"));
    EXPECT_FALSE(share_one_path("@P0 SSY E; NOP.S; E: EXIT;"));
}

TEST(OnlyPath, IsNotFollowedBeyondTheLimit) {
    const std::string loop = "NOP; L: NOP; @P0 BRA L; EXIT;";
    EXPECT_THAT(path(loop, {{8, 3, 3, {}}}, 8), testing::SizeIs(8));
    EXPECT_THAT(path(loop, {{8, 3, 3, {}}}, 7), IsEmpty());
}

} // namespace
} // namespace warpbound::analyzer
