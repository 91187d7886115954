/// \file
/// Bounds of random kernels on machines with write ports (C108), against simulated runs: one warp
/// and many, with blocks, barriers and divergence, with memory queues and without.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "tests/support/bounded_launches.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/crowded_ports.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/queue_accesses.hpp"
#include "tests/support/random_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

struct WritePortsVerdict : tests::BoundedLaunch {
    bool has_queue = false;
    bool measures = false;        ///< A time between two clock reads.
    double tightness_without = 0; ///< Upper bound over the longest run without write ports.
    double growth = 0;            ///< Upper bound over that without write ports.
    bool exceeds = false;         ///< A run exceeds the upper bound of that machine.
};

WritePortsVerdict check_write_ports(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource random{seed};
    WritePortsVerdict verdict;
    models::Architecture architecture = described.architecture;
    if (architecture.issue_control != models::IssueControl::Encoded) return verdict;
    verdict.has_queue = seed / 4 % 2 == 0;
    if (verdict.has_queue) tests::put_memory_queue(architecture, random, false);
    tests::put_crowded_ports(architecture, random);
    tests::put_value(architecture, "register-file/write-ports", {1, 1, 1});
    tests::put_block_places(architecture, random);
    if (seed % 5 != 4) tests::put_value(architecture, "schedulers/count", {1, 1, 1});
    if (seed % 7 == 3)
        tests::put_value(architecture, "schedulers/counter-delay",
                         {random.whole(0, 1), std::nullopt, 1});
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 3 + static_cast<int>(seed % 24);
    options.depth = static_cast<int>(seed % 3);
    options.clock_reads = seed / 3 % 5 == 0; // One warp.
    options.memory = seed % 5 == 3;
    options.further_facts = false;
    options.divergence = seed / 16 % 4 == 1;
    options.barriers = seed / 4 % 3 == 1;
    options.conditional_barriers = options.barriers && !options.divergence && seed % 7 == 0;
    // Short straight-line code of few warps, whose bounds are close to the longest runs.
    const bool is_short = seed / 8 % 2 == 0;
    if (is_short) {
        options.depth = 0;
        options.predicates = false;
        options.divergence = false;
        options.barriers = false;
        options.conditional_barriers = false;
        options.memory = false;
        options.statements = 3 + static_cast<int>(seed % 10);
    }
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          "\n" + kernel.text + models::write_flow_facts(kernel.facts);
        return verdict;
    };
    auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    tests::ReadKernel& made = *loaded.value();
    tests::access_more(made.program.functions.front(), made.facts, random, false);
    tests::crowd_ports(made.program.functions.front(), random);
    if (architecture.schedulers.find("counter-delay") != nullptr)
        for (auto& instruction : made.program.functions.front().instructions)
            if (instruction.control && assembly::transfers_control(instruction.control_flow))
                instruction.control->wait_mask = (1U << assembly::scoreboard_count) - 1;
    verdict.diverges = !made.facts.divergents.empty();

    analyzer::Request request = tests::request_of(made, architecture);
    static const std::vector<std::string> policies = tests::conserving_policies(
        {"two-level:active=48", "variable-rate:fast=0,every=2,conserving"});
    if (seed / 3 % 5 > 0) {
        tests::draw_launch(request, random);
        if (is_short) request.launch = {1, 32 * random.whole(1, 4)};
    }
    request.policy = models::read_policy(policies[seed / 11 % policies.size()]).value();
    tests::note_launch(verdict, request);
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        verdict.refusal = to_string(analysis.error());
        const bool is_wide = verdict.refusal.find("register-file/write-ports") != std::string::npos;
        return verdict.diverges || is_wide ? verdict : fail("not analyzed: " + verdict.refusal);
    }
    const auto bounds = analysis.value().execution_time.bounds();
    models::Architecture without = architecture;
    std::erase_if(without.register_file.values,
                  [](const auto& value) { return value.name == "write-ports"; });
    const auto machine = tests::prepare_launch(request, architecture);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    const auto plain = tests::prepare_launch(request, without);
    if (!plain) return fail("not simulated: " + to_string(plain.error()));
    request.architecture = &without;
    const auto other = analyzer::analyze(request);
    if (!other) return fail("not analyzed without write ports: " + to_string(other.error()));
    request.architecture = &architecture;
    const auto bounds_without = other.value().execution_time.bounds();
    if (bounds.lower() != bounds_without.lower()) return fail("another lower bound");
    if (bounds.upper() < bounds_without.upper()) return fail("a lower upper bound");
    std::int64_t longest_without = 0;
    const auto check = [&](const models::Observation& observed, harness::Draw draw,
                           std::uint64_t run_seed) -> std::string {
        if (const auto& measured = analysis.value().measured_time) {
            const auto between = tests::between_clocks(observed);
            verdict.measures = verdict.measures || between.has_value();
            if (between && !measured->bounds().contains(*between))
                return "measured " + tests::text_of_outside(*between, measured->bounds()) + ", " +
                       tests::text_of_run(request, run_seed, draw);
        }
        const auto fast = plain.value()->run({run_seed, draw, {}});
        if (!fast) return "run refused: " + to_string(fast.error());
        const auto time = observed.execution_time;
        longest_without = std::max(longest_without, fast.value().execution_time.count());
        verdict.is_delayed = verdict.is_delayed || time > fast.value().execution_time;
        verdict.exceeds = verdict.exceeds || time > bounds_without.upper();
        return {};
    };
    if (const auto failure =
            tests::run_every_draw(*machine.value(), request, bounds, seed * 7919, verdict, check);
        !failure.empty())
        return fail(failure);
    const auto upper_without = static_cast<double>(bounds_without.upper().count());
    verdict.tightness_without = upper_without / static_cast<double>(longest_without);
    verdict.growth = static_cast<double>(bounds.upper().count()) / upper_without;
    return verdict;
}

TEST(WritePortBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    tests::LaunchCounts counts;
    std::uint64_t exceeding = 0;
    std::uint64_t queued = 0;
    std::uint64_t measured = 0;
    std::vector<double> tightness;
    std::vector<double> without;
    std::vector<double> growth;
    const std::uint64_t cases = tests::run_campaign(check_write_ports, [&](const auto& verdict) {
        if (!counts.add(verdict)) return;
        tightness.push_back(verdict.tightness);
        without.push_back(verdict.tightness_without);
        growth.push_back(verdict.growth);
        if (verdict.exceeds) ++exceeding;
        if (verdict.has_queue) ++queued;
        if (verdict.measures) ++measured;
    });
    const std::uint64_t bounded = counts.bounded;
    counts.record();
    RecordProperty("exceed_the_bound_without", std::to_string(exceeding));
    RecordProperty("median_upper_over_longest", std::to_string(tests::median_of(tightness)));
    RecordProperty("median_upper_over_longest_without", std::to_string(tests::median_of(without)));
    RecordProperty("median_upper_over_upper_without", std::to_string(tests::median_of(growth)));
    EXPECT_GT(counts.delayed * 6, bounded) << "write ports delayed hardly a run";
    // Of 1,000 kernels about 3 have such a run.
    EXPECT_GE(exceeding * 2'000, bounded - std::min<std::uint64_t>(bounded, 2'000))
        << "no run needed the bound";
    EXPECT_GT(counts.several * 3, bounded);
    EXPECT_GT(counts.shared * 8, bounded);
    EXPECT_GT(queued * 3, bounded);
    EXPECT_GT(counts.divergent * 20, bounded);
    EXPECT_GT(measured * 20, bounded);
    EXPECT_LT(counts.refused * 5, cases);
}

} // namespace
} // namespace warpbound
