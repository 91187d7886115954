/// \file
/// The product of the control flow with the reconvergence stack (docs/theory, S67) against the
/// simulator, and against the serialized control-flow graph (CFG) made branch by branch (S19d).

#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/divergence/serialized_facts.hpp"
#include "analyzer/launch/path_bound.hpp"
#include "analyzer/preparation.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/branch_serialization/serialized_cfg.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/path_follower.hpp"
#include "tests/support/random_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

constexpr std::size_t most_bounded_nodes = 100; ///< Of kernels whose bounds are compared.

struct ProductVerdict {
    std::string failure;
    bool diverges = false;
    bool bounded = false;        ///< By the product.
    bool bounded_before = false; ///< By the other construction.
    int compared = 0;            ///< Sign of the product's bound less the other one.
    std::uint64_t followed = 0;
};

/// Upper bound of one warp; `Unit:` core cycles.
std::optional<std::int64_t> bound_on(const analyzer::AnalysisContext& context,
                                     const analyzer::SerializedCfg& cfg) {
    const analyzer::Request serialized = analyzer::serialized_request(context.request, cfg);
    const auto upper = analyzer::serialized_context(context, serialized, cfg);
    const auto rules = analyzer::pipelines_of(upper, upper.buffer_entries.lo, upper.buffer_drain);
    const auto paths = analyzer::path_graph_of(upper, rules, analyzer::Side::Upper);
    const auto solved = analyzer::solve_paths(upper, paths, analyzer::Side::Upper,
                                              analyzer::Facts::LoopBounds, std::nullopt);
    if (!solved) return std::nullopt;
    return solved.value().bound;
}

ProductVerdict check_product(std::uint64_t seed, const tests::DescribedMachine& described) {
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
    ProductVerdict verdict;
    verdict.diverges = true;
    const auto text = [&] {
        return fmt::format("seed {} on {}, {} threads\n{}{}", seed, described.architecture.name,
                           request.launch.threads, kernel.text,
                           models::write_flow_facts(made.facts));
    };
    const auto before = analyzer::branch_serialized_cfg(context.value());
    const auto cfg = analyzer::serialized_cfg(context.value());
    verdict.bounded = cfg.has_value();
    verdict.bounded_before = before.has_value();
    if (!cfg) return verdict;
    if (before && before.value().original.size() <= most_bounded_nodes) {
        const auto now = bound_on(context.value(), cfg.value());
        const auto then = bound_on(context.value(), before.value());
        if (now && then) verdict.compared = *now > *then ? 1 : *now < *then ? -1 : 0;
    }
    const analyzer::Request serialized = analyzer::serialized_request(request, cfg.value());
    const analyzer::AnalysisContext upper =
        analyzer::serialized_context(context.value(), serialized, cfg.value());
    const auto machine = harness::simulator::Machine::prepare(
        described.architecture, {made.function, &made.graph, &made.facts, request.launch},
        request.policy);
    if (!machine) return verdict;
    const tests::FollowedRuns runs =
        tests::follow_runs(*machine.value(), made, cfg.value(), upper.facts, seed * 977, 10);
    verdict.followed = runs.followed;
    if (!runs.wrong.empty()) verdict.failure = runs.wrong + "\n" + text();
    return verdict;
}

TEST(ProductCfg, HasThePathsOfSimulatedWarpsAndMostlySmallerBounds) {
    std::uint64_t followed = 0;
    std::uint64_t only_before = 0;
    std::uint64_t only_now = 0;
    std::uint64_t both = 0;
    std::uint64_t larger = 0;
    std::uint64_t smaller = 0;
    tests::run_campaign(
        check_product,
        [&](const ProductVerdict& verdict) {
            followed += verdict.followed;
            only_before += verdict.bounded_before && !verdict.bounded ? 1 : 0;
            only_now += !verdict.bounded_before && verdict.bounded ? 1 : 0;
            if (!verdict.bounded || !verdict.bounded_before) return;
            ++both;
            larger += verdict.compared > 0 ? 1U : 0U;
            smaller += verdict.compared < 0 ? 1U : 0U;
        },
        100);
    for (const auto& [what, count] :
         {std::pair{"followed", followed}, std::pair{"bounded_by_both", both},
          std::pair{"refused_by_the_product_alone", only_before},
          std::pair{"bounded_by_the_product_alone", only_now}, std::pair{"larger", larger},
          std::pair{"smaller", smaller}})
        RecordProperty(what, std::to_string(count));
    EXPECT_GT(followed, both * 5);
    EXPECT_GT(only_now, 10 * only_before);
    EXPECT_GT(smaller, 10 * larger);
    EXPECT_GT(smaller * 10, both);
}

} // namespace
} // namespace warpbound
