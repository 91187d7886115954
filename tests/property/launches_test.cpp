/// \file
/// lower bound <= every simulated time <= upper bound, over random kernels launched with several
/// warps and blocks, under work-conserving and slotted policies.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/median.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/store_values.hpp"
#include "tests/support/verified_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound {
namespace {

const std::vector<std::string> conserving =
    tests::conserving_policies({"variable-rate:fast=0,every=2,conserving", "two-level:active=24"});
/// Fewer than a scheduler's warps.
constexpr std::array set_limited{"two-level:active=1", "two-level:active=2", "two-level:active=3",
                                 "two-level:active=5"};
constexpr std::array slotted{"variable-rate:fast=0,every=2", "variable-rate:fast=2,every=2",
                             "variable-rate:fast=1,every=3", "variable-rate:fast=0,every=5"};

/// What the launches of a campaign have.
struct Kind {
    /// Barriers may depend on branches, and warps may end before them.
    bool conditional = false;
    bool barriers = true;
    std::int64_t multiprocessors = 1;
    bool waves = true; ///< Blocks may have to wait for others.
    bool branches = true;
    std::int64_t start = 20; ///< Of blocks that had to wait, at most. `Unit:` core cycles.
    bool certified = false;  ///< The bound of which evidence is kept holds, too.
    /// Besides, the verifier's own sums have it, and it is no larger where it is along a chain.
    bool verified = false;
    std::int64_t blocks = 6; ///< Of a multiprocessor, at most, where blocks may have to wait.
    std::int64_t places = 1; ///< Of a multiprocessor, at least.
    std::int64_t warps = 1;  ///< Of a block, at least.
};

struct Verdict {
    std::string failure;
    bool refused = false;
    double upper_ratio = 0;     ///< Upper bound over the worst simulated time.
    double lower_ratio = 0;     ///< Lower bound over the best simulated time.
    double certified_ratio = 0; ///< Upper bound with evidence over that without.
    bool several_waves = false;
    bool spread = false; ///< In one wave, with fewer blocks than places on several multiprocessors.
    bool met = false;    ///< The kernel has barriers.
    bool met_together = false; ///< Several warps of blocks that all begin together.
    bool decided = false;
    bool in_turns = false; ///< The upper bound rests on turns.
    bool in_set = false;   ///< It counts what is waited for inside an active set.
    bool in_parts = false; ///< It counts blocks part by part between barriers.
    bool in_chain = false; ///< It is that of a chain of blocks.
};

void set(models::ValueGroup& group, std::string_view name, models::Interval interval) {
    for (auto& value : group.values)
        if (value.name == name) value.interval = interval;
}

/// Few places for blocks, so that some have to wait, and made-up times for that.
void limit_blocks(models::Architecture& architecture, std::int64_t blocks, std::int64_t start) {
    set(architecture.limits, "max-blocks", {blocks, blocks, blocks});
    set(architecture.blocks, "replacement", {0, 3, 9});
    set(architecture.blocks, "start", {0, 5, start});
}

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described,
                   std::string_view policy_text, const Kind& kind = {}) {
    const std::int64_t multiprocessors = kind.multiprocessors;
    models::Architecture architecture = described.architecture;
    tests::vary_stores(architecture, seed);
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 4 + static_cast<int>(seed % 11);
    options.depth = 1 + static_cast<int>(seed % 2);
    options.calls = seed / 7 % 4 == 0;
    // Of a block of one warp they wait for their own latency only.
    options.barriers = (kind.barriers || seed / 5 % 9 == 0) && seed % 3 != 0;
    options.conditional_barriers = options.barriers && kind.conditional && seed % 2 == 0;
    options.early_ends = options.barriers && kind.conditional && seed / 2 % 3 == 0;
    options.clock_reads = false;
    if (!kind.branches) {
        options.depth = 0;
        options.predicates = seed % 2 == 0;
    }
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

    const auto places = kind.places + static_cast<std::int64_t>(seed / 7 % 4);
    limit_blocks(architecture, places, kind.start);
    const auto by_room = static_cast<std::int64_t>(seed / 11 % 2);
    tests::put_value(architecture, "blocks/most-room", {by_room, by_room, by_room});
    const auto most_blocks =
        static_cast<std::uint64_t>((kind.waves ? kind.blocks : places) * multiprocessors);
    models::Launch launch{static_cast<std::int64_t>(1 + seed / 3 % most_blocks),
                          32 * (kind.warps + static_cast<std::int64_t>(seed / 5 % 9))};
    if (seed / 13 % 3 == 0) // The last warp of a block has fewer threads.
        launch.threads -= static_cast<std::int64_t>(seed / 39 % 32);
    if (!kind.waves) {
        const std::int64_t most = architecture.limits.find("max-warps")->interval->lo;
        launch.blocks = std::min(launch.blocks, most / launch.warps_per_block());
    }
    if (kind.waves && seed % 4 == 0)
        launch.registers = static_cast<std::int64_t>(1 + seed / 4 % 63);
    if (kind.waves && seed % 6 == 0)
        launch.shared_memory = static_cast<std::int64_t>(seed * 37 % 40000);
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
    verdict.several_waves = launch.blocks > places * multiprocessors;
    verdict.spread =
        launch.blocks > 1 && multiprocessors > 1 && launch.blocks < places * multiprocessors;
    verdict.met = kernel.text.find("BAR.SYNC") != std::string::npos;
    verdict.met_together = verdict.met && !verdict.several_waves && launch.threads > 32;
    if (!analysis) {
        // Made-up facts may contradict each other.
        if (!made.has_further_facts()) return fail("not analyzed: " + to_string(analysis.error()));
        verdict.refused = true;
        return verdict;
    }
    const analyzer::SideResult& upper = analysis.value().execution_time.upper;
    verdict.decided =
        upper.proof == analyzer::Proof::ScheduleExploration ||
        (!upper.terms.empty() &&
         upper.terms.front().text == "all warps of a scheduler, in strict round robin");
    verdict.in_turns = !upper.terms.empty() &&
                       upper.terms.front().text.find("loose round robin") != std::string::npos;
    verdict.in_set = std::any_of(upper.terms.begin(), upper.terms.end(), [](const auto& term) {
        return term.text.find("within the active set") != std::string::npos;
    });
    verdict.in_parts = std::any_of(upper.terms.begin(), upper.terms.end(), [](const auto& term) {
        return term.certificate.find("-barrier-interval") != std::string::npos;
    });
    verdict.in_chain = !upper.terms.empty() &&
                       upper.terms.front().text.find("chain of blocks") != std::string::npos;
    auto bounds = analysis.value().execution_time.bounds();
    if (kind.certified) {
        analyzer::CertificateStore certificates;
        request.certificates = &certificates;
        const auto proved = analyzer::analyze(request);
        if (!proved) return fail("no evidence: " + to_string(proved.error()));
        // Both hold, so every time lies inside the tighter ends of them.
        const auto certified = proved.value().execution_time.bounds();
        if (kind.verified) {
            const auto rejected = tests::rejection_of_sum(request, proved.value(), certificates);
            if (!rejected.empty()) return fail("evidence is refused: " + rejected);
            if (verdict.in_chain && certified.upper() != bounds.upper())
                return fail("evidence claims more than a chain of blocks takes");
        }
        verdict.certified_ratio =
            static_cast<double>(certified.upper().count()) /
            static_cast<double>(std::max<std::int64_t>(1, bounds.upper().count()));
        bounds = {std::max(bounds.lower(), certified.lower()),
                  std::min(bounds.upper(), certified.upper())};
    }
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

/// What the cases of a campaign say together.
struct Sums {
    std::vector<double> upper;
    std::vector<double> lower;
    std::vector<double> certified;
    std::uint64_t refused = 0;
    std::uint64_t waves = 0;
    std::uint64_t met = 0;
    std::uint64_t met_together = 0;
    std::uint64_t decided = 0;
    std::uint64_t in_turns = 0;
    std::uint64_t spread = 0;
    std::uint64_t in_set = 0;
    std::uint64_t in_parts = 0;
    std::uint64_t in_chain = 0;

    void add(const Verdict& verdict) {
        if (verdict.refused) ++refused;
        if (verdict.several_waves) ++waves;
        if (verdict.met) ++met;
        if (verdict.met_together) ++met_together;
        if (verdict.decided) ++decided;
        if (verdict.in_turns) ++in_turns;
        if (verdict.spread) ++spread;
        if (verdict.in_set) ++in_set;
        if (verdict.in_parts) ++in_parts;
        if (verdict.in_chain) ++in_chain;
        if (verdict.certified_ratio > 0) certified.push_back(verdict.certified_ratio);
        if (verdict.upper_ratio == 0) return;
        upper.push_back(verdict.upper_ratio);
        lower.push_back(verdict.lower_ratio);
    }
    /// A test would show little without several waves, barriers and bounds in sight.
    void expect_telling(std::uint64_t cases) const {
        EXPECT_LT(refused * 10, cases + 10);
        EXPECT_GT(waves * 5, cases);
        EXPECT_GT(met * 5, cases);
        EXPECT_GT(in_parts * 20, cases) << "hardly a block was counted part by part";
        EXPECT_LT(tests::median_of(upper), 4.0);
        EXPECT_GT(tests::median_of(lower), 0.3);
    }
    void record() const {
        testing::Test::RecordProperty("median_upper_ratio",
                                      std::to_string(tests::median_of(upper)));
        testing::Test::RecordProperty("median_lower_ratio",
                                      std::to_string(tests::median_of(lower)));
        testing::Test::RecordProperty(
            "largest_upper_ratio", std::to_string(*std::max_element(upper.begin(), upper.end())));
        testing::Test::RecordProperty("met_together", std::to_string(met_together));
        testing::Test::RecordProperty("certified", std::to_string(certified.size()));
        testing::Test::RecordProperty("median_certified_over_upper",
                                      std::to_string(tests::median_of(certified)));
        testing::Test::RecordProperty("decided", std::to_string(decided));
        testing::Test::RecordProperty("in_turns", std::to_string(in_turns));
        testing::Test::RecordProperty("spread", std::to_string(spread));
        testing::Test::RecordProperty("in_set", std::to_string(in_set));
        testing::Test::RecordProperty("in_parts", std::to_string(in_parts));
        testing::Test::RecordProperty("in_chain", std::to_string(in_chain));
    }
};

TEST(Launches, NoSimulatedTimeOfARandomLaunchLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, conserving[seed / 11 % conserving.size()],
                              {.conditional = true});
        },
        [&](const Verdict& verdict) { sums.add(verdict); });
    sums.record();
    sums.expect_telling(cases);
}

