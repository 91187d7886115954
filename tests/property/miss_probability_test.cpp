/// \file
/// The share of simulated jobs that miss a deadline lies in the estimated interval where a pipeline
/// is alone, and not above it where others use the device, too.

#include "analyzer/pipeline/latency.hpp"
#include "analyzer/pipeline/miss_probability.hpp"
#include "harness/pipeline/pipeline_simulation.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/random_pipelines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

namespace warpbound {
namespace {

constexpr std::size_t samples_of_a_stage = 500;

/// Own times as the simulation draws them: an end with 1/4 each, else anything between.
analyzer::ObservedOwnTimes own_times(const models::Pipeline& pipeline, std::mt19937_64& random) {
    analyzer::ObservedOwnTimes all;
    for (const auto& stage : pipeline.stages) {
        const std::int64_t lo = stage.time->lower().count();
        const std::int64_t hi = stage.time->upper().count();
        std::uniform_int_distribution<std::int64_t> between{lo, hi};
        std::vector<std::int64_t> times;
        for (std::size_t i = 0; i < samples_of_a_stage; ++i) {
            const auto choice = random() % 4;
            times.push_back(choice == 0 ? lo : choice == 1 ? hi : between(random));
        }
        all.push_back(std::move(times));
    }
    return all;
}

double simulated_share(const models::PipelineSystem& system, std::uint64_t seed, int runs,
                       std::int64_t& jobs) {
    std::vector<harness::ObservedPipeline> observed;
    for (int run = 0; run < runs; ++run)
        harness::simulate_pipelines(
            system, {.seed = seed * 131 + static_cast<std::uint64_t>(run), .jobs = 100}, observed);
    jobs = observed[0].latency.count;
    return static_cast<double>(observed[0].late) / static_cast<double>(jobs);
}

/// Five standard errors of a share of so many jobs.
double error_of(std::int64_t jobs) {
    return 5 * std::sqrt(0.25 / static_cast<double>(jobs));
}

/// A chain of host tasks: nothing queues, so the model is exact and both sides can be compared. A
/// 95 % interval fails one time in twenty at most, and that of Dvoretzky, Kiefer and Wolfowitz
/// much less often.
TEST(MissProbability, OfAChainAloneContainsTheSimulatedShare) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 40);
    std::uint64_t outside = 0;
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        std::mt19937_64 random{seed};
        models::PipelineSystem system;
        models::Pipeline pipeline;
        pipeline.distance = models::Nanoseconds{1'000'000};
        pipeline.dependence = models::Dependence::Independent;
        const std::size_t stages = 1 + random() % 4;
        for (std::size_t i = 0; i < stages; ++i) {
            models::PipelineStage stage;
            const auto lo = static_cast<std::int64_t>(random() % 10'000);
            stage.time.emplace(
                models::Nanoseconds{lo},
                models::Nanoseconds{lo + static_cast<std::int64_t>(random() % 50'000)});
            if (i > 0) stage.after = {i - 1};
            pipeline.stages.push_back(std::move(stage));
        }
        system.pipelines.push_back(std::move(pipeline));
        const auto bounds = analyzer::bound_latency(system).pipelines[0];
        system.pipelines[0].deadline = models::Nanoseconds{
            bounds.lower +
            (*bounds.upper - bounds.lower) * (4 + static_cast<std::int64_t>(random() % 6)) / 10 +
            1};
        const auto found = analyzer::miss_probability(system.pipelines[0], bounds,
                                                      own_times(system.pipelines[0], random));
        std::int64_t jobs = 0;
        const double share = simulated_share(system, seed, 30, jobs);
        const double error = error_of(jobs);
        if (share > found->upper.value() + error) ++outside;
        EXPECT_LE(found->value.value(), found->upper.value()) << "seed " << seed;
    }
    EXPECT_LE(outside, cases / 20);
}

/// With others, queues count at their bounds: no simulated share is above, whatever the stated
/// dependence, for the simulation draws independently.
TEST(MissProbability, IsNotBelowTheSimulatedShareBesideOthers) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 120);
    std::uint64_t above = 0;
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        std::mt19937_64 random{seed};
        models::PipelineSystem system = tests::random_pipelines(seed + 1000, {});
        const auto bounds = analyzer::bound_latency(system).pipelines[0];
        if (!bounds.upper || *bounds.upper <= bounds.lower + 1) continue;
        ++compared;
        auto& pipeline = system.pipelines[0];
        pipeline.deadline = models::Nanoseconds{
            bounds.lower +
            (*bounds.upper - bounds.lower) * static_cast<std::int64_t>(random() % 10) / 10 + 1};
        const auto samples = own_times(pipeline, random);
        std::int64_t jobs = 0;
        const double share = simulated_share(system, seed, 4, jobs);
        double least = 2;
        for (const auto dependence :
             {models::Dependence::Independent, models::Dependence::Unknown}) {
            pipeline.dependence = dependence;
            const auto found = analyzer::miss_probability(pipeline, bounds, samples);
            least = std::min(least, found->upper.value());
        }
        if (share > least + error_of(jobs)) ++above;
    }
    EXPECT_LE(above, compared / 20);
    EXPECT_GE(compared, cases / 3);
}

} // namespace
} // namespace warpbound
