/// \file
/// lower bound <= every simulated time <= upper bound, over random kernels with constant operands
/// and launches on machines with caches of constants of few lines; with and without instruction
/// caches and read ports.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/small_instruction_caches.hpp"
#include "tests/support/small_operand_caches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace warpbound {
namespace {

const std::vector<std::string> conserving =
    tests::conserving_policies({"variable-rate:fast=0,every=2,conserving", "two-level:active=24"});
/// Bounded where no line is replaced.
constexpr std::array active_sets{"two-level:active=1", "two-level:active=2", "two-level:active=3"};
/// Bounded where in addition the caches are warm.
constexpr std::array others{"srr", "variable-rate:fast=0,every=2"};
constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
                           harness::Draw::AllHigh, harness::Draw::Adversarial};

struct Verdict {
    std::string failure;
    bool refused = false;
    double upper_ratio = 0;                 ///< Upper bound over the longest simulated time.
    std::vector<analyzer::BoundTerm> terms; ///< Of constant operands.
    std::int64_t slack = 0;                 ///< Upper bound less the longest simulated time.
    bool alone = false;
    bool several_waves = false;
    bool several_multiprocessors = false;
    bool divergent = false;
    bool measured = false;   ///< The time between two clock reads is bounded, too.
    bool limits_set = false; ///< By a policy that limits active sets, or conserves no work.
};

void replace(models::ValueGroup& group, std::string_view name, models::Interval interval) {
    for (auto& value : group.values)
        if (value.name == name) value.interval = interval;
}

tests::RandomKernelOptions options_of(std::uint64_t seed, int sm, bool alone) {
    tests::RandomKernelOptions options;
    options.sm = sm;
    options.statements = 2 + static_cast<int>(seed % 17);
    options.depth = static_cast<int>(seed % 4);
    options.max_iterations = 4;
    options.calls = seed / 7 % 4 == 0;
    options.divergence = seed / 3 % 3 == 0;
    options.barriers = !alone && seed % 3 != 0;
    options.further_facts = seed % 4 == 0;
    options.clock_reads = alone || seed % 5 == 0;
    return options;
}

/// Read ports as the shipped description of the machine has them.
void add_read_ports(models::Architecture& machine) {
    const auto shipped = models::load_architecture(machine.name);
    if (shipped && shipped.value().has_read_ports())
        machine.register_file = shipped.value().register_file;
}

