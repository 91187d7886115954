/// \file
/// lower bound <= every simulated time <= upper bound, over random kernels launched with several
/// warps and blocks, under work-conserving and slotted policies.

#include "analyzer/analysis.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/random_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace warpbound {
namespace {

constexpr std::array conserving{"lrr", "gto", "oldest", "variable-rate:fast=0,every=2,conserving",
                                "two-level:active=24"};
constexpr std::array slotted{"variable-rate:fast=0,every=2", "variable-rate:fast=2,every=2",
                             "variable-rate:fast=1,every=3", "variable-rate:fast=0,every=5"};

struct Verdict {
    std::string failure;
    bool refused = false;
    double upper_ratio = 0; ///< Upper bound over the worst simulated time.
    double lower_ratio = 0; ///< Lower bound over the best simulated time.
    bool several_waves = false;
    bool met = false; ///< The kernel has barriers.
};

void set(models::ValueGroup& group, std::string_view name, models::Interval interval) {
    for (auto& value : group.values)
        if (value.name == name) value.interval = interval;
}

/// Few places for blocks, so that some have to wait, and made-up times for that.
void limit_blocks(models::Architecture& architecture, std::int64_t blocks) {
    set(architecture.limits, "max-blocks", {blocks, blocks, blocks});
    set(architecture.blocks, "replacement", {0, 3, 9});
    set(architecture.blocks, "start", {5, 5, 20});
}

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described,
                   const char* policy_text, bool barriers, std::int64_t multiprocessors = 1) {
    models::Architecture architecture = described.architecture;
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 4 + static_cast<int>(seed % 11);
    options.depth = 1 + static_cast<int>(seed % 2);
    options.barriers = barriers && seed % 3 != 0;
    options.clock_reads = false;
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    const auto fail = [&](const std::string& what) {
        Verdict verdict;
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          "\n" + kernel.text + models::write_flow_facts(kernel.facts);
        return verdict;
    };
    const auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    const tests::ReadKernel& made = *loaded.value();

    limit_blocks(architecture, static_cast<std::int64_t>(1 + seed / 7 % 4));
    const auto most_blocks = static_cast<std::uint64_t>(6 * multiprocessors);
    models::Launch launch{static_cast<std::int64_t>(1 + seed / 3 % most_blocks),
                          32 * static_cast<std::int64_t>(1 + seed / 5 % 9)};
    if (seed % 4 == 0) launch.registers = static_cast<std::int64_t>(1 + seed / 4 % 63);
    if (seed % 6 == 0) launch.shared_memory = static_cast<std::int64_t>(seed * 37 % 40000);
    const auto policy = models::read_policy(policy_text);
    if (!policy) return fail(to_string(policy.error()));
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    request.launch = launch;
    request.multiprocessors = multiprocessors;
    request.policy = policy.value();
    const auto analysis = analyzer::analyze(request);
    Verdict verdict;
    verdict.several_waves =
        launch.blocks > static_cast<std::int64_t>(1 + seed / 7 % 4) * multiprocessors;
    verdict.met = kernel.text.find("BAR.SYNC") != std::string::npos;
    if (!analysis) {
        // Made-up facts may contradict each other.
        if (!made.has_further_facts()) return fail("not analyzed: " + to_string(analysis.error()));
        verdict.refused = true;
        return verdict;
    }
    const auto bounds = analysis.value().execution_time.bounds();
    const harness::Kernel launched{made.function, &made.graph, &made.facts, launch};
    const auto machine = harness::simulator::Machine::prepare(architecture, launched,
                                                              policy.value(), multiprocessors);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes,
                               harness::Draw::AllLow, harness::Draw::AllHigh,
                               harness::Draw::Adversarial};
    std::uint64_t run_seed = seed * 7919;
    std::int64_t best = INT64_MAX;
    std::int64_t worst = 0;
    for (const auto draw : draws) {
        const auto observed = machine.value()->run({++run_seed, draw, {}});
        if (!observed) {
            if (made.has_further_facts()) continue;
            return fail("run refused: " + to_string(observed.error()));
        }
        const auto time = observed.value().execution_time;
        best = std::min(best, time.count());
        worst = std::max(worst, time.count());
        if (!bounds.contains(time))
            return fail(
                "simulated " + std::to_string(time.count()) + " outside [" +
                std::to_string(bounds.lower().count()) + ", " +
                std::to_string(bounds.upper().count()) + "], launch " + models::to_string(launch) +
                ", policy " + models::to_string(policy.value()) + ", run seed " +
                std::to_string(run_seed) + ", draw " + std::string{harness::to_string(draw)});
    }
    if (worst > 0) {
        verdict.upper_ratio =
            static_cast<double>(bounds.upper().count()) / static_cast<double>(worst);
        verdict.lower_ratio =
            static_cast<double>(bounds.lower().count()) / static_cast<double>(best);
    }
    return verdict;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// What the cases of a campaign say together.
struct Sums {
    std::vector<double> upper;
    std::vector<double> lower;
    std::uint64_t refused = 0;
    std::uint64_t waves = 0;
    std::uint64_t met = 0;

    void add(const Verdict& verdict) {
        if (verdict.refused) ++refused;
        if (verdict.several_waves) ++waves;
        if (verdict.met) ++met;
        if (verdict.upper_ratio == 0) return;
        upper.push_back(verdict.upper_ratio);
        lower.push_back(verdict.lower_ratio);
    }
    /// A test would show little without several waves, barriers and bounds in sight.
    void expect_telling(std::uint64_t cases) const {
        EXPECT_LT(refused * 10, cases + 10);
        EXPECT_GT(waves * 5, cases);
        EXPECT_GT(met * 5, cases);
        EXPECT_LT(median(upper), 4.0);
        EXPECT_GT(median(lower), 0.3);
    }
    void record() const {
        testing::Test::RecordProperty("median_upper_ratio", std::to_string(median(upper)));
        testing::Test::RecordProperty("median_lower_ratio", std::to_string(median(lower)));
        testing::Test::RecordProperty(
            "largest_upper_ratio", std::to_string(*std::max_element(upper.begin(), upper.end())));
    }
};

TEST(Launches, NoSimulatedTimeOfARandomLaunchLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, conserving[seed / 11 % conserving.size()], true);
        },
        [&](const Verdict& verdict) { sums.add(verdict); });
    sums.record();
    sums.expect_telling(cases);
}

TEST(Launches, NoSimulatedTimeOfARandomLaunchOnSeveralMultiprocessorsLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, conserving[seed / 11 % conserving.size()], true,
                              static_cast<std::int64_t>(2 + seed / 13 % 3));
        },
        [&](const Verdict& verdict) { sums.add(verdict); });
    sums.record();
    sums.expect_telling(cases);
}

TEST(Launches, NoSimulatedTimeOfARandomSlottedLaunchLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, slotted[seed / 11 % slotted.size()], true);
        },
        [&](const Verdict& verdict) { sums.add(verdict); });
    sums.record();
    EXPECT_LT(sums.refused * 10, cases + 10);
    EXPECT_GT(sums.waves * 5, cases);
    EXPECT_LT(median(sums.upper), 4.0);
    EXPECT_GT(median(sums.lower), 0.3);
}

} // namespace
} // namespace warpbound
