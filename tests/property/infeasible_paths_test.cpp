/// \file
/// Derived infeasible paths, compared with an interpreter that runs the code; and the bounds that
/// use them, compared with simulated runs on the interpreter's paths.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/infeasible_paths.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/correlated_branches.hpp"
#include "tests/support/lane_interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::tests {
namespace {

const models::Launch launch{3, 96};

/// Why a run violates a fact; empty when it satisfies it.
std::string violation(const analyzer::DerivedPathFact& derived,
                      const assembly::ControlFlowGraph& graph, const LaneRun& run) {
    const auto visits = [&](std::int64_t address) {
        return std::count_if(run.path.begin(), run.path.end(), [&](std::size_t block) {
            return graph.blocks[block].address == address;
        });
    };
    bool satisfied = true;
    if (const auto* never = std::get_if<models::NeverFact>(&derived.fact)) {
        satisfied = visits(never->block) == 0;
    } else if (const auto* pair = std::get_if<models::ExclusiveFact>(&derived.fact)) {
        satisfied = visits(pair->first) == 0 || visits(pair->second) == 0;
    } else {
        const auto& linear = std::get<models::LinearFact>(derived.fact);
        std::int64_t sum = 0;
        for (const auto& term : linear.terms) {
            if (!term.from) sum += term.coefficient * visits(term.block);
            for (std::size_t edge = 0; term.from && edge < graph.edges.size(); ++edge)
                if (graph.blocks[graph.edges[edge].from].address == *term.from &&
                    graph.blocks[graph.edges[edge].to].address == term.block)
                    sum += term.coefficient * run.edges[edge];
        }
        satisfied = linear.relation == models::Relation::AtLeast ? sum >= linear.constant
                                                                 : sum <= linear.constant;
    }
    return satisfied ? "" : analyzer::text_of(derived) + ": " + derived.reason;
}

TEST(InfeasiblePaths, HoldForEveryRunOfRandomCode) {
    std::size_t derived_facts = 0;
    std::size_t nevers = 0;
    std::size_t tighter = 0;
    std::size_t simulated = 0;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 600));
    auto architecture = models::load_architecture("turing-t4");
    ASSERT_TRUE(architecture);
    for_seeds(cases, [&](RandomSource& random_source) {
        const std::string text = CorrelatedBranches{random_source}.write();
        const auto program = assembly::read_program({"random", text});
        ASSERT_TRUE(program) << to_string(program.error()) << text;
        const assembly::Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        ASSERT_TRUE(graph) << to_string(graph.error()) << text;
        const auto derived = analyzer::derive_infeasible_paths(function, graph.value(), launch,
                                                               analyzer::Convergence::Converged);
        derived_facts += derived.size();
        for (const auto& fact : derived)
            nevers += std::holds_alternative<models::NeverFact>(fact.fact) ? 1U : 0U;

        models::FlowFacts facts;
        for (const auto& loop : graph.value().loops)
            facts.loops.push_back({graph.value().blocks[loop.header].address, 1, 3, {}});
        analyzer::Request request;
        request.function = &function;
        request.graph = &graph.value();
        request.architecture = &architecture.value();
        request.facts = &facts;
        request.launch = {1, 32};
        const auto stated = analyzer::analyze(request);
        request.follow_branches = true;
        const auto followed = analyzer::analyze(request);
        ASSERT_TRUE(stated) << to_string(stated.error()) << text;
        ASSERT_TRUE(followed) << to_string(followed.error()) << text;
        const auto bounds = followed.value().execution_time.bounds();
        ASSERT_LE(bounds.upper(), stated.value().execution_time.upper.proved) << text;
        ASSERT_GE(bounds.lower(), stated.value().execution_time.lower.proved) << text;
        if (bounds.upper() < stated.value().execution_time.upper.proved) ++tighter;
        const harness::Kernel launched{&function, &graph.value(), &facts, {1, 32}};
        const auto machine = harness::simulator::Machine::prepare(architecture.value(), launched);
        ASSERT_TRUE(machine) << to_string(machine.error()) << text;
        for (int run = 0; run < 6; ++run) {
            const LaneRun of_launch =
                LaneInterpreter{function, graph.value(), random_source, launch}.run(1'000);
            for (const auto& fact : derived)
                ASSERT_EQ(violation(fact, graph.value(), of_launch), "") << text;
            const LaneRun of_one_warp =
                LaneInterpreter{function, graph.value(), random_source, {1, 32}}.run(1'000);
            ASSERT_TRUE(of_one_warp.ended) << text;
            for (const auto draw : {harness::Draw::AllLow, harness::Draw::AllHigh}) {
                const auto observed = machine.value()->run({1, draw, of_one_warp.path});
                ASSERT_TRUE(observed) << to_string(observed.error()) << text;
                ++simulated;
                ASSERT_TRUE(bounds.contains(observed.value().execution_time))
                    << observed.value().execution_time.count() << " outside ["
                    << bounds.lower().count() << ", " << bounds.upper().count() << "]\n"
                    << text;
            }
        }
    });
    EXPECT_GT(derived_facts, static_cast<std::size_t>(cases));
    EXPECT_GT(nevers, static_cast<std::size_t>(cases) / 10);
    EXPECT_GT(tighter, static_cast<std::size_t>(cases) / 20);
    RecordProperty("derived", static_cast<int>(derived_facts));
    RecordProperty("nevers", static_cast<int>(nevers));
    RecordProperty("tighter", static_cast<int>(tighter));
    RecordProperty("simulated", static_cast<int>(simulated));
}

} // namespace
} // namespace warpbound::tests
