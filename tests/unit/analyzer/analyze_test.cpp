#include "analyzer/flow/flow_facts_template.hpp"
#include "assembly/support/stop_token.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <numeric>

namespace warpbound::analyzer {
namespace {

std::pair<std::int64_t, std::int64_t> execution(const Analysis& analysis) {
    return {analysis.execution_time.lower.proved.count(),
            analysis.execution_time.upper.proved.count()};
}

/// n operations between two clock reads, as V14 measures them.
std::string timed(const std::string& operations) {
    return "S2R R0, SR_ClockLo; SHL.W R0, R0, 0x1;" + operations +
           "S2R R1, SR_ClockLo; SHL.W R1, R1, 0x1; EXIT;";
}

void expect_measured(const std::string& operations, std::int64_t expected) {
    const auto analysis = analyzed(timed(operations))->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    ASSERT_TRUE(analysis.value().measured_time) << analysis.value().measured_time_absent;
    EXPECT_EQ(analysis.value().measured_time->lower.proved.count(), expected) << operations;
    EXPECT_EQ(analysis.value().measured_time->upper.proved.count(), expected) << operations;
}

// Voudouris 2014, Tables 19 and 20: 24 + 6 n, 30 + 18 (n - 1), COS 30 + 22 (n - 1). Tolerance 0:
// the tables are integral.
TEST(Analysis, ReproducesVoudourisTables19And20OnBothSides) {
    for (int n = 1; n <= 16; ++n) {
        std::string independent;
        std::string independent_cos;
        std::string dependent;
        std::string dependent_mad;
        std::string dependent_cos;
        for (int i = 0; i < n; ++i) {
            independent += fmt::format("FADD R{}, R2, R3;", 8 + i);
            independent_cos += fmt::format("MUFU.COS R{}, R2;", 8 + i);
            dependent += fmt::format("FMUL R{}, R{}, R3;", 8 + i, i == 0 ? 2 : 7 + i);
            dependent_mad += fmt::format("FFMA R{}, R{}, R3, R3;", 8 + i, i == 0 ? 2 : 7 + i);
            dependent_cos += fmt::format("MUFU.COS R{}, R{};", 8 + i, i == 0 ? 2 : 7 + i);
        }
        expect_measured(independent, 24 + 6 * n);
        expect_measured(independent_cos, 24 + 6 * n);
        expect_measured(dependent, 30 + 18 * (n - 1));
        expect_measured(dependent_mad, 30 + 18 * (n - 1));
        expect_measured(dependent_cos, 30 + 22 * (n - 1));
    }
}

// Also where one warp runs alone: two issues of it may fall into one slot.
TEST(Analysis, NamesAnUncheckedIssueSlot) {
    const auto all = analyzed("FADD R4, R2, R3; EXIT;");
    for (auto& value : all->architecture.schedulers.values)
        if (value.name == "issue-slot") value.grade = models::Grade::Assumed;
    const auto analysis = all->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    EXPECT_TRUE(std::any_of(analysis.value().assumptions.begin(),
                            analysis.value().assumptions.end(), [](const auto& assumption) {
                                return assumption.text.find("schedulers/issue-slot") !=
                                       std::string::npos;
                            }));
}

// Issues at 0, 6, then the reader of R4 at 18; completion: its result at 36.
TEST(Analysis, WaitsForARegisterAndForTheLastResult) {
    const auto analysis =
        analyzed("FADD R4, R2, R3; FADD R5, R2, R3; FADD R6, R4, R3; EXIT;")->run();
    ASSERT_TRUE(analysis);
    EXPECT_EQ(execution(analysis.value()), (std::pair<std::int64_t, std::int64_t>{36, 36}));
}

// The guarded COS (latency 22) may be off: the addition then waits for nothing.
TEST(Analysis, CoversBothOutcomesOfAPredicate) {
    const auto analysis = analyzed("@P0 MUFU.COS R4, R2; FADD R5, R4, R3; EXIT;")->run();
    ASSERT_TRUE(analysis);
    EXPECT_EQ(execution(analysis.value()),
              (std::pair<std::int64_t, std::int64_t>{6 + 18, 22 + 18}));
}

TEST(Analysis, TakesTheLongerAndTheShorterArm) {
    const auto plain = analyzed("@P0 BRA L; MUFU.COS R4, R2; MUFU.COS R4, R4; L: EXIT;")->run();
    ASSERT_TRUE(plain);
    const auto [lower, upper] = execution(plain.value());
    EXPECT_LT(lower, upper);
    EXPECT_EQ(plain.value().execution_time.upper.path.size(), 3U);
    EXPECT_EQ(plain.value().execution_time.lower.path.size(), 2U);
}

models::FlowFacts bound(std::int64_t header, std::int64_t min, std::int64_t max) {
    models::FlowFacts facts;
    facts.loops.push_back({header, min, max, {}});
    return facts;
}

TEST(Analysis, CountsHeaderExecutionsPerEntry) {
    for (const std::int64_t iterations : {1, 2, 7, 1000}) {
        const auto analysis =
            analyzed("L: FADD R4, R4, R3; @P0 BRA L; EXIT;", bound(0, iterations, iterations))
                ->run();
        ASSERT_TRUE(analysis) << to_string(analysis.error());
        const auto& upper = analysis.value().execution_time.upper;
        ASSERT_FALSE(upper.blocks.empty());
        EXPECT_EQ(upper.blocks.front().count, iterations);
        EXPECT_EQ(analysis.value().execution_time.lower.blocks.front().count, iterations);
    }
}

TEST(Analysis, BoundsABillionIterationsWithoutUnrolling) {
    const auto analysis =
        analyzed("L: FADD R4, R4, R3; @P0 BRA L; EXIT;", bound(0, 1, 1'000'000'000))->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const auto& upper = analysis.value().execution_time.upper;
    EXPECT_GT(upper.proved.count(), 24'000'000'000);
    EXPECT_TRUE(upper.path.empty()); // too long to list, but counted
    EXPECT_EQ(upper.blocks.front().count, 1'000'000'000);
    // Priced all the same: the steps repeat themselves.
    EXPECT_EQ(upper.best_found, upper.proved);
    EXPECT_EQ(std::accumulate(upper.instruction_cycles.begin(), upper.instruction_cycles.end(),
                              std::int64_t{0}),
              upper.proved.count());
}

TEST(Analysis, AccountsForEveryCycleOfTheWorstPath) {
    models::FlowFacts facts = bound(8, 2, 9);
    const auto context = analyzed("MOV R1, R2; L: FADD R4, R4, R3; @P1 BRA M; MUFU.COS R5, R4; "
                                  "FADD R4, R5, R5; M: @P0 BRA L; "
                                  "FADD R6, R4, R4; EXIT;",
                                  facts);
    const auto analysis = context->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    for (const SideResult* side :
         {&analysis.value().execution_time.upper, &analysis.value().execution_time.lower}) {
        std::int64_t blocks = 0;
        for (const auto& block : side->blocks)
            blocks += block.cycles;
        std::int64_t stack = 0;
        for (const auto& [category, cycles] : side->stack)
            stack += cycles;
        EXPECT_EQ(blocks, side->proved.count());
        EXPECT_EQ(stack, side->proved.count());
        EXPECT_EQ(std::accumulate(side->instruction_cycles.begin(), side->instruction_cycles.end(),
                                  std::int64_t{0}),
                  side->proved.count());
    }
}

TEST(Analysis, ExcludesABlockThatIsNeverExecuted) {
    const std::string body = "@P0 BRA L; MUFU.COS R4, R2; MUFU.COS R4, R4; L: EXIT;";
    models::FlowFacts facts;
    facts.nevers.push_back({8, {}});
    const auto analysis = analyzed(body, facts)->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    EXPECT_EQ(analysis.value().execution_time.upper.path.size(), 2U);
}

const std::string two_diamonds = "@P0 BRA A; MUFU.COS R4, R4; MUFU.COS R4, R4; A: MOV R1, R2; "
                                 "@P1 BRA B; MUFU.COS R4, R4; MUFU.COS R4, R4; B: EXIT;";

TEST(Analysis, UsesExclusiveBlocks) {
    const auto free = analyzed(two_diamonds)->run();
    models::FlowFacts facts;
    facts.exclusives.push_back({8, 40, {}});
    const auto bound_by_fact = analyzed(two_diamonds, facts)->run();
    ASSERT_TRUE(free && bound_by_fact);
    const auto& upper = bound_by_fact.value().execution_time.upper;
    EXPECT_LT(upper.proved, free.value().execution_time.upper.proved);
    EXPECT_EQ(upper.outcome, Outcome::Optimal);
    EXPECT_EQ(upper.best_found, upper.proved);
}

models::FlowFacts at_most_one_arm() {
    models::FlowFacts facts;
    models::LinearFact fact;
    fact.terms = {{1, std::nullopt, 8}, {1, std::nullopt, 40}};
    fact.relation = models::Relation::AtMost;
    fact.constant = 1;
    facts.constraints.push_back(fact);
    return facts;
}

/// The same in a form that says more than that two blocks exclude each other: for the solver.
models::FlowFacts doubled(models::FlowFacts facts) {
    for (auto& term : facts.constraints.front().terms)
        term.coefficient *= 2;
    facts.constraints.front().constant *= 2;
    return facts;
}

TEST(Analysis, HoldsPairsWithoutTheSolver) {
    const auto as_pair = analyzed(two_diamonds, at_most_one_arm())->run();
    const auto solved = analyzed(two_diamonds, doubled(at_most_one_arm()))->run();
    ASSERT_TRUE(as_pair && solved);
    EXPECT_EQ(as_pair.value().execution_time.upper.proved,
              solved.value().execution_time.upper.proved);
    EXPECT_EQ(as_pair.value().execution_time.upper.outcome, Outcome::Optimal);
    EXPECT_EQ(as_pair.value().solver, "");
}

TEST(Analysis, UsesLinearFacts) {
    const auto free = analyzed(two_diamonds)->run();
    models::FlowFacts exclusive;
    exclusive.exclusives.push_back({8, 40, {}});
    const auto by_cases = analyzed(two_diamonds, exclusive)->run();
    const auto bound_by_fact = analyzed(two_diamonds, doubled(at_most_one_arm()))->run();
    ASSERT_TRUE(free && by_cases && bound_by_fact);
    const auto& upper = bound_by_fact.value().execution_time.upper;
    EXPECT_LT(upper.proved, free.value().execution_time.upper.proved);
    EXPECT_EQ(upper.proved, by_cases.value().execution_time.upper.proved);
    EXPECT_EQ(upper.outcome, Outcome::Optimal);
    EXPECT_EQ(upper.best_found, upper.proved);
    EXPECT_NE(upper.proof, Proof::StructuralPath);
    EXPECT_THAT(bound_by_fact.value().solver, testing::StartsWith("Z3 "));
}

TEST(Analysis, AsksNoSolverWhenTheBestPathSatisfiesTheFacts) {
    models::FlowFacts facts = at_most_one_arm();
    facts.constraints.front().constant = 2;
    const auto bound_by_fact = analyzed(two_diamonds, facts)->run();
    ASSERT_TRUE(bound_by_fact);
    EXPECT_EQ(bound_by_fact.value().execution_time.upper.proof, Proof::StructuralPath);
    EXPECT_EQ(bound_by_fact.value().execution_time.upper.outcome, Outcome::Optimal);
    EXPECT_EQ(bound_by_fact.value().solver, "");
}

TEST(Analysis, KeepsTheStructuralBoundWhenTheSolverHasNoTime) {
    auto context = analyzed(two_diamonds, doubled(at_most_one_arm()));
    const StopScope no_time{StopToken{std::chrono::steady_clock::now()}};
    const auto limited = context->run();
    const auto free = analyzed(two_diamonds)->run();
    ASSERT_TRUE(limited && free);
    EXPECT_EQ(limited.value().execution_time.upper.outcome, Outcome::LimitReached);
    EXPECT_EQ(limited.value().execution_time.upper.proved,
              free.value().execution_time.upper.proved);
}

TEST(Analysis, SaysWhyThereIsNoMeasuredTime) {
    const auto guarded =
        analyzed("@P0 BRA L; S2R R0, SR_ClockLo; L: S2R R1, SR_ClockLo; EXIT;")->run();
    ASSERT_TRUE(guarded);
    EXPECT_FALSE(guarded.value().measured_time);
    EXPECT_THAT(guarded.value().measured_time_absent,
                testing::HasSubstr("some path avoids a clock read"));
}

TEST(Analysis, MeasuresAcrossALoop) {
    // Reads at 0 and behind a loop of 3 iterations: both sides see the same single path.
    const auto analysis = analyzed("S2R R0, SR_ClockLo; MOV R9, R0; L: FADD R4, R4, R3; @P0 BRA L; "
                                   "S2R R1, SR_ClockLo; MOV R9, R1; EXIT;",
                                   bound(16, 3, 3))
                              ->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    ASSERT_TRUE(analysis.value().measured_time);
    EXPECT_LE(analysis.value().measured_time->lower.proved,
              analysis.value().measured_time->upper.proved);
    EXPECT_GT(analysis.value().measured_time->lower.proved.count(),
              3 * 28); // branches of at least 28 cycles each
}

TEST(Analysis, NamesEveryAssumption) {
    const auto analysis = analyzed("L: LD R4, [R2]; @P0 BRA L; EXIT;",
                                   [] {
                                       models::FlowFacts facts = bound(0, 1, 2);
                                       models::MemoryFact memory;
                                       memory.level = models::MemoryLevel::Dram;
                                       memory.transactions = models::CountRange{1, 1};
                                       facts.memory.push_back(memory);
                                       return facts;
                                   }())
                              ->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    std::string all;
    for (const auto& assumption : analysis.value().assumptions)
        all += assumption.id + " " + assumption.text + "\n";
    EXPECT_THAT(all, testing::HasSubstr("loop bounds, stated in the flow facts: 0x0000: 1..2"));
    EXPECT_THAT(all, testing::HasSubstr("memory accesses, stated in the flow facts: 0x0000"));
    EXPECT_THAT(all, testing::HasSubstr("assumed: "));
}

TEST(FlowFactsTemplate, NamesEveryLoopAndAccess) {
    const auto context = analyzed("L: LD R4, [R2]; LDS R5, [R3]; @P0 BRA L; EXIT;", bound(0, 1, 2));
    const std::string text =
        flow_facts_template(context->program, *context->request.function, context->graph);
    EXPECT_THAT(text, testing::HasSubstr("<loop header=\"0x0000\" min=\"?\" max=\"?\"/>"));
    EXPECT_THAT(text,
                testing::HasSubstr("<memory at=\"0x0000\" transactions=\"?\" level=\"any\"/>"));
    EXPECT_THAT(text, testing::HasSubstr("<memory at=\"0x0008\" conflict-degree=\"?\"/>"));
    EXPECT_THAT(text, testing::HasSubstr(context->program.digest));
}

} // namespace
} // namespace warpbound::analyzer