models::WarpPolicy policy_of(std::uint64_t seed, bool limits_set) {
    const std::string name = !limits_set         ? conserving[seed / 11 % conserving.size()]
                             : seed / 9 % 4 == 0 ? others[seed / 11 % others.size()]
                                                 : active_sets[seed / 11 % active_sets.size()];
    return models::read_policy(name).value();
}

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    std::mt19937_64 random{seed};
    const auto pick = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    Verdict verdict;
    verdict.alone = seed / 2 % 4 == 0;
    models::Architecture architecture = described.architecture;
    const tests::RandomKernelOptions options = options_of(seed, described.sm, verdict.alone);
    verdict.divergent = options.divergence;
    tests::RandomKernel kernel = tests::random_kernel(seed, options);
    kernel.text = tests::with_constants(kernel.text, pick);
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          "\n" + kernel.text + models::write_flow_facts(kernel.facts) +
                          models::write_architecture(architecture);
        return verdict;
    };
    const auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    const tests::ReadKernel& made = *loaded.value();
    tests::add_operand_caches(architecture, pick);
    if (pick(3) == 0)
        tests::add_instruction_caches(architecture, *made.function, pick, verdict.alone);
    if (pick(3) == 0) add_read_ports(architecture);
    const std::int64_t places = 1 + pick(4);
    replace(architecture.limits, "max-blocks", {places, places, places});
    replace(architecture.blocks, "replacement", {0, 3, 9});
    replace(architecture.blocks, "start", {0, 5, 20});
    models::Launch launch{1, 32};
    std::int64_t multiprocessors = 1;
    if (!verdict.alone) {
        multiprocessors = 1 + pick(3);
        launch = {1 + pick(5 * places * multiprocessors), 32 * (1 + pick(6))};
        if (pick(3) == 0) launch = {1, 32 * (1 + pick(24))};
    }
    verdict.several_waves = launch.blocks > places * multiprocessors;
    verdict.several_multiprocessors = multiprocessors > 1;
    verdict.limits_set = !verdict.alone && seed % 9 == 4;
    const auto policy = policy_of(seed, verdict.limits_set);
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    request.launch = launch;
    request.multiprocessors = multiprocessors;
    request.policy = policy;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        verdict.refused = true;
        if (verdict.limits_set && to_string(analysis.error()).find("=none") != std::string::npos)
            return verdict;
        // Made-up facts may contradict each other, and divergence may be refused.
        if (!made.has_further_facts() && !options.divergence && !verdict.limits_set)
            return fail("not analyzed: " + to_string(analysis.error()));
        return verdict;
    }
    const auto& measured = analysis.value().measured_time;
    verdict.measured = measured.has_value();
    auto bounds = analysis.value().execution_time.bounds();
    for (const auto& term : analysis.value().execution_time.upper.terms)
        if (term.text.starts_with("constant operands")) verdict.terms.push_back(term);
    if (seed % 2 == 0) {
        analyzer::CertificateStore certificates;
        request.certificates = &certificates;
        const auto proved = analyzer::analyze(request);
        if (!proved) return fail("no evidence: " + to_string(proved.error()));
        const auto certified = proved.value().execution_time.bounds();
        bounds = {std::max(bounds.lower(), certified.lower()),
                  std::min(bounds.upper(), certified.upper())};
    }
    const harness::Kernel launched{made.function, &made.graph, &made.facts, launch};
    const auto machine =
        harness::simulator::Machine::prepare(architecture, launched, policy, multiprocessors);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    std::uint64_t run_seed = seed * 7919;
    std::int64_t worst = 0;
    for (const auto draw : draws) {
        const auto observed = machine.value()->run({++run_seed, draw, {}});
        if (!observed) {
            if (made.has_further_facts() || options.divergence) continue;
            return fail("run refused: " + to_string(observed.error()));
        }
        const auto time = observed.value().execution_time;
        worst = std::max(worst, time.count());
        for (const models::WarpObservation& warp : observed.value().warps) {
            const auto between = warp.region();
            if (measured && between && !measured->bounds().contains(*between))
                return fail("measured " + std::to_string(between->count()) + " outside [" +
                            std::to_string(measured->lower.proved.count()) + ", " +
                            std::to_string(measured->upper.proved.count()) + "], run seed " +
                            std::to_string(run_seed));
        }
        if (!bounds.contains(time))
            return fail("simulated " + std::to_string(time.count()) + " outside [" +
                        std::to_string(bounds.lower().count()) + ", " +
                        std::to_string(bounds.upper().count()) + "], launch " +
                        models::to_string(launch) + " on " + std::to_string(multiprocessors) +
                        ", policy " + models::to_string(policy) + ", run seed " +
                        std::to_string(run_seed) + ", draw " +
                        std::string{harness::to_string(draw)});
    }
    if (worst == 0) return verdict;
    verdict.upper_ratio = static_cast<double>(bounds.upper().count()) / static_cast<double>(worst);
    verdict.slack = bounds.upper().count() - worst;
    return verdict;
}

TEST(ConstantCaches, NoSimulatedTimeOfARandomLaunchLeavesItsEnvelope) {
    std::uint64_t refused = 0;
    std::uint64_t alone = 0;
    std::uint64_t waves = 0;
    std::uint64_t spread = 0;
    std::uint64_t divergent = 0;
    std::uint64_t measured = 0;
    std::uint64_t limited = 0;
    std::map<std::string, std::uint64_t> terms;
    std::map<std::string, std::uint64_t> needed; ///< Cases outside the bound without the term.
    std::vector<double> ratios;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const Verdict& verdict) {
        if (verdict.refused) {
            ++refused;
            return;
        }
        if (verdict.alone) ++alone;
        if (verdict.several_waves) ++waves;
        if (verdict.several_waves && verdict.several_multiprocessors) ++spread;
        if (verdict.divergent) ++divergent;
        if (verdict.measured) ++measured;
        if (verdict.limits_set) ++limited;
        for (const analyzer::BoundTerm& term : verdict.terms) {
            ++terms[term.text];
            if (term.count * term.cycles > verdict.slack) ++needed[term.text];
        }
        if (verdict.upper_ratio > 0) ratios.push_back(verdict.upper_ratio);
    });
    ASSERT_FALSE(ratios.empty());
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    RecordProperty("median_upper_ratio", std::to_string(*middle));
    RecordProperty("refused", std::to_string(refused));
    RecordProperty("limited", std::to_string(limited));
    EXPECT_GT(measured * 25, cases);
    EXPECT_LT(refused * 4, cases + 20);
    EXPECT_GT(alone * 10, cases);
    EXPECT_GT(waves * 10, cases);
    EXPECT_GT(spread * 20, cases);
    EXPECT_GT(divergent * 20, cases);
    EXPECT_EQ(terms.size(), 3U);
    for (const auto& [text, count] : terms) {
        EXPECT_GT(count * 10, cases) << text;
        RecordProperty("needed_" + text.substr(text.size() - 12), std::to_string(needed[text]));
    }
    if (cases < 2000) return;
    EXPECT_GT(limited, 0U);
    for (const auto& [text, count] : terms) {
        if (text.find("hold") != std::string::npos) continue;
        EXPECT_GT(needed[text], 0U) << text << ": no run is outside the bound without it";
    }
}

} // namespace
} // namespace warpbound
