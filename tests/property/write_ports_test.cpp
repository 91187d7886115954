/// \file
/// Bounds of random kernels on machines with write ports (C108), against simulated runs: one warp
/// and many, with blocks, barriers and divergence, with memory queues and without.

#include "analyzer/analyze.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/compared_launches.hpp"
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

struct WritePortsVerdict : tests::ComparedLaunch {
    bool has_queue = false;
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
    models::Architecture without = architecture;
    std::erase_if(without.register_file.values,
                  [](const auto& value) { return value.name == "write-ports"; });
    const std::string failure =
        tests::compare_launch(request, analysis.value(), without, seed, verdict);
    return failure.empty() ? verdict : fail(failure);
}

TEST(WritePortBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    tests::ComparedCounts counts;
    std::uint64_t queued = 0;
    const std::uint64_t cases = tests::run_campaign(check_write_ports, [&](const auto& verdict) {
        if (!counts.add(verdict)) return;
        if (verdict.has_queue) ++queued;
    });
    const std::uint64_t bounded = counts.bounded;
    counts.record();
    EXPECT_GT(counts.delayed * 6, bounded) << "write ports delayed hardly a run";
    // Of 1,000 kernels about 3 have such a run.
    EXPECT_GE(counts.exceeding * 2'000, bounded - std::min<std::uint64_t>(bounded, 2'000))
        << "no run needed the bound";
    EXPECT_GT(counts.several * 3, bounded);
    EXPECT_GT(counts.shared * 8, bounded);
    EXPECT_GT(queued * 3, bounded);
    EXPECT_GT(counts.divergent * 20, bounded);
    EXPECT_GT(counts.measured * 20, bounded);
    EXPECT_LT(counts.refused * 5, cases);
}

} // namespace
} // namespace warpbound