TEST(Launches, NoSimulatedTimeOfARandomLaunchOnSeveralMultiprocessorsLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, conserving[seed / 11 % conserving.size()],
                              {.conditional = true,
                               .multiprocessors = static_cast<std::int64_t>(2 + seed / 13 % 3)});
        },
        [&](const Verdict& verdict) { sums.add(verdict); });
    sums.record();
    sums.expect_telling(cases);
}

TEST(Launches, NoSimulatedTimeOfARandomLaunchOfManyWavesLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, conserving[seed / 11 % conserving.size()],
                              {.barriers = false,
                               .multiprocessors = static_cast<std::int64_t>(1 + seed / 13 % 2),
                               .certified = true,
                               .verified = true,
                               .blocks = 20,
                               .places = 3,
                               .warps = 3});
        },
        [&](const Verdict& verdict) { sums.add(verdict); }, 100);
    sums.record();
    EXPECT_LT(sums.refused * 10, cases + 10);
    EXPECT_GT(sums.in_chain * 20, cases) << "hardly a bound was that of a chain of blocks";
    EXPECT_LT(tests::median_of(sums.upper), 4.0);
}

TEST(Launches, NoSimulatedTimeOfARandomLaunchWithASmallActiveSetLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, set_limited[seed / 11 % set_limited.size()],
                              {.barriers = seed / 19 % 2 == 0,
                               .multiprocessors = static_cast<std::int64_t>(1 + seed / 13 % 3),
                               .waves = seed / 23 % 2 == 0,
                               .certified = seed % 2 == 0});
        },
        [&](const Verdict& verdict) { sums.add(verdict); });
    sums.record();
    EXPECT_GT(sums.certified.size() * 3, cases);
    EXPECT_GT(sums.in_set * 3, cases) << "hardly a warp stood outside the active set";
    EXPECT_LT(sums.refused * 10, cases + 10);
    EXPECT_GT(sums.waves * 5, cases);
    EXPECT_GT(sums.met_together * 20, cases);
    EXPECT_LT(tests::median_of(sums.upper), 4.0);
    EXPECT_GT(tests::median_of(sums.lower), 0.3);
}

