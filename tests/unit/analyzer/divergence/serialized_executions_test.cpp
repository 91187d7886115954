/// \file
/// How often a warp whose lanes may diverge executes instructions (S85).

#include "analyzer/divergence/serialized_executions.hpp"
#include "analyzer/preparation.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;

/// Where each instruction may execute in `in_iterations` iterations; lanes diverge at
/// `divergent_at`.
ExecutionCounts counts_of(const std::string& body, const std::vector<std::int64_t>& divergent_at,
                          std::int64_t in_iterations,
                          const std::vector<models::LoopFact>& loops = {}) {
    models::FlowFacts facts;
    facts.loops = loops;
    for (const std::int64_t at : divergent_at)
        facts.divergents.push_back({at, {}});
    const auto all = analyzed(body, facts);
    const auto context = prepare(all->request);
    EXPECT_TRUE(context) << to_string(context.error());
    const auto cfg = serialized_cfg(context.value().kernel);
    EXPECT_TRUE(cfg) << to_string(cfg.error());
    const ExecutionCounts counts(all->request.function->instructions.size(), in_iterations);
    return on_serialized_paths(context.value().kernel, cfg.value(), {counts}).front();
}

// Both sides execute what they share, one after the other.
TEST(SerializedExecutions, AreOnePerNodeInALoopThatLanesLeaveTogether) {
    EXPECT_THAT(counts_of("L: SSY J; @P0 BRA K; FADD R4, R4, R4; K: NOP.S; J: @P1 BRA L; EXIT;",
                          {8}, 5, {{0, 1, 9, {}}}),
                ElementsAre(5, 5, 5, 10, 5, 5));
}

// Lanes leave in different iterations, and go on outside while others iterate.
TEST(SerializedExecutions, AreNotKnownWhereLanesAreInDifferentIterations) {
    EXPECT_THAT(counts_of("SSY D; L: FADD R4, R4, R4; @P0 BRA L; FADD R5, R5, R5; NOP.S; "
                          "D: FADD R6, R6, R6; EXIT;",
                          {16}, 7, {{8, 1, 7, {}}}),
                ElementsAre(7, uncounted, uncounted, uncounted, uncounted, 7, 7));
}

// The lanes of an iteration are together again before the next one, in both loops.
TEST(SerializedExecutions, AreKnownInNestedLoops) {
    EXPECT_THAT(counts_of("L: MOV R1, R2; M: SSY J; @P0 BRA K; FADD R4, R4, R4; K: NOP.S; "
                          "J: @P1 BRA M; @P2 BRA L; EXIT;",
                          {16}, 6, {{0, 1, 3, {}}, {8, 1, 2, {}}}),
                ElementsAre(6, 6, 6, 6, 12, 6, 6, 6));
}

TEST(SerializedExecutions, OfUncountedInstructionsStayUncounted) {
    EXPECT_THAT(counts_of("SSY J; @P0 BRA K; FADD R4, R4, R4; K: NOP.S; J: EXIT;", {8}, uncounted),
                testing::Each(uncounted));
}

} // namespace
} // namespace warpbound::analyzer
