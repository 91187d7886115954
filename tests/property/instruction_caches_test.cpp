/// \file
/// lower bound <= every simulated time <= upper bound, over random kernels and launches on machines
/// with instruction caches of few lines.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/bottleneck_accesses.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/mixed_accesses.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/small_instruction_caches.hpp"
#include "tests/support/strided_accesses.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"

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
/// Bounded where the lines are persistent in the L0.
constexpr std::array active_sets{"two-level:active=1", "two-level:active=2", "two-level:active=3"};
constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
                           harness::Draw::AllHigh, harness::Draw::Adversarial};

struct FetchVerdict {
    std::string failure;
    bool refused = false;
    double upper_ratio = 0;                 ///< Upper bound over the longest simulated time.
    std::vector<analyzer::BoundTerm> terms; ///< Of instruction fetch.
    std::int64_t slack = 0;                 ///< Upper bound less the longest simulated time.
    /// A run takes longer than the bound with gaps as they are without instruction caches.
    bool needs_longer_gaps = false;
    bool alone = false;
    bool several_waves = false;
    bool several_multiprocessors = false;
    bool divergent = false;
    bool measured = false; ///< The time between two clock reads is bounded, too.
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

FetchVerdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    std::mt19937_64 random{seed};
    const auto pick = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    FetchVerdict verdict;
    verdict.alone = seed / 2 % 4 == 0;
    models::Architecture architecture = described.architecture;
    const tests::RandomKernelOptions options = options_of(seed, described.sm, verdict.alone);
    verdict.divergent = options.divergence;
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          "\n" + kernel.text + models::write_flow_facts(kernel.facts) +
                          models::write_architecture(architecture);
        return verdict;
    };
    const auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    const tests::ReadKernel& made = *loaded.value();
    tests::add_instruction_caches(architecture, *made.function, pick, verdict.alone);
    const std::int64_t places = 1 + pick(4);
    replace(architecture.limits, "max-blocks", {places, places, places});
    replace(architecture.blocks, "replacement", {0, 3, 9});
    replace(architecture.blocks, "start", {0, 5, 20});
    models::Launch launch{1, 32};
    std::int64_t multiprocessors = 1;
    if (!verdict.alone) {
        multiprocessors = 1 + pick(3);
        launch = {1 + pick(5 * places * multiprocessors), 32 * (1 + pick(6))};
    }
    verdict.several_waves = launch.blocks > places * multiprocessors;
    verdict.several_multiprocessors = multiprocessors > 1;
    const bool limits_set = !verdict.alone && seed % 9 == 4;
    const auto policy = models::read_policy(limits_set ? active_sets[seed / 11 % 3]
                                                       : conserving[seed / 11 % conserving.size()])
                            .value();
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
        if (limits_set && to_string(analysis.error()).find("fetch=none") != std::string::npos) {
            verdict.refused = true;
            return verdict;
        }
        // Made-up facts may contradict each other, and divergence may be refused.
        if (!made.has_further_facts() && !options.divergence)
            return fail("not analyzed: " + to_string(analysis.error()));
        verdict.refused = true;
        return verdict;
    }
    const auto& measured = analysis.value().measured_time;
    verdict.measured = measured.has_value();
    auto bounds = analysis.value().execution_time.bounds();
    for (const auto& term : analysis.value().execution_time.upper.terms)
        if (term.text.starts_with("instruction fetch")) verdict.terms.push_back(term);
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
    request.certificates = nullptr;
    models::Architecture perfect = architecture;
    perfect.fetch.values.clear();
    request.architecture = &perfect;
    if (const auto without = analyzer::analyze(request))
        verdict.needs_longer_gaps =
            (without.value().execution_time.upper.proved + analyzer::sum_of(verdict.terms))
                .count() < worst;
    return verdict;
}

TEST(InstructionCaches, NoSimulatedTimeOfARandomLaunchLeavesItsEnvelope) {
    std::uint64_t refused = 0;
    std::uint64_t alone = 0;
    std::uint64_t waves = 0;
    std::uint64_t spread = 0;
    std::uint64_t divergent = 0;
    std::uint64_t measured = 0;
    std::uint64_t need_longer_gaps = 0;
    std::map<std::string, std::uint64_t> terms;
    std::map<std::string, std::uint64_t> needed; ///< Cases outside the bound without the term.
    std::vector<double> ratios;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const FetchVerdict& verdict) {
        if (verdict.refused) {
            ++refused;
            return;
        }
        if (verdict.alone) ++alone;
        if (verdict.several_waves) ++waves;
        if (verdict.several_waves && verdict.several_multiprocessors) ++spread;
        if (verdict.divergent) ++divergent;
        if (verdict.measured) ++measured;
        if (verdict.needs_longer_gaps) ++need_longer_gaps;
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
    RecordProperty("divergent", std::to_string(divergent));
    RecordProperty("measured", std::to_string(measured));
    EXPECT_GT(measured * 25, cases);
    EXPECT_LT(refused * 4, cases + 20);
    EXPECT_GT(alone * 10, cases);
    EXPECT_GT(waves * 10, cases);
    EXPECT_GT(spread * 20, cases);
    EXPECT_GT(divergent * 20, cases);
    // Of a chain of blocks, which few launches count (S74, S96): each campaign of 20,000 has some.
    const char* of_chain = "instruction fetch: misses at schedulers that only the chain visits";
    EXPECT_TRUE(terms[of_chain] > 0U || cases < 20000);
    EXPECT_EQ(terms.size(), 5U);
    for (const auto& [text, count] : terms) {
        EXPECT_TRUE(count * 10 > cases || text == of_chain) << text;
        RecordProperty("needed_" + text.substr(19), std::to_string(needed[text]));
    }
    RecordProperty("need_longer_gaps", std::to_string(need_longer_gaps));
    if (cases < 2000) return;
    EXPECT_GT(need_longer_gaps, 0U);
    for (const auto& [text, count] : terms)
        EXPECT_TRUE(needed[text] > 0 || text == of_chain)
            << text << ": no run is outside the bound without it";
}

