/// \file
/// Claims of an analysis: order, kinds of bound, names of proofs, annotated code.
#include "certification/report/report.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace warpbound::certification {
namespace {

using analyzer::AssumptionStatus;
using analyzer::Proof;
using analyzer::Side;
using testing::ElementsAre;

/// A program of three instructions in two blocks, and an analysis of it.
struct Example {
    assembly::Program program;
    assembly::ControlFlowGraph graph;
    models::Architecture architecture;
    models::FlowFacts facts;
    analyzer::Request request;
    analyzer::Analysis analysis;

    Example() {
        assembly::Function function;
        function.name = "saxpy";
        for (const char* mnemonic : {"NOP", "NOP", "EXIT"}) {
            assembly::Instruction instruction;
            instruction.address = static_cast<std::int64_t>(function.instructions.size()) * 16;
            instruction.mnemonic = mnemonic;
            function.instructions.push_back(instruction);
        }
        program.digest = "sha256:00";
        program.functions.push_back(function);
        assembly::BasicBlock first;
        first.last = 1;
        assembly::BasicBlock second;
        second.first = 2;
        second.last = 2;
        second.address = 32;
        graph.blocks = {first, second};
        architecture.name = "turing-t4";
        request.function = &program.functions.front();
        request.graph = &graph;
        request.architecture = &architecture;
        request.facts = &facts;
        auto& upper = analysis.execution_time.upper;
        upper.proved = models::Cycles{40};
        upper.best_found = models::Cycles{40};
        upper.proof = Proof::Refutation;
        upper.blocks = {{0, 2, 30}, {1, 1, 10}};
        upper.instruction_counts = {2, 2, 1};
        upper.instruction_cycles = {12, 18, 10};
        upper.stack = {{analyzer::StackCategory::Issue, 25},
                       {analyzer::StackCategory::Completion, 15}};
        auto& lower = analysis.execution_time.lower;
        lower.proved = models::Cycles{20};
        lower.proof = Proof::ExactLp;
        lower.outcome = analyzer::Outcome::LimitReached;
        analysis.assumptions = {{"A1", "the cache is warm", AssumptionStatus::Proved},
                                {"A2", "the loop ends", AssumptionStatus::Proved}};
    }
    // The request points into the object.
    Example(const Example&) = delete;
    Example& operator=(const Example&) = delete;

    [[nodiscard]] Report report() const { return report_of(program, request, analysis); }
};

TEST(Claims, BoundIsProvedWhenEveryAssumptionIs) {
    const Example example;
    const Report report = example.report();
    ASSERT_EQ(report.claims.size(), 2U);
    EXPECT_EQ(report.claims[0].kind, ClaimKind::ProvedBound);
    EXPECT_EQ(report.unchecked_assumptions(), 0);
}

TEST(Claims, OneAssumptionThatIsNotProvedMakesTheBoundConditional) {
    for (const auto status :
         {AssumptionStatus::Measured, AssumptionStatus::Reviewed, AssumptionStatus::Unchecked}) {
        Example example;
        example.analysis.assumptions[1].status = status;
        const Report report = example.report();
        for (const auto& claim : report.claims) {
            EXPECT_EQ(claim.kind, ClaimKind::BoundUnderAssumptions);
            EXPECT_THAT(claim.assumptions, ElementsAre("A1", "A2"));
        }
        EXPECT_EQ(report.unchecked_assumptions(), status == AssumptionStatus::Unchecked ? 1 : 0);
    }
}

TEST(Claims, AreNumberedAndNameTheirProof) {
    Example example;
    example.analysis.measured_time = example.analysis.execution_time;
    example.analysis.measured_time->upper.proof = Proof::StructuralPath;
    const Report report = example.report();
    ASSERT_EQ(report.claims.size(), 4U);
    EXPECT_EQ(report.claims[0].id, "C1");
    EXPECT_EQ(report.claims[0].proof, "z3-refutation");
    EXPECT_EQ(report.claims[1].proof, "exact-lp");
    EXPECT_TRUE(report.claims[1].limit_reached);
    EXPECT_EQ(report.claims[2].quantity, "measured-time");
    EXPECT_EQ(report.claims[2].proof, "structural-path");
    EXPECT_EQ(report.claims[3].id, "C4");
}

TEST(Claims, AreFoundByQuantityAndSide) {
    const Example example;
    const Report report = example.report();
    ASSERT_NE(report.claim("execution-time", Side::Lower), nullptr);
    EXPECT_EQ(report.claim("execution-time", Side::Lower)->value, 20);
    EXPECT_EQ(report.claim("measured-time", Side::Upper), nullptr);
}

TEST(ReportOf, AnnotatesTheWholeFunction) {
    const Example example;
    const Report report = example.report();
    ASSERT_EQ(report.assembly.size(), 3U);
    EXPECT_EQ(report.assembly[1].address, 16);
    EXPECT_EQ(report.assembly[1].executions, 2);
    EXPECT_EQ(report.assembly[1].cycles, 18);
    EXPECT_FALSE(report.assembly[1].block_start);
    EXPECT_TRUE(report.assembly[2].block_start);
    EXPECT_THAT(report.assembly[2].text, testing::HasSubstr("EXIT"));
    ASSERT_EQ(report.worst_path.size(), 2U);
    EXPECT_EQ(report.worst_path[1].address, 32);
    EXPECT_EQ(report.worst_path[0].cycles, 30);
}

TEST(ReportOf, StackSumsToTheCostOfTheWitnessPath) {
    const Example example;
    const Report report = example.report();
    const auto sum =
        std::accumulate(report.stack.begin(), report.stack.end(), std::int64_t{0},
                        [](std::int64_t total, const auto& part) { return total + part.second; });
    EXPECT_EQ(sum, example.analysis.execution_time.upper.best_found->count());
    EXPECT_EQ(report.stack.front().first, analyzer::to_string(analyzer::StackCategory::Issue));
}

TEST(ReportOf, WithoutAWitnessTheCodeHasNoCycles) {
    Example example;
    example.analysis.execution_time.upper = {};
    const Report report = example.report();
    ASSERT_EQ(report.assembly.size(), 3U);
    EXPECT_EQ(report.assembly[0].executions, 0);
    EXPECT_TRUE(report.stack.empty());
}

TEST(ReportOf, ListsWhatIsNotIncluded) {
    const Example example;
    const std::string all = testing::PrintToString(example.report().limitations);
    for (const char* word : {"Preemption", "context switch", "clients", "Driver", "interrupt",
                             "refresh", "ECC", "Clock", "Launch", "copy", "Faults", "Divergence"})
        EXPECT_THAT(all, testing::HasSubstr(word));
}

TEST(ReportOf, ListsWhereDivergenceAndMultiprocessorsAreIncluded) {
    Example example;
    EXPECT_THAT(example.report().limitations, testing::Contains("Further multiprocessors are not "
                                                                "included."));
    example.facts.divergents.push_back({});
    example.request.multiprocessors = 4;
    const std::string all = testing::PrintToString(example.report().limitations);
    EXPECT_THAT(
        all, testing::HasSubstr("except where the code or the flow facts make a branch uniform"));
    EXPECT_THAT(all, testing::Not(testing::HasSubstr("Further multiprocessors")));
}

} // namespace
} // namespace warpbound::certification
