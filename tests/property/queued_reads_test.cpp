/// \file
/// Bounds of random kernels on machines whose reads of variable latency wait for read ports (C111),
/// against simulated runs: one warp and many, with blocks, barriers, divergence and write ports.

#include "analyzer/analyze.hpp"
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

struct QueuedReadsVerdict : tests::BoundedLaunch {
    bool measures = false;    ///< A time between two clock reads.
    bool writes_wait = false; ///< The machine has write ports.
    double tightness_without =
        0;                ///< Upper bound over the longest run where reads wait for nothing.
    double growth = 0;    ///< Upper bound over that of such a machine.
    bool exceeds = false; ///< A run exceeds the upper bound of such a machine.
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
    const auto bounds = analysis.value().execution_time.bounds();
    models::Architecture without = architecture;
    let_none_wait(without);
    const auto machine = tests::prepare_launch(request, architecture);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    const auto plain = tests::prepare_launch(request, without);
    if (!plain) return fail("not simulated: " + to_string(plain.error()));
    request.architecture = &without;
    const auto other = analyzer::analyze(request);
    if (!other) return fail("not analyzed without waits: " + to_string(other.error()));
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

TEST(QueuedReadBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    tests::LaunchCounts counts;
    std::uint64_t exceeding = 0;
    std::uint64_t measured = 0;
    std::uint64_t writing = 0;
    std::vector<double> tightness;
    std::vector<double> without;
    std::vector<double> growth;
    const std::uint64_t cases = tests::run_campaign(check_queued_reads, [&](const auto& verdict) {
        if (!counts.add(verdict)) return;
        tightness.push_back(verdict.tightness);
        without.push_back(verdict.tightness_without);
        growth.push_back(verdict.growth);
        if (verdict.exceeds) ++exceeding;
        if (verdict.measures) ++measured;
        if (verdict.writes_wait) ++writing;
    });
    counts.record();
    RecordProperty("exceed_the_bound_without", std::to_string(exceeding));
    RecordProperty("median_upper_over_longest", std::to_string(tests::median_of(tightness)));
    RecordProperty("median_upper_over_longest_without", std::to_string(tests::median_of(without)));
    RecordProperty("median_upper_over_upper_without", std::to_string(tests::median_of(growth)));
    EXPECT_GT(counts.delayed * 6, counts.bounded) << "read ports delayed hardly a run";
    EXPECT_GE(exceeding * 500, counts.bounded - std::min<std::uint64_t>(counts.bounded, 500))
        << "no run needed the bound";
    EXPECT_GT(counts.several * 3, counts.bounded);
    EXPECT_GT(counts.shared * 8, counts.bounded);
    EXPECT_GT(counts.divergent * 20, counts.bounded);
    EXPECT_GT(measured * 20, counts.bounded);
    EXPECT_GT(writing * 5, counts.bounded);
    EXPECT_LT(counts.refused * 4, cases);
}

} // namespace
} // namespace warpbound
