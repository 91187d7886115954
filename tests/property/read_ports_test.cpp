/// \file
/// Bounds of random kernels on machines with read ports and a reuse cache (C60 to C62), against
/// simulated runs: one warp and many, with blocks, barriers and divergence.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "tests/support/bounded_launches.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace warpbound {
namespace {

struct ReadPortsVerdict : tests::BoundedLaunch {
    bool may_miss_increments = false;
    /// A run is shorter than the lower bound of a machine whose increments are seen at once.
    bool misses_increments = false;
};

void state(models::ValueGroup& group, const std::string& name, std::int64_t lo, std::int64_t hi) {
    std::erase_if(group.values, [&](const auto& value) { return value.name == name; });
    models::SourcedValue value;
    value.name = name;
    value.interval = models::Interval{lo, std::nullopt, hi};
    value.source = "made up";
    value.grade = models::Grade::Inferred;
    group.values.push_back(std::move(value));
}

models::Architecture with_read_ports(models::Architecture machine, tests::RandomSource& random) {
    const bool is_modern = random.whole(0, 1) == 0;
    const auto pick = [&](std::int64_t modern, std::int64_t lo, std::int64_t hi) {
        return is_modern ? modern : random.whole(lo, hi);
    };
    const auto put = [&](const char* name, std::int64_t value) {
        state(machine.register_file, name, value, value);
    };
    put("banks", pick(2, 1, 3));
    put("read-ports", 1);
    put("read-window", pick(3, 1, 4));
    put("reuse-slots", pick(3, 0, 3));
    tests::put_block_places(machine, random);
    for (auto& [opcode_class, timing] : machine.classes)
        if (opcode_class <= assembly::OpcodeClass::FloatCompare) {
            const bool is_slow = random.whole(0, 3) == 0;
            const std::int64_t initiation = is_slow ? random.whole(4, 12) : random.whole(1, 3);
            state(timing.values, "initiation", initiation,
                  initiation + (random.whole(0, 3) == 0 ? 1 : 0));
        }
    return machine;
}

/// Short stalls, three operands, many of one bank, and registers that the reuse cache keeps.
/// `crowded`: there is nothing else for which a warp waits.
void make_dense(assembly::Function& function, tests::RandomSource& random, bool repeats,
                bool crowded) {
    const bool one_bank = crowded && random.whole(0, 1) == 0;
    std::map<std::size_t, int> before; // Register by operand: often read again.
    for (assembly::Instruction& instruction : function.instructions) {
        if (instruction.control_flow != assembly::ControlFlow::None) continue;
        if (crowded && instruction.mnemonic == "MUFU") {
            instruction.mnemonic = "FADD";
            instruction.modifiers.clear();
            instruction.operands.push_back(instruction.operands[1]);
            if (instruction.control) instruction.control = assembly::Control{};
        }
        if (instruction.control && random.whole(0, 9) > 0) instruction.control->stall = 1;
        if (instruction.control && random.whole(0, 3) > 0) instruction.control->wait_mask = 0;
        if (instruction.mnemonic == "FADD" || instruction.mnemonic == "FMUL") {
            instruction.mnemonic = "FFMA";
            instruction.opcode_class = assembly::OpcodeClass::FloatMultiplyAdd;
            instruction.operands.push_back(instruction.operands[1]);
        }
        const bool is_even = one_bank || random.whole(0, 2) > 0;
        for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
            auto* reg = std::get_if<assembly::RegisterOperand>(&instruction.operands[i]);
            if (reg == nullptr || reg->file != assembly::RegisterFile::General || !reg->index)
                continue;
            if (is_even) *reg->index &= ~1;
            if (!repeats) *reg->index += 16 * static_cast<int>(i);
            if (before.contains(i) && random.whole(0, 4) < 2) reg->index = before[i];
            before[i] = *reg->index;
            if (!one_bank && random.whole(0, 2) == 0) reg->suffixes.emplace_back("reuse");
        }
    }
    assembly::set_effects(function);
}

/// Instructions that wait for a scoreboard in the cycle after the one that announces it (C85). What
/// transfers control waits for all, so that no loop counts beyond 63.
void hide_increments(assembly::Function& function, tests::RandomSource& random) {
    for (assembly::Instruction& instruction : function.instructions)
        if (instruction.control && assembly::transfers_control(instruction.control_flow))
            instruction.control->wait_mask = (1U << assembly::scoreboard_count) - 1;
    for (std::size_t i = 0; i + 1 < function.instructions.size(); ++i) {
        auto& before = function.instructions[i];
        auto& after = function.instructions[i + 1];
        if (!before.control || !after.control || random.whole(0, 1) == 0) continue;
        for (const auto& scoreboard : {before.control->write_barrier, before.control->read_barrier})
            if (scoreboard) {
                before.control->stall = 1;
                after.control->wait_mask |= static_cast<std::uint8_t>(1U << *scoreboard);
            }
    }
}

/// Exact where nothing is drawn: every register is named once in an instruction.
bool names_registers_once(const assembly::Function& function) {
    for (const auto& instruction : function.instructions) {
        std::vector<int> seen;
        for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
            const auto* reg = std::get_if<assembly::RegisterOperand>(&instruction.operands[i]);
            if (reg == nullptr || !reg->index) continue;
            if (std::find(seen.begin(), seen.end(), *reg->index) != seen.end()) return false;
            seen.push_back(*reg->index);
        }
    }
    return true;
}

ReadPortsVerdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource random{seed};
    const bool is_crowded = seed % 5 == 4;
    models::Architecture architecture = with_read_ports(described.architecture, random);
    if (is_crowded) state(architecture.schedulers, "count", 1, 1);
    ReadPortsVerdict verdict;
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 3 + static_cast<int>(seed % 12);
    options.depth = 1 + static_cast<int>(seed % 2);
    options.clock_reads = false;
    options.memory = seed % 5 == 3;
    options.further_facts = false;
    verdict.straight = seed % 6 == 0;
    options.divergence = !verdict.straight && seed % 4 == 1;
    options.barriers = !verdict.straight && seed % 3 == 1;
    options.conditional_barriers = options.barriers && !options.divergence && seed % 7 == 0;
    if (is_crowded) options.statements += 20;
    if (verdict.straight) {
        options.depth = 0;
        options.predicates = false;
        options.statements = 4 + static_cast<int>(seed % 40);
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
    make_dense(made.program.functions.front(), random, !verdict.straight, is_crowded);
    verdict.straight = verdict.straight && names_registers_once(*made.function);
    verdict.may_miss_increments =
        architecture.issue_control == models::IssueControl::Encoded && seed % 6 > 3;
    if (verdict.may_miss_increments) {
        hide_increments(made.program.functions.front(), random);
        state(architecture.schedulers, "counter-delay", random.whole(0, 1), 1);
    }
    verdict.diverges = !made.facts.divergents.empty();

    analyzer::Request request = tests::request_of(made, architecture);
    static const std::vector<std::string> policies = tests::conserving_policies(
        {"two-level:active=48", "variable-rate:fast=0,every=2,conserving"});
    if (seed / 3 % 3 > 0) tests::draw_launch(request, random);
    constexpr std::array set_limited{"two-level:active=1", "two-level:active=2",
                                     "two-level:active=3"};
    std::string policy = policies[seed / 11 % policies.size()];
    if (described.sm >= 50 && seed / 7 % 4 == 1 && !options.conditional_barriers)
        policy = set_limited[seed / 28 % set_limited.size()];
    request.policy = models::read_policy(policy).value();
    tests::note_launch(verdict, request);
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        verdict.refusal = to_string(analysis.error());
        return verdict.diverges ? verdict : fail("not analyzed: " + verdict.refusal);
    }
    const auto bounds = analysis.value().execution_time.bounds();
    if (!verdict.diverges && seed % 8 == 0) {
        analyzer::CertificateStore certificates;
        request.certificates = &certificates;
        const auto proved = analyzer::analyze(request);
        if (!proved) return fail("no evidence: " + to_string(proved.error()));
        if (proved.value().execution_time.bounds().upper() !=
            tests::upper_with_evidence(analysis.value().execution_time.upper))
            return fail("another bound with evidence");
    }
    const auto machine = tests::prepare_launch(request, architecture);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    std::int64_t best = INT64_MAX;
    const bool is_exact = verdict.straight && !verdict.several_warps;
    const auto failure = tests::run_every_draw(
        *machine.value(), request, bounds, seed * 7919, verdict,
        [&](const models::Observation& observed, harness::Draw draw, std::uint64_t) {
            best = std::min(best, observed.execution_time.count());
            return is_exact ? tests::met_from_both_sides(observed, bounds, draw) : std::string{};
        });
    if (!failure.empty()) return fail(failure);
    if (verdict.may_miss_increments) {
        models::Architecture sees = architecture;
        std::erase_if(sees.schedulers.values,
                      [](const auto& value) { return value.name == "counter-delay"; });
        request.certificates = nullptr;
        request.architecture = &sees;
        const auto otherwise = analyzer::analyze(request);
        if (!otherwise) return fail("not analyzed: " + to_string(otherwise.error()));
        const auto seen = otherwise.value().execution_time.bounds();
        if (seen.upper() != bounds.upper()) return fail("another upper bound without delay");
        if (seen.lower() < bounds.lower()) return fail("a lower bound above that without delay");
        verdict.misses_increments = best < seen.lower().count();
    }
    models::Architecture perfect = architecture;
    perfect.register_file = {};
    std::erase_if(perfect.schedulers.values,
                  [](const auto& value) { return value.name == "counter-delay"; });
    const auto without = tests::prepare_launch(request, perfect);
    if (!without) return fail("not simulated: " + to_string(without.error()));
    verdict.is_delayed = tests::is_slower(*machine.value(), *without.value(), seed * 7919 + 5);
    return verdict;
}

TEST(ReadPortBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    tests::LaunchCounts counts;
    std::uint64_t may_miss = 0;
    std::uint64_t misses = 0;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const auto& verdict) {
        if (!counts.add(verdict)) return;
        if (verdict.may_miss_increments) ++may_miss;
        if (verdict.misses_increments) ++misses;
    });
    counts.record();
    RecordProperty("below_bounds_that_see_increments", std::to_string(misses));
    EXPECT_GT(counts.delayed * 4, counts.bounded) << "reads delayed hardly a run";
    EXPECT_GT(counts.straight * 60, cases);
    EXPECT_GT(counts.several * 3, cases);
    EXPECT_GT(counts.shared * 6, cases);
    EXPECT_GT(counts.divergent * 10, cases);
    EXPECT_GT(may_miss * 6, cases);
    EXPECT_GT(misses * 40, may_miss) << "hardly a run missed an increment";
    EXPECT_LT(counts.refused * 10, cases);
}

} // namespace
} // namespace warpbound
