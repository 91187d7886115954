/// \file
/// The blocks that a simulated warp with divergent lanes executes are a path of the serialized
/// control-flow graph (CFG) of the upper bound, under its loop bounds (docs/theory, S67).

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/divergence/serialized_facts.hpp"
#include "analyzer/preparation.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/path_follower.hpp"
#include "tests/support/random_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace warpbound {
namespace {

struct PathVerdict {
    std::string failure;
    bool duplicated = false; ///< There are more nodes than blocks.
    bool leaves = false;     ///< As `RandomKernel` has it.
    bool has_several_loop_exits = false;
    bool has_loop_exits_in_branches = false;
    bool diverges_at_multiway_branches = false;
    std::uint64_t followed = 0;
};

PathVerdict check_paths(std::uint64_t seed, const tests::DescribedMachine& described) {
    const tests::RandomKernel kernel = tests::divergent_kernel(seed, described.sm);
    const auto loaded = tests::read(kernel);
    if (!loaded) return {.failure = "not read: " + to_string(loaded.error())};
    const tests::ReadKernel& made = *loaded.value();
    if (made.facts.divergents.empty()) return {};
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &described.architecture;
    request.facts = &made.facts;
    constexpr std::array<std::int64_t, 4> threads{2, 3, 5, 32};
    request.launch = {1, threads[seed / 5 % threads.size()]};
    const auto context = analyzer::prepare(request);
    if (!context) return {};
    const auto cfg = analyzer::serialized_cfg(
        context.value().kernel, static_cast<analyzer::NodeDetail::Kind>(seed / 3 % 4));
    if (!cfg) return {};
    const analyzer::TimedKernel upper =
        analyzer::serialized_kernel(context.value().kernel, cfg.value());
    const auto machine = harness::simulator::Machine::prepare(
        described.architecture, {made.function, &made.graph, &made.facts, request.launch},
        request.policy);
    if (!machine) return {};
    PathVerdict verdict;
    verdict.duplicated = cfg.value().graph.blocks.size() > made.graph.blocks.size();
    verdict.leaves = kernel.leaves;
    verdict.has_several_loop_exits = kernel.has_several_loop_exits;
    verdict.has_loop_exits_in_branches = kernel.has_loop_exits_in_branches;
    verdict.diverges_at_multiway_branches = kernel.diverges_at_multiway_branches;
    const tests::FollowedRuns runs =
        tests::follow_runs(*machine.value(), made, cfg.value(), upper.facts, seed * 977, 30);
    verdict.followed = runs.followed;
    if (!runs.wrong.empty())
        verdict.failure = fmt::format("{}, seed {} on {}, {} threads\n{}{}", runs.wrong, seed,
                                      described.architecture.name, request.launch.threads,
                                      kernel.text, models::write_flow_facts(made.facts));
    return verdict;
}

TEST(DivergentPaths, OfSimulatedWarpsArePathsOfTheSerializedCfg) {
    std::uint64_t duplicated = 0;
    std::uint64_t leaves = 0;
    std::uint64_t has_several_loop_exits = 0;
    std::uint64_t has_loop_exits_in_branches = 0;
    std::uint64_t diverges_at_multiway_branches = 0;
    std::uint64_t followed = 0;
    const std::uint64_t cases = tests::run_campaign(check_paths, [&](const PathVerdict& verdict) {
        followed += verdict.followed;
        if (verdict.followed == 0) return;
        duplicated += verdict.duplicated ? 1 : 0;
        leaves += verdict.leaves ? 1 : 0;
        has_several_loop_exits += verdict.has_several_loop_exits ? 1 : 0;
        has_loop_exits_in_branches += verdict.has_loop_exits_in_branches ? 1 : 0;
        diverges_at_multiway_branches += verdict.diverges_at_multiway_branches ? 1 : 0;
    });
    RecordProperty("followed", std::to_string(followed));
    RecordProperty("with_duplicates", std::to_string(duplicated));
    RecordProperty("leave_points_by_break", std::to_string(leaves));
    RecordProperty("several_loop_exits", std::to_string(has_several_loop_exits));
    RecordProperty("loop_exits_inside_branches", std::to_string(has_loop_exits_in_branches));
    RecordProperty("multiway_branches", std::to_string(diverges_at_multiway_branches));
    EXPECT_GT(followed, cases * 5);
    EXPECT_GT(duplicated * 5, cases);
    EXPECT_GT(leaves * 40, cases);
    EXPECT_GT(has_several_loop_exits * 40, cases);
    EXPECT_GT(has_loop_exits_in_branches * 100, cases);
    EXPECT_GT(diverges_at_multiway_branches * 20, cases);
}

} // namespace
} // namespace warpbound
