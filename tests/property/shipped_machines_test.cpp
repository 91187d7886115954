/// \file
/// lower bound <= every simulated time <= upper bound, over random kernels and launches on shipped
/// descriptions as they are, instruction caches (C66 to C70) and read ports (C60 to C62) included,
/// with other values of forms (C89, C90), and with textures and surfaces (C101).

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/instruction_forms.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/texture_accesses.hpp"
#include "tests/support/waits_at_transfers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace warpbound {
namespace {

struct ShippedMachine {
    const char* name;
    int sm;
};
constexpr std::array machines{
    ShippedMachine{"turing-t4", 75},       ShippedMachine{"ampere-rtx3060", 86},
    ShippedMachine{"turing-t4", 75},       ShippedMachine{"ampere-rtx3060", 86},
    ShippedMachine{"volta-v100", 70},      ShippedMachine{"hopper-h200", 90},
    ShippedMachine{"ada-rtx4090", 89},     ShippedMachine{"volta-xavier", 72},
    ShippedMachine{"blackwell-b200", 100}, ShippedMachine{"blackwell-thor", 110}};
constexpr std::array policies{"lrr",
                              "gto",
                              "oldest",
                              "variable-rate:fast=0,every=2,conserving",
                              "two-level:active=24",
                              "unknown",
                              "two-level:active=1",
                              "two-level:active=2",
                              "srr",
                              "variable-rate:fast=0,every=2",
                              "variable-rate:fast=1,every=4"};
constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
                           harness::Draw::AllHigh, harness::Draw::Adversarial};

struct ShippedVerdict {
    std::string failure;
    bool refused = false;
    bool exceeds_l0 = false; ///< The lines of the text may not all fit into an L0.
    bool fetch_counts = false;
    bool ports_count = false;
    bool measured = false;
    bool textures = false; ///< It accesses textures or surfaces (C101).
};

tests::RandomKernelOptions options_of(std::uint64_t seed, int sm, bool alone) {
    tests::RandomKernelOptions options;
    options.sm = sm;
    options.statements = seed % 200 == 5 ? 300 : 2 + static_cast<int>(seed % 17);
    options.depth = static_cast<int>(seed % 4);
    options.max_iterations = 4;
    options.calls = seed / 7 % 4 == 0;
    options.divergence = seed / 3 % 4 == 0;
    options.barriers = !alone && seed % 3 != 0;
    options.further_facts = seed % 4 == 0;
    options.clock_reads = alone || seed % 5 == 0;
    return options;
}

/// Whether bounds differ from those of the machine without a group.
bool counts(const analyzer::Request& request, const char* group, models::Cycles upper) {
    models::Architecture machine = *request.architecture;
    if (!models::assume_value(machine, std::string{group} + "=none")) return false;
    analyzer::Request without = request;
    without.architecture = &machine;
    const auto analysis = analyzer::analyze(without);
    return analysis && analysis.value().execution_time.upper.proved != upper;
}

ShippedVerdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    std::mt19937_64 random{seed};
    const auto pick = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    ShippedVerdict verdict;
    const bool alone = seed / 2 % 4 == 0;
    models::Architecture architecture = described.architecture;
    const bool warm = pick(4) == 0;
    if (warm && !models::assume_value(architecture, "fetch/warm=1")) verdict.failure = "not warm";
    const tests::RandomKernelOptions options = options_of(seed, described.sm, alone);
    tests::RandomKernel kernel = tests::random_kernel(seed, options);
    if (architecture.schedulers.find("counter-delay") != nullptr)
        kernel.text = tests::waiting_at_branches(kernel.text);
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          (warm ? ", warm\n" : "\n") + kernel.text +
                          models::write_flow_facts(kernel.facts);
        return verdict;
    };
    auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    tests::ReadKernel& made = *loaded.value();
    if (seed / 5 % 2 == 0) {
        tests::RandomSource forms{seed};
        tests::put_forms(architecture, forms, false);
        tests::mix_forms(made.program.functions.front(), forms);
    }
    if (seed / 4 % 3 == 0) {
        tests::RandomSource textures{seed};
        verdict.textures =
            tests::mix_textures(made.program.functions.front(), made.facts, textures) > 0;
    }
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    if (!alone) {
        request.multiprocessors = 1 + pick(3);
        request.launch = {1 + pick(40), 32 * (1 + pick(12))};
    }
    request.policy = models::read_policy(policies[seed / 11 % policies.size()]).value();
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        // Active sets are bounded where the text fits into an L0.
        const bool is_limited =
            architecture.issue_control == models::IssueControl::Encoded &&
            models::guarantee_of(request.policy) == models::PolicyGuarantee::SetLimited;
        if (is_limited && to_string(analysis.error()).find("fetch=none") != std::string::npos) {
            verdict.refused = true;
            return verdict;
        }
        // Made-up facts may contradict each other, and divergence may be refused.
        if (!made.has_further_facts() && !options.divergence)
            return fail("not analyzed: " + to_string(analysis.error()));
        verdict.refused = true;
        return verdict;
    }
    const auto bounds = analysis.value().execution_time.bounds();
    const auto& measured = analysis.value().measured_time;
    verdict.measured = measured.has_value();
    const auto& text = made.function->instructions;
    verdict.exceeds_l0 =
        text.back().address > models::find_value(architecture, "fetch/l0-sets")->interval->lo *
                                  models::find_value(architecture, "fetch/l0-ways")->interval->lo *
                                  models::find_value(architecture, "fetch/line")->interval->lo;
    if (seed / 6 % 16 == 0) {
        verdict.fetch_counts = counts(request, "fetch", bounds.upper());
        verdict.ports_count = counts(request, "register-file", bounds.upper());
    }
    const harness::Kernel launched{made.function, &made.graph, &made.facts, request.launch};
    const auto machine = harness::simulator::Machine::prepare(
        architecture, launched, request.policy, request.multiprocessors);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    std::uint64_t run_seed = seed * 7919;
    for (const auto draw : draws) {
        const auto observed = machine.value()->run({++run_seed, draw, {}});
        if (!observed) {
            if (made.has_further_facts() || options.divergence) continue;
            return fail("run refused: " + to_string(observed.error()));
        }
        const auto time = observed.value().execution_time;
        if (!bounds.contains(time))
            return fail("simulated " + std::to_string(time.count()) + " outside [" +
                        std::to_string(bounds.lower().count()) + ", " +
                        std::to_string(bounds.upper().count()) + "], launch " +
                        models::to_string(request.launch) + " on " +
                        std::to_string(request.multiprocessors) + ", policy " +
                        models::to_string(request.policy) + ", run seed " +
                        std::to_string(run_seed) + ", draw " +
                        std::string{harness::to_string(draw)});
        for (const models::WarpObservation& warp : observed.value().warps) {
            const auto between = warp.region();
            if (measured && between && !measured->bounds().contains(*between))
                return fail("measured " + std::to_string(between->count()) + " outside [" +
                            std::to_string(measured->lower.proved.count()) + ", " +
                            std::to_string(measured->upper.proved.count()) + "], run seed " +
                            std::to_string(run_seed));
        }
    }
    return verdict;
}

TEST(ShippedMachines, HoldNoSimulatedTimeOfARandomLaunchOutsideItsEnvelope) {
    std::vector<tests::DescribedMachine> shipped;
    for (const auto& [name, sm] : machines)
        shipped.push_back({models::load_architecture(name).value(), sm});
    for (const auto& machine : shipped)
        ASSERT_TRUE(machine.architecture.has_instruction_caches() &&
                    machine.architecture.has_read_ports())
            << machine.architecture.name;
    std::uint64_t refused = 0;
    std::uint64_t exceeding = 0;
    std::uint64_t fetch = 0;
    std::uint64_t ports = 0;
    std::uint64_t measured = 0;
    std::uint64_t textures = 0;
    const std::uint64_t cases = tests::run_campaign(
        [&](std::uint64_t seed, const tests::DescribedMachine&) {
            return check_case(seed, shipped[seed % shipped.size()]);
        },
        [&](const ShippedVerdict& verdict) {
            if (verdict.refused) ++refused;
            if (verdict.exceeds_l0) ++exceeding;
            if (verdict.fetch_counts) ++fetch;
            if (verdict.ports_count) ++ports;
            if (verdict.measured) ++measured;
            if (verdict.textures) ++textures;
        });
    RecordProperty("refused", std::to_string(refused));
    RecordProperty("exceeding_l0", std::to_string(exceeding));
    EXPECT_LT(refused * 4, cases + 20);
    EXPECT_GT(exceeding * 1000, cases);
    EXPECT_GT(fetch * 32, cases);
    EXPECT_GT(ports * 200, cases);
    EXPECT_GT(measured * 50, cases);
    EXPECT_GT(textures * 8, cases);
}

} // namespace
} // namespace warpbound
