/// \file
/// lower bound <= every simulated latency <= upper bound, over random pipelines that share a GPU;
/// and how often a directed run attains the bound.

#include "analyzer/pipeline/latency.hpp"
#include "harness/pipeline/pipeline_simulation.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/random_pipelines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace warpbound {
namespace {

struct Outcome {
    std::string failure;
    bool is_bounded = false;
    int pipelines = 0;
    int attained = 0; ///< Pipelines whose worst latency is the bound, up to 1 ns.
};

Outcome check(std::uint64_t seed, const tests::PipelineShape& shape, std::uint64_t runs) {
    const models::PipelineSystem system = tests::random_pipelines(seed, shape);
    const analyzer::SystemLatency bounds = analyzer::bound_latency(system);
    Outcome outcome;
    if (!bounds.missing.empty()) outcome.failure = "missing: " + bounds.missing.front();
    if (!bounds.refusal.empty() || !outcome.failure.empty()) return outcome;
    outcome.is_bounded = true;
    std::vector<harness::ObservedPipeline> observed;
    for (std::uint64_t run = 0; run < runs; ++run)
        harness::simulate_pipelines(system,
                                    {.seed = seed * 97 + run,
                                     .jobs = 12,
                                     .starts_together = run % 2 == 0,
                                     .takes_longest = run % 4 < 2},
                                    observed);
    for (std::size_t p = 0; p < observed.size(); ++p) {
        const auto& bound = bounds.pipelines[p];
        const auto& seen = observed[p];
        if (seen.latency.count == 0) continue;
        ++outcome.pipelines;
        if (seen.latency.worst + 1 >= *bound.upper) ++outcome.attained;
        const auto where = "pipeline " + std::to_string(p) + " of seed " + std::to_string(seed);
        if (seen.latency.worst > *bound.upper || seen.latency.best < bound.lower)
            outcome.failure = where + ": " + std::to_string(seen.latency.best) + " to " +
                              std::to_string(seen.latency.worst) + " outside " +
                              std::to_string(bound.lower) + " to " + std::to_string(*bound.upper);
        for (std::size_t i = 0; i < seen.responses.size(); ++i)
            if (seen.responses[i].worst > bound.stages[i].response)
                outcome.failure = where + ", stage " + std::to_string(i) + ": response " +
                                  std::to_string(seen.responses[i].worst) + " above " +
                                  std::to_string(bound.stages[i].response);
    }
    return outcome;
}

/// Returns the share of attained bounds.
double run(const char* name, const tests::PipelineShape& shape, std::uint64_t runs,
           double least_bounded) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 1000);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261125);
    std::uint64_t bounded = 0;
    int pipelines = 0;
    int attained = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const Outcome outcome = check(seed, shape, runs);
        EXPECT_EQ(outcome.failure, "");
        if (!outcome.failure.empty()) break;
        bounded += outcome.is_bounded ? 1 : 0;
        pipelines += outcome.pipelines;
        attained += outcome.attained;
    }
    const double share = pipelines == 0 ? 0 : static_cast<double>(attained) / pipelines;
    testing::Test::RecordProperty("first_seed", std::to_string(first));
    testing::Test::RecordProperty("bounded_systems", std::to_string(bounded));
    testing::Test::RecordProperty("attained_bounds", std::to_string(share));
    std::printf("%s: %llu systems, %llu with bounds, %d pipelines, bound attained in %.1f %%\n",
                name, static_cast<unsigned long long>(cases),
                static_cast<unsigned long long>(bounded), pipelines, 100 * share);
    EXPECT_GE(static_cast<double>(bounded), least_bounded * static_cast<double>(cases));
    return share;
}

TEST(Pipelines, NoSimulatedLatencyLeavesItsBounds) {
    run("all", {}, 8, 0.3);
}

TEST(Pipelines, WithoutSharedMemoryNoSimulatedLatencyLeavesItsBounds) {
    run("without memory", {.memory = false}, 8, 0.4);
}

TEST(Pipelines, AtTheEdgesNoSimulatedLatencyLeavesItsBounds) {
    run("edges", {.most_pipelines = 4, .most_stages = 3, .edges = true}, 8, 0.3);
}

TEST(Pipelines, AtTheEdgesWithoutSharedMemoryNoSimulatedLatencyLeavesItsBounds) {
    run("edges without memory",
        {.most_pipelines = 4, .most_stages = 3, .memory = false, .edges = true}, 8, 0.4);
}

/// One stage each: the local analyses are exact up to the order of equals.
TEST(Pipelines, OfOneStageOftenAttainTheirBounds) {
    const double share =
        run("one stage", {.most_pipelines = 3, .most_stages = 1, .memory = false, .clients = false},
            32, 0.4);
    EXPECT_GE(share, 0.3);
}

} // namespace
} // namespace warpbound
