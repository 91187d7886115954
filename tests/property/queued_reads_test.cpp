/// \file
/// Bounds of random kernels on machines whose reads of variable latency wait for read ports (C111),
/// against simulated runs: one warp and many, with blocks, barriers, divergence and write ports.

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

struct QueuedReadsVerdict : tests::ComparedLaunch {
    bool writes_wait = false; ///< The machine has write ports.
};

/// Reads of variable latency that are due when others read.
void put_source_reads(models::Architecture& machine, tests::RandomSource& random) {
    tests::put_value(machine, "register-file/variable-latency-reads", {1, 1, 1});
    const bool early = random.whole(0, 1) == 0;
    for (auto& [opcode_class, timing] : machine.classes) {
        if (timing.values.find("source-read") == nullptr) continue;
        std::erase_if(timing.values.values,
                      [](const auto& value) { return value.name.starts_with("source-read-"); });
        const std::int64_t from = random.whole(1, early ? 5 : 16);
        tests::put_value(
            machine, "classes/" + std::string{assembly::to_string(opcode_class)} + "/source-read",
            {from, std::nullopt, from + random.whole(0, 3)});
    }
}

/// Arithmetic of three operands, many of them in one bank.
void read_more(assembly::Function& function, tests::RandomSource& random) {
    const bool one_bank = random.whole(0, 1) == 0;
    for (assembly::Instruction& instruction : function.instructions) {
        if (instruction.mnemonic == "FADD" || instruction.mnemonic == "FMUL") {
            instruction.mnemonic = "FFMA";
            instruction.opcode_class = assembly::OpcodeClass::FloatMultiplyAdd;
            instruction.operands.push_back(instruction.operands[1]);
        }
        const bool is_even = one_bank || random.whole(0, 2) > 0;
        for (std::size_t i = 1; is_even && i < instruction.operands.size(); ++i) {
            auto* reg = std::get_if<assembly::RegisterOperand>(&instruction.operands[i]);
            if (reg != nullptr && reg->file == assembly::RegisterFile::General && reg->index)
                *reg->index = *reg->index / 6 * 6;
        }
    }
    assembly::set_effects(function);
}

tests::RandomKernelOptions options_of(std::uint64_t seed, int sm, bool is_short) {
    tests::RandomKernelOptions options;
    options.sm = sm;
    options.statements = 3 + static_cast<int>(seed % 24);
    options.depth = static_cast<int>(seed % 3);
    options.clock_reads = seed / 3 % 5 == 0; // One warp.
    options.memory = seed % 5 == 3;
    options.further_facts = false;
    options.divergence = seed / 16 % 4 == 1;
    options.barriers = seed / 4 % 3 == 1;
    options.conditional_barriers = options.barriers && !options.divergence && seed % 7 == 0;
    if (!is_short) return options;
    options.depth = 0;
    options.predicates = false;
    options.divergence = false;
    options.barriers = false;
    options.conditional_barriers = false;
    options.memory = false;
    options.statements = 3 + static_cast<int>(seed % 16);
    return options;
}

void let_none_wait(models::Architecture& machine) {
    std::erase_if(machine.register_file.values,
                  [](const auto& value) { return value.name == "variable-latency-reads"; });
}

QueuedReadsVerdict check_queued_reads(std::uint64_t seed,
                                      const tests::DescribedMachine& described) {
    tests::RandomSource random{seed};
    QueuedReadsVerdict verdict;
    models::Architecture architecture = described.architecture;
    if (architecture.issue_control != models::IssueControl::Encoded) return verdict;
    architecture.memory_queue = {};
    tests::put_crowded_ports(architecture, random);
    verdict.writes_wait = seed / 4 % 3 == 0;
    if (verdict.writes_wait) tests::put_value(architecture, "register-file/write-ports", {1, 1, 1});
    put_source_reads(architecture, random);
    tests::put_block_places(architecture, random);
    if (seed % 5 != 4) tests::put_value(architecture, "schedulers/count", {1, 1, 1});
    if (seed % 7 == 3)
        tests::put_value(architecture, "schedulers/counter-delay",
                         {random.whole(0, 1), std::nullopt, 1});
    // Short straight-line code of few warps, whose bounds are close to the longest runs.
    const bool is_short = seed / 8 % 2 == 0;
    const tests::RandomKernelOptions options = options_of(seed, described.sm, is_short);
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          "\n" + kernel.text + models::write_flow_facts(kernel.facts);
        return verdict;
    };
    auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    tests::ReadKernel& made = *loaded.value();
    assembly::Function& function = made.program.functions.front();
    tests::access_more(function, made.facts, random, false);
    tests::crowd_ports(function, random);
    read_more(function, random);
    if (architecture.schedulers.find("counter-delay") != nullptr)
        for (auto& instruction : function.instructions)
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
        const bool is_covered = verdict.refusal.find("register-file/") == std::string::npos;
        return verdict.diverges || !is_covered ? verdict : fail("not analyzed: " + verdict.refusal);
    }
    models::Architecture without = architecture;
    let_none_wait(without);
    const std::string failure =
        tests::compare_launch(request, analysis.value(), without, seed, verdict);
    return failure.empty() ? verdict : fail(failure);
}

TEST(QueuedReadBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    tests::ComparedCounts counts;
    std::uint64_t writing = 0;
    const std::uint64_t cases = tests::run_campaign(check_queued_reads, [&](const auto& verdict) {
        if (!counts.add(verdict)) return;
        if (verdict.writes_wait) ++writing;
    });
    counts.record();
    EXPECT_GT(counts.delayed * 6, counts.bounded) << "read ports delayed hardly a run";
    EXPECT_GE(counts.exceeding * 500, counts.bounded - std::min<std::uint64_t>(counts.bounded, 500))
        << "no run needed the bound";
    EXPECT_GT(counts.several * 3, counts.bounded);
    EXPECT_GT(counts.shared * 8, counts.bounded);
    EXPECT_GT(counts.divergent * 20, counts.bounded);
    EXPECT_GT(counts.measured * 20, counts.bounded);
    EXPECT_GT(writing * 5, counts.bounded);
    EXPECT_LT(counts.refused * 4, cases);
}

} // namespace
} // namespace warpbound
