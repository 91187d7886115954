/// \file
/// Bounds of random kernels on machines with read ports and a reuse cache (C60 to C62), against
/// simulated runs: one warp and many, with blocks, barriers and divergence.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
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

struct ReadPortsVerdict {
    std::string failure;
    std::string refusal; ///< Why it was not bounded.
    bool several_warps = false;
    bool shares_scheduler = false;
    bool straight = false; ///< One path, whose bounds are met.
    bool diverges = false;
    double tightness = 0; ///< Upper bound over the longest run.
    double slack = 0;     ///< Shortest run over the lower bound.
    /// The reads delay a run: it is longer than on the machine without them.
    bool is_delayed = false;
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
    const std::int64_t places = random.whole(1, 4);
    state(machine.limits, "max-blocks", places, places);
    state(machine.blocks, "replacement", 3, 9);
    state(machine.blocks, "start", 5, 20);
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

    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    static const std::vector<std::string> policies = tests::conserving_policies(
        {"two-level:active=48", "variable-rate:fast=0,every=2,conserving"});
    if (seed / 3 % 3 > 0) {
        request.launch = {random.whole(1, 8), 32 * random.whole(1, 8)};
        request.multiprocessors = random.whole(0, 3) == 0 ? random.whole(2, 3) : 1;
    }
    constexpr std::array set_limited{"two-level:active=1", "two-level:active=2",
                                     "two-level:active=3"};
    std::string policy = policies[seed / 11 % policies.size()];
    if (described.sm >= 50 && seed / 7 % 4 == 1 && !options.conditional_barriers)
        policy = set_limited[seed / 28 % set_limited.size()];
    request.policy = models::read_policy(policy).value();
    verdict.several_warps = request.launch.blocks * request.launch.threads > 32;
    verdict.shares_scheduler = request.launch.threads > 128;
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
        if (proved.value().execution_time.bounds().upper() != bounds.upper())
            return fail("another bound with evidence");
    }
    const harness::Kernel launched{made.function, &made.graph, &made.facts, request.launch};
    const auto machine = harness::simulator::Machine::prepare(
        architecture, launched, request.policy, request.multiprocessors);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    std::uint64_t run_seed = seed * 7919;
    std::int64_t best = INT64_MAX;
    std::int64_t worst = 0;
    using enum harness::Draw;
    for (const auto draw : {Uniform, Extremes, AllLow, AllHigh, Adversarial}) {
        const auto observed = machine.value()->run({++run_seed, draw, {}});
        if (!observed) return fail("run refused: " + to_string(observed.error()));
        const auto time = observed.value().execution_time;
        best = std::min(best, time.count());
        worst = std::max(worst, time.count());
        if (!bounds.contains(time))
            return fail("simulated " + std::to_string(time.count()) + " outside [" +
                        std::to_string(bounds.lower().count()) + ", " +
                        std::to_string(bounds.upper().count()) + "], launch " +
                        models::to_string(request.launch) + " on " +
                        std::to_string(request.multiprocessors) + ", policy " +
                        models::to_string(request.policy) + ", run seed " +
                        std::to_string(run_seed) + ", draw " +
                        std::string{harness::to_string(draw)});
        if (!verdict.straight || verdict.several_warps) continue;
        const auto end = draw == AllLow ? bounds.lower() : draw == AllHigh ? bounds.upper() : time;
        if (time != end)
            return fail("straight-line code takes " + std::to_string(time.count()) +
                        ", its bound is " + std::to_string(end.count()));
    }
    verdict.tightness = static_cast<double>(bounds.upper().count()) / static_cast<double>(worst);
    verdict.slack = static_cast<double>(best) /
                    static_cast<double>(std::max<std::int64_t>(1, bounds.lower().count()));
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
    const auto without = harness::simulator::Machine::prepare(perfect, launched, request.policy,
                                                              request.multiprocessors);
    if (!without) return fail("not simulated: " + to_string(without.error()));
    const auto fast = without.value()->run({run_seed, AllHigh, {}});
    const auto slow = machine.value()->run({run_seed, AllHigh, {}});
    verdict.is_delayed =
        fast && slow && slow.value().execution_time.count() > fast.value().execution_time.count();
    return verdict;
}

TEST(ReadPortBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    std::uint64_t delayed = 0;
    std::uint64_t straight = 0;
    std::uint64_t several = 0;
    std::uint64_t shared = 0;
    std::uint64_t divergent = 0;
    std::uint64_t refused = 0;
    std::uint64_t may_miss = 0;
    std::uint64_t misses = 0;
    double tightness = 0;
    double slack = 0;
    std::uint64_t bounded = 0;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const auto& verdict) {
        if (!verdict.refusal.empty()) ++refused;
        if (verdict.tightness == 0) return;
        ++bounded;
        tightness += verdict.tightness;
        slack += verdict.slack;
        if (verdict.is_delayed) ++delayed;
        if (verdict.straight && !verdict.several_warps) ++straight;
        if (verdict.several_warps) ++several;
        if (verdict.shares_scheduler) ++shared;
        if (verdict.diverges) ++divergent;
        if (verdict.may_miss_increments) ++may_miss;
        if (verdict.misses_increments) ++misses;
    });
    RecordProperty("delayed", std::to_string(delayed));
    RecordProperty("straight", std::to_string(straight));
    RecordProperty("several_warps", std::to_string(several));
    RecordProperty("divergent", std::to_string(divergent));
    RecordProperty("below_bounds_that_see_increments", std::to_string(misses));
    RecordProperty("mean_upper_over_longest",
                   std::to_string(tightness / static_cast<double>(bounded)));
    RecordProperty("mean_shortest_over_lower",
                   std::to_string(slack / static_cast<double>(bounded)));
    EXPECT_GT(delayed * 4, bounded) << "reads delayed hardly a run";
    EXPECT_GT(straight * 60, cases);
    EXPECT_GT(several * 3, cases);
    EXPECT_GT(shared * 6, cases);
    EXPECT_GT(divergent * 10, cases);
    EXPECT_GT(may_miss * 6, cases);
    EXPECT_GT(misses * 40, may_miss) << "hardly a run missed an increment";
    EXPECT_LT(refused * 10, cases);
}

} // namespace
} // namespace warpbound
