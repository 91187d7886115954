/// \file
/// Bounds of random kernels on machines with write ports (C108), against simulated runs: one warp
/// and many, with blocks, barriers and divergence, with memory queues and without.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
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

struct WritePortsVerdict {
    std::string failure;
    std::string refusal; ///< Why it was not bounded.
    bool several_warps = false;
    bool shares_scheduler = false;
    bool has_queue = false;
    bool diverges = false;
    bool measures = false;        ///< A time between two clock reads.
    double tightness = 0;         ///< Upper bound over the longest run.
    double tightness_without = 0; ///< The same on the machine without write ports.
    double growth = 0;            ///< Upper bound over that without write ports.
    bool is_delayed = false;      ///< A run is longer than on the machine without write ports.
    /// A run exceeds the upper bound of that machine.
    bool exceeds = false;
};

/// Ports, units and latencies, many of them so that results meet.
void put_ports(models::Architecture& machine, tests::RandomSource& random) {
    const bool is_modern = random.whole(0, 1) == 0;
    const auto pick = [&](std::int64_t modern, std::int64_t lo, std::int64_t hi) {
        const std::int64_t value = is_modern ? modern : random.whole(lo, hi);
        return models::Interval{value, std::nullopt, value};
    };
    tests::put_value(machine, "register-file/banks", pick(2, 2, 3));
    tests::put_value(machine, "register-file/read-ports", {1, 1, 1});
    tests::put_value(machine, "register-file/read-window", pick(3, 1, 4));
    tests::put_value(machine, "register-file/reuse-slots", pick(3, 0, 3));
    tests::put_value(machine, "register-file/write-ports", {1, 1, 1});
    const bool short_latencies = random.whole(0, 1) == 0;
    const bool quick_units = random.whole(0, 2) > 0;
    for (auto& [opcode_class, timing] : machine.classes) {
        const std::string path = "classes/" + std::string{assembly::to_string(opcode_class)} + "/";
        if (opcode_class <= assembly::OpcodeClass::FloatCompare) {
            const std::int64_t latency = is_modern ? 4 : random.whole(1, 12);
            tests::put_value(machine, path + "latency",
                             {latency, std::nullopt, latency + random.whole(0, 1)});
            const std::int64_t busy = quick_units ? 1 : random.whole(1, 6);
            tests::put_value(machine, path + "initiation", {busy, busy, busy});
        }
        if ((opcode_class == assembly::OpcodeClass::LoadShared ||
             opcode_class == assembly::OpcodeClass::SpecialFunction) &&
            short_latencies) {
            const std::int64_t latency = random.whole(1, 14);
            tests::put_value(machine, path + "latency",
                             {latency, std::nullopt, latency + random.whole(0, 3)});
        }
    }
}

/// Short stalls, and results in few banks; loads of several registers.
void write_more(assembly::Function& function, tests::RandomSource& random) {
    const bool one_bank = random.whole(0, 1) == 0;
    const std::int64_t waits = random.whole(0, 3);
    std::uint8_t pending = 0; // Scoreboards that loads announced their results on.
    for (assembly::Instruction& instruction : function.instructions) {
        if (instruction.control_flow != assembly::ControlFlow::None) continue;
        if (instruction.control && random.whole(0, 9) > 0) instruction.control->stall = 1;
        if (instruction.control && random.whole(0, 3) > waits) instruction.control->wait_mask = 0;
        if (instruction.control && pending != 0 && random.whole(0, 4) == 0)
            instruction.control->wait_mask |= std::exchange(pending, std::uint8_t{0});
        if (instruction.control && instruction.control->write_barrier)
            pending |= static_cast<std::uint8_t>(
                1U << static_cast<unsigned>(*instruction.control->write_barrier));
        if (instruction.operands.empty()) continue;
        auto* to = std::get_if<assembly::RegisterOperand>(&instruction.operands.front());
        if (to == nullptr || to->file != assembly::RegisterFile::General || !to->index) continue;
        if (one_bank) *to->index = *to->index / 6 * 6;
        if (instruction.mnemonic == "LDS" && random.whole(0, 4) == 0) {
            instruction.modifiers = {random.whole(0, 1) == 0 ? "64" : "128"};
            *to->index = *to->index / 4 * 4;
        }
    }
    assembly::set_effects(function);
}

WritePortsVerdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource random{seed};
    WritePortsVerdict verdict;
    models::Architecture architecture = described.architecture;
    if (architecture.issue_control != models::IssueControl::Encoded) return verdict;
    verdict.has_queue = seed / 4 % 2 == 0;
    if (verdict.has_queue) tests::put_memory_queue(architecture, random, false);
    put_ports(architecture, random);
    const std::int64_t places = random.whole(1, 4);
    tests::put_value(architecture, "limits/max-blocks", {places, places, places});
    tests::put_value(architecture, "blocks/replacement", {3, std::nullopt, 9});
    tests::put_value(architecture, "blocks/start", {5, std::nullopt, 20});
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
    write_more(made.program.functions.front(), random);
    if (architecture.schedulers.find("counter-delay") != nullptr)
        for (auto& instruction : made.program.functions.front().instructions)
            if (instruction.control && assembly::transfers_control(instruction.control_flow))
                instruction.control->wait_mask = (1U << assembly::scoreboard_count) - 1;
    verdict.diverges = !made.facts.divergents.empty();

    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    static const std::vector<std::string> policies = tests::conserving_policies(
        {"two-level:active=48", "variable-rate:fast=0,every=2,conserving"});
    if (seed / 3 % 5 > 0) {
        request.launch = {random.whole(1, 8), 32 * random.whole(1, 8)};
        request.multiprocessors = random.whole(0, 3) == 0 ? random.whole(2, 3) : 1;
        if (is_short) request.launch = {1, 32 * random.whole(1, 4)};
    }
    request.policy = models::read_policy(policies[seed / 11 % policies.size()]).value();
    verdict.several_warps = request.launch.blocks * request.launch.threads > 32;
    verdict.shares_scheduler = request.launch.threads > 128;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        verdict.refusal = to_string(analysis.error());
        const bool is_wide = verdict.refusal.find("register-file/write-ports") != std::string::npos;
        return verdict.diverges || is_wide ? verdict : fail("not analyzed: " + verdict.refusal);
    }
    const auto bounds = analysis.value().execution_time.bounds();
    const harness::Kernel launched{made.function, &made.graph, &made.facts, request.launch};
    const auto prepared = [&](const models::Architecture& machine) {
        return harness::simulator::Machine::prepare(machine, launched, request.policy,
                                                    request.multiprocessors);
    };
    models::Architecture without = architecture;
    std::erase_if(without.register_file.values,
                  [](const auto& value) { return value.name == "write-ports"; });
    const auto machine = prepared(architecture);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    const auto plain = prepared(without);
    if (!plain) return fail("not simulated: " + to_string(plain.error()));
    request.architecture = &without;
    const auto other = analyzer::analyze(request);
    if (!other) return fail("not analyzed without write ports: " + to_string(other.error()));
    const auto bounds_without = other.value().execution_time.bounds();
    if (bounds.lower() != bounds_without.lower()) return fail("another lower bound");
    if (bounds.upper() < bounds_without.upper()) return fail("a lower upper bound");
    std::uint64_t run_seed = seed * 7919;
    std::int64_t worst = 0;
    std::int64_t worst_without = 0;
    using enum harness::Draw;
    for (const auto draw : {Uniform, Extremes, AllLow, AllHigh, Adversarial}) {
        const auto observed = machine.value()->run({++run_seed, draw, {}});
        if (!observed) return fail("run refused: " + to_string(observed.error()));
        const auto time = observed.value().execution_time;
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
        const auto& warp = observed.value().warps.front();
        if (const auto& measured = analysis.value().measured_time;
            measured && warp.first_clock && warp.last_clock) {
            const auto between = *warp.last_clock - *warp.first_clock;
            verdict.measures = true;
            if (!measured->bounds().contains(between))
                return fail("measured " + std::to_string(between.count()) + " outside [" +
                            std::to_string(measured->bounds().lower().count()) + ", " +
                            std::to_string(measured->bounds().upper().count()) + "], run seed " +
                            std::to_string(run_seed) + ", draw " +
                            std::string{harness::to_string(draw)});
        }
        const auto fast = plain.value()->run({run_seed, draw, {}});
        if (!fast) return fail("run refused: " + to_string(fast.error()));
        worst_without = std::max(worst_without, fast.value().execution_time.count());
        verdict.is_delayed = verdict.is_delayed || time > fast.value().execution_time;
        verdict.exceeds = verdict.exceeds || time > bounds_without.upper();
    }
    const auto ratio = [](std::int64_t upper, std::int64_t lower) {
        return static_cast<double>(upper) / static_cast<double>(lower);
    };
    verdict.tightness = ratio(bounds.upper().count(), worst);
    verdict.tightness_without = ratio(bounds_without.upper().count(), worst_without);
    verdict.growth = ratio(bounds.upper().count(), bounds_without.upper().count());
    return verdict;
}

double median(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

TEST(WritePortBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    std::uint64_t delayed = 0;
    std::uint64_t exceeding = 0;
    std::uint64_t several = 0;
    std::uint64_t shared = 0;
    std::uint64_t queued = 0;
    std::uint64_t divergent = 0;
    std::uint64_t measured = 0;
    std::uint64_t refused = 0;
    std::vector<double> tightness;
    std::vector<double> without;
    std::vector<double> growth;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const auto& verdict) {
        if (!verdict.refusal.empty()) ++refused;
        if (verdict.tightness == 0) return;
        tightness.push_back(verdict.tightness);
        without.push_back(verdict.tightness_without);
        growth.push_back(verdict.growth);
        if (verdict.is_delayed) ++delayed;
        if (verdict.exceeds) ++exceeding;
        if (verdict.several_warps) ++several;
        if (verdict.shares_scheduler) ++shared;
        if (verdict.has_queue) ++queued;
        if (verdict.diverges) ++divergent;
        if (verdict.measures) ++measured;
    });
    const std::uint64_t bounded = tightness.size();
    RecordProperty("bounded", std::to_string(bounded));
    RecordProperty("delayed", std::to_string(delayed));
    RecordProperty("exceed_the_bound_without", std::to_string(exceeding));
    RecordProperty("several_warps", std::to_string(several));
    RecordProperty("divergent", std::to_string(divergent));
    RecordProperty("median_upper_over_longest", std::to_string(median(tightness)));
    RecordProperty("median_upper_over_longest_without", std::to_string(median(without)));
    RecordProperty("median_upper_over_upper_without", std::to_string(median(growth)));
    EXPECT_GT(delayed * 6, bounded) << "write ports delayed hardly a run";
    // Of 1,000 kernels about 3 have such a run.
    EXPECT_GE(exceeding * 2'000, bounded - std::min<std::uint64_t>(bounded, 2'000))
        << "no run needed the bound";
    EXPECT_GT(several * 3, bounded);
    EXPECT_GT(shared * 8, bounded);
    EXPECT_GT(queued * 3, bounded);
    EXPECT_GT(divergent * 20, bounded);
    EXPECT_GT(measured * 20, bounded);
    EXPECT_LT(refused * 5, cases);
}

} // namespace
} // namespace warpbound