TEST(Launches, NoSimulatedTimeOfARandomSlottedLaunchLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, slotted[seed / 11 % slotted.size()],
                              {.certified = seed % 2 == 0});
        },
        [&](const Verdict& verdict) {
            sums.add(verdict);
            if (verdict.certified_ratio > 0) {
                EXPECT_GE(verdict.certified_ratio, 1.0) << "tighter with evidence";
            }
        });
    sums.record();
    EXPECT_LT(sums.refused * 10, cases + 10);
    EXPECT_GT(sums.waves * 5, cases);
    EXPECT_GT(sums.certified.size() * 5, cases);
    EXPECT_GT(sums.met_together * 10, cases) << "hardly a run was in parts between barriers";
    EXPECT_LT(tests::median_of(sums.upper), 4.0);
    EXPECT_GT(tests::median_of(sums.lower), 0.3);
}

TEST(Launches, NoSimulatedTimeOfARandomSlottedLaunchOnSeveralMultiprocessorsLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, slotted[seed / 11 % slotted.size()],
                              {.barriers = seed / 19 % 2 == 0,
                               .multiprocessors = static_cast<std::int64_t>(2 + seed / 13 % 3),
                               .waves = seed / 23 % 3 > 0,
                               .branches = seed / 17 % 2 == 0,
                               .certified = seed % 4 == 0});
        },
        [&](const Verdict& verdict) {
            sums.add(verdict);
            if (verdict.certified_ratio > 0) {
                EXPECT_GE(verdict.certified_ratio, 1.0) << "tighter with evidence";
            }
        });
    sums.record();
    EXPECT_GT(sums.certified.size() * 10, cases);
    EXPECT_LT(sums.refused * 10, cases + 10);
    EXPECT_GT(sums.waves * 10, cases);
    EXPECT_GT(sums.spread * 10, cases) << "hardly a multiprocessor had empty places";
    EXPECT_GT(sums.met_together * 20, cases);
    EXPECT_LT(tests::median_of(sums.upper), 4.0);
    EXPECT_GT(tests::median_of(sums.lower), 0.3);
}