using harness::simulator::test::RandomAccesses;

RandomAccesses accesses_of(std::uint64_t seed) {
    constexpr std::size_t crowded = std::size(tests::all_bottlenecks);
    switch (seed % 4) {
    case 0:
        return harness::simulator::test::random_accesses(seed);
    case 1:
        return tests::strided_accesses(seed);
    case 2:
        return tests::mixed_accesses(seed);
    default:
        return tests::bottleneck_accesses(tests::all_bottlenecks[seed / 4 % crowded], seed);
    }
}

/// Text of a failure, empty when all times lie inside.
std::string check_accesses(std::uint64_t seed) {
    std::mt19937_64 random{seed};
    RandomAccesses made = accesses_of(seed);
    if (seed / 4 % 3 == 0) made.launch = {1, 32};
    harness::simulator::test::set(made.machine.geometry, "multiprocessors", 2);
    if (seed / 4 % 3 == 1) harness::simulator::test::set(made.machine.limits, "max-blocks", 1);
    tests::add_instruction_caches(
        made.machine, made.program.function,
        [&](std::int64_t most) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
        },
        made.launch.blocks == 1 && made.launch.warps_per_block() == 1);
    static const std::vector<std::string> policies = tests::conserving_policies();
    analyzer::Request request;
    request.function = &made.program.function;
    request.graph = &made.program.graph;
    request.architecture = &made.machine;
    request.facts = &made.program.facts;
    request.launch = made.launch;
    request.multiprocessors = seed % 5 == 1 ? 2 : 1;
    request.policy = models::read_policy(policies[seed / 3 % policies.size()]).value();
    const std::string about = ", seed " + std::to_string(seed) + ", launch " +
                              models::to_string(made.launch) + ", " +
                              models::to_string(request.policy);
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return to_string(analysis.error()) + about;
    analyzer::CertificateStore certificates;
    request.certificates = &certificates;
    const auto proved = analyzer::analyze(request);
    if (!proved) return "no evidence: " + to_string(proved.error()) + about;
    const models::Cycles upper = std::min(analysis.value().execution_time.upper.proved,
                                          proved.value().execution_time.upper.proved);
    const models::Cycles lower = analysis.value().execution_time.lower.proved;
    const harness::Kernel kernel{request.function, request.graph, request.facts, made.launch};
    const auto machine = harness::simulator::Machine::prepare(made.machine, kernel, request.policy,
                                                              request.multiprocessors);
    if (!machine) return "not simulated: " + to_string(machine.error()) + about;
    std::uint64_t run = seed * 7919;
    for (const auto draw : draws) {
        const auto seen = machine.value()->run({++run, draw, {}});
        if (!seen) return "run refused: " + to_string(seen.error()) + about;
        const models::Cycles time = seen.value().execution_time;
        if (time < lower || upper < time)
            return "simulated " + std::to_string(time.count()) + " outside [" +
                   std::to_string(lower.count()) + ", " + std::to_string(upper.count()) + "]" +
                   about + ", draw " + std::string{harness::to_string(draw)};
    }
    return {};
}

// Lines and data wait at caches of their own.
TEST(InstructionCaches, NoSimulatedTimeOfRandomAccessesLeavesItsEnvelope) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 300);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261124);
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const std::string failure = check_accesses(seed);
        ASSERT_TRUE(failure.empty()) << failure;
    }
}

// A line may come before the L1 has served the requests behind it: the next miss waits for these.
TEST(InstructionCaches, OfOneWarpKeepItWaitingForWhatItsOwnMissStreamed) {
    using namespace harness::simulator::test;
    constexpr std::int64_t service = 20;
    models::Architecture machine = small_machine(models::IssueControl::Encoded);
    for (const auto& [name, value] : {std::pair{"line", std::int64_t{32}},
                                      {"stream", 3},
                                      {"l0-sets", 1},
                                      {"l0-ways", 1},
                                      {"l0-miss", 1},
                                      {"l1-sets", 1},
                                      {"l1-ways", 1},
                                      {"l1-service", service},
                                      {"l1-miss", 1}})
        set(machine.fetch, name, value);
    std::vector<assembly::Instruction> code(40, with(float_add(16, 14, 1), stall(1)));
    code.push_back(with(exit(), stall(1)));
    TestProgram program = program_of({code});
    for (std::size_t i = 0; i < program.function.instructions.size(); ++i)
        program.function.instructions[i].address = static_cast<std::int64_t>(16 * i);
    analyzer::Request request;
    request.function = &program.function;
    request.graph = &program.graph;
    request.architecture = &machine;
    request.facts = &program.facts;
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const auto prepared = harness::simulator::Machine::prepare(machine, program.kernel());
    ASSERT_TRUE(prepared) << to_string(prepared.error());
    const auto seen = prepared.value()->run({});
    ASSERT_TRUE(seen) << to_string(seen.error());
    EXPECT_GE(seen.value().execution_time.count(), 20 * service / 2);
    EXPECT_GE(analysis.value().execution_time.upper.proved, seen.value().execution_time);
}

} // namespace
} // namespace warpbound
