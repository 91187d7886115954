/// \file
/// lower bound <= every simulated time <= upper bound, over random accesses through small random
/// caches, of one warp and of several.

#include "analyzer/analysis.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using harness::simulator::test::RandomAccesses;

constexpr std::array policies{"lrr", "gto", "oldest"};

/// One warp, several warps, or several warps in more than one wave on one SM or two.
void choose_launch(RandomAccesses& made, std::uint64_t seed) {
    if (seed % 3 == 0) made.launch = {1, 32};
    harness::simulator::test::set(made.machine.geometry, "multiprocessors", 2);
    if (seed % 3 == 1) harness::simulator::test::set(made.machine.limits, "max-blocks", 1);
}

/// Text of a failure, empty when all times lie inside.
std::string check_case(std::uint64_t seed, std::vector<double>& upper, std::vector<double>& lower) {
    RandomAccesses made = harness::simulator::test::random_accesses(seed);
    choose_launch(made, seed);
    const std::int64_t multiprocessors = seed % 5 == 1 ? 2 : 1;
    const auto policy = models::read_policy(policies[seed % policies.size()]).value();
    analyzer::Request request;
    request.function = &made.program.function;
    request.graph = &made.program.graph;
    request.architecture = &made.machine;
    request.facts = &made.program.facts;
    request.launch = made.launch;
    request.multiprocessors = multiprocessors;
    request.policy = policy;
    const std::string about =
        "seed " + std::to_string(seed) + ", launch " + models::to_string(made.launch);
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return "not analyzed: " + to_string(analysis.error()) + ", " + about;
    const auto bounds = analysis.value().execution_time.bounds();
    const harness::Kernel kernel{request.function, request.graph, request.facts, made.launch};
    const auto machine =
        harness::simulator::Machine::prepare(made.machine, kernel, policy, multiprocessors);
    if (!machine) return "not simulated: " + to_string(machine.error()) + ", " + about;
    std::int64_t best = INT64_MAX;
    std::int64_t worst = 0;
    std::uint64_t run = seed * 7919;
    for (const auto draw : {harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
                            harness::Draw::AllHigh, harness::Draw::Adversarial}) {
        const auto seen = machine.value()->run({++run, draw, {}});
        if (!seen) return "run refused: " + to_string(seen.error()) + ", " + about;
        const std::int64_t time = seen.value().execution_time.count();
        best = std::min(best, time);
        worst = std::max(worst, time);
        if (!bounds.contains(seen.value().execution_time))
            return "simulated " + std::to_string(time) + " outside [" +
                   std::to_string(bounds.lower().count()) + ", " +
                   std::to_string(bounds.upper().count()) + "], " + about + ", draw " +
                   std::string{harness::to_string(draw)};
    }
    upper.push_back(static_cast<double>(bounds.upper().count()) / static_cast<double>(worst));
    lower.push_back(static_cast<double>(bounds.lower().count()) / static_cast<double>(best));
    return {};
}

double middle_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

TEST(Caches, NoSimulatedTimeOfRandomAccessesLeavesItsEnvelope) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 1000);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261122);
    RecordProperty("first_seed", std::to_string(first));
    std::array<std::vector<double>, 2> upper; // One warp, several.
    std::array<std::vector<double>, 2> lower;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const std::size_t several = seed % 3 == 0 ? 0 : 1;
        const std::string failure = check_case(seed, upper[several], lower[several]);
        ASSERT_TRUE(failure.empty()) << failure;
    }
    for (const std::size_t several : {std::size_t{0}, std::size_t{1}}) {
        const std::string of = several == 0 ? "_of_one_warp" : "_of_several_warps";
        RecordProperty("median_upper_ratio" + of, std::to_string(middle_of(upper[several])));
        RecordProperty("largest_upper_ratio" + of,
                       std::to_string(*std::ranges::max_element(upper[several])));
        RecordProperty("median_lower_ratio" + of, std::to_string(middle_of(lower[several])));
    }
    EXPECT_LT(middle_of(upper[0]), 9.0);
    EXPECT_LT(middle_of(upper[1]), 9.0);
}

} // namespace
} // namespace warpbound