TEST(Launches, NoSimulatedTimeOfARandomLaunchInStrictTurnsLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, "srr",
                              {.barriers = seed / 19 % 2 == 0,
                               .multiprocessors = static_cast<std::int64_t>(1 + seed / 13 % 2),
                               .waves = seed / 23 % 2 == 0,
                               .branches = seed / 17 % 2 == 0,
                               .start = seed / 29 % 2 == 0 ? 20 : 4'000,
                               .certified = seed % 2 == 0});
        },
        [&](const Verdict& verdict) {
            sums.add(verdict);
            if (verdict.certified_ratio > 0) {
                EXPECT_GE(verdict.certified_ratio, 1.0) << "tighter with evidence";
            }
        });
    sums.record();
    EXPECT_LT(sums.refused * 10, cases + 10);
    EXPECT_GT(sums.certified.size() * 5, cases);
    EXPECT_GT(sums.waves * 10, cases);
    EXPECT_GT(sums.met * 5, cases);
    EXPECT_GT(sums.decided * 20, cases) << "hardly a launch had one order of issues";
    EXPECT_LT(tests::median_of(sums.upper), 4.0);
    EXPECT_GT(tests::median_of(sums.lower), 0.3);
}

TEST(Launches, NoSimulatedTimeOfARandomLaunchInLooseTurnsLeavesItsEnvelope) {
    Sums sums;
    const std::uint64_t cases = tests::run_campaign(
        [](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_case(seed, machine, "lrr",
                              {.multiprocessors = static_cast<std::int64_t>(1 + seed / 13 % 3)});
        },
        [&](const Verdict& verdict) { sums.add(verdict); });
    sums.record();
    sums.expect_telling(cases);
    EXPECT_GT(sums.in_turns * 20, cases) << "hardly a bound was that of turns";
}

} // namespace
} // namespace warpbound
