#include "models/formulas/gpumech.hpp"
#include "models/formulas/prediction/predictors.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <cmath>

namespace warpbound::models::prediction {
namespace {

/// Adds the memory demands of the steps to the intervals that they lie in.
void add_demands(const Steps& steps, std::span<const TimedStep> timed, bool writes_back,
                 std::vector<gpumech::Interval>& intervals) {
    const auto order = steps.order();
    for (auto& interval : intervals) {
        double misses = 0;
        LevelShares sum;
        double loads = 0;
        const auto end = interval.first + static_cast<std::size_t>(interval.instructions);
        for (std::size_t at = interval.first; at < end; ++at) {
            const auto opcode_class = steps[at].opcode_class;
            const TimedStep& step = timed[order[at]];
            if (is_global_load(opcode_class)) {
                const LevelShares& shares = step.shares;
                misses += step.miss_registers;
                interval.memory.dram_reads += step.dram_transfers;
                sum.l1 += shares.l1;
                sum.l2 += shares.l2;
                sum.dram += shares.dram;
                loads += 1;
            } else if (is_global_store(opcode_class) ||
                       opcode_class == assembly::OpcodeClass::AtomicGlobal) {
                // Writebacks of a write-back L2 to DRAM, when it replaces lines, are not
                // counted.
                if (!step.through_caches || !writes_back)
                    interval.memory.dram_writes += step.passes;
            }
        }
        interval.memory.misses = static_cast<std::int64_t>(std::ceil(misses - 1e-9));
        if (loads == 0) continue;
        interval.memory.l1_share = sum.l1 / loads;
        interval.memory.l2_share = sum.l2 / loads;
        interval.memory.dram_share = sum.dram / loads;
    }
}

/// A stall on a load that was issued in an earlier interval goes to the levels of the last loads.
void attribute_stalls(std::vector<gpumech::Interval>& intervals) {
    gpumech::MemoryDemand last;
    for (auto& interval : intervals) {
        auto& memory = interval.memory;
        if (memory.l1_share + memory.l2_share + memory.dram_share > 0) {
            last = memory;
        } else if (interval.cause == gpumech::StallCause::Memory) {
            memory.l1_share = last.l1_share;
            memory.l2_share = last.l2_share;
            memory.dram_share = last.dram_share;
            // An atomic: it is served beyond L1.
            if (memory.l1_share + memory.l2_share + memory.dram_share == 0) memory.dram_share = 1;
        }
    }
}

bool has_demand(const gpumech::Interval& interval) {
    return interval.memory.misses > 0 || interval.memory.dram_reads > 0 ||
           interval.memory.dram_writes > 0;
}

/// The average latency of an L1 miss: L2, and DRAM for the part that reaches it. With the whole
/// latencies of a description that is L2 + m (DRAM - L2). Unit: issue slots.
std::optional<double> miss_latency(const Steps& steps, std::span<const TimedStep> timed,
                                   double slot, Inputs& inputs) {
    double misses = 0; // Lines.
    double dram = 0;
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        if (!is_global_load(steps.kinds()[kind].opcode_class)) continue;
        misses += real(steps.executions()[kind]) * timed[kind].transactions;
        dram += real(steps.executions()[kind]) * timed[kind].dram_transfers;
    }
    const double rate = misses == 0 ? 1 : std::min(1.0, dram / misses);
    const auto l2 = rate < 1 ? inputs.described("memories/l2/latency") : std::optional{0.0};
    const auto far = rate > 0 ? inputs.described("memories/dram/latency") : std::optional{0.0};
    if (!l2 || !far) return std::nullopt;
    return ((1 - rate) * *l2 + rate * *far) / slot;
}

/// Bytes of a DRAM request: the mean of the accesses whose lines are known, unless it is stated.
std::optional<double> transfer_bytes(const Steps& steps, std::span<const TimedStep> timed,
                                     Inputs& inputs) {
    double transfers = 0;
    double bytes = 0;
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        if (!timed[kind].through_caches) continue;
        transfers += real(steps.executions()[kind]) * timed[kind].dram_transfers;
        bytes += real(steps.executions()[kind]) * timed[kind].dram_bytes;
    }
    if (const auto stated = inputs.stated_if_any("line-bytes")) return stated;
    if (transfers > 0) return bytes / transfers;
    return inputs.described("memories/dram/line");
}

/// Time counts in issue slots, so the clock does too.
std::optional<gpumech::Memory> memory_of(const Steps& steps, std::span<const TimedStep> timed,
                                         double slot, const Residency& residency, Inputs& inputs) {
    auto registers = inputs.stated_if_any("miss-registers");
    if (!registers) registers = inputs.described_if_known("memories/l1/mshr-entries");
    if (!registers) registers = inputs.stated("miss-registers"); // Notes it as missing.
    const auto latency = miss_latency(steps, timed, slot, inputs);
    const auto clock = inputs.described("geometry/core-clock");
    const auto line = transfer_bytes(steps, timed, inputs);
    const auto bandwidth = inputs.described_rate("memories/dram/bandwidth");
    if (!registers || !latency || !clock || !line || !bandwidth) return std::nullopt;
    return gpumech::Memory{.miss_registers = static_cast<std::int64_t>(*registers),
                           .miss_latency = *latency,
                           .cores = residency.multiprocessors,
                           .dram = {.clock = *clock * 1000 / slot,
                                    .line_bytes = *line,
                                    .bandwidth = *bandwidth * 1000}};
}

/// Cycles that the busiest unit needs for so many equal warps; a partition has those of its
/// scheduler. Unit: core cycles.
double busiest(std::span<const UnitWork> units, std::int64_t warps) {
    double most = 0;
    for (const auto& unit : units)
        most = std::max(most, real(unit.groups ? divide_up(warps, *unit.groups) : 1) * unit.cycles);
    return most;
}

double cycles_of(const gpumech::Prediction& found, std::int64_t slot) {
    return (found.multithreaded_cycles + found.mshr_queueing + found.dram_queueing) * real(slot);
}

} // namespace

/// The published core has one scheduler; here it is the fullest scheduler of the multiprocessor,
/// while all its warps share the memory. The CPI is that of the multiprocessor.
Result<Prediction> ask_gpumech(const Question& question, Inputs& inputs) {
    const auto timed = timed_steps_of(question, inputs);
    const auto residency = residency_of(question, inputs);
    if (!residency) return residency.as_failure();
    const auto schedulers = inputs.described("schedulers/count");
    const auto slot = inputs.described("schedulers/issue-slot");
    if (timed.empty() || !residency.value() || !schedulers || !slot) return Prediction{};
    auto warp = single_warp(question, timed, static_cast<std::int64_t>(*slot));
    if (!warp) return warp.as_failure();
    auto& intervals = warp.value().intervals;
    const bool cached = std::ranges::any_of(timed, &TimedStep::through_caches);
    const auto writes_back =
        cached ? inputs.described_if_known("memories/l2/write-back") : std::optional{0.0};
    add_demands(question.profile.steps, timed, writes_back.value_or(0) == 1, intervals);
    attribute_stalls(intervals);
    std::optional<gpumech::Memory> memory;
    if (std::ranges::any_of(intervals, has_demand)) {
        memory = memory_of(question.profile.steps, timed, *slot, *residency.value(), inputs);
        if (!memory) return Prediction{};
    }
    std::vector<UnitWork> units;
    std::vector<UnitWork> servers;
    const Residency& where = *residency.value();
    if (question.setting.counts_units) {
        units = unit_work(question.profile.steps, timed, inputs);
        servers = memory_work(question.profile.steps, timed, where.multiprocessors, inputs);
    }
    if (!inputs.missing().empty()) return Prediction{};
    const auto ask = [&](std::int64_t blocks) {
        const std::int64_t warps = blocks * where.warps_per_block;
        const gpumech::Multithreading multithreading{
            .policy = question.setting.policy,
            .probability = inputs.variant() == Variant::Worst ? gpumech::IssueProbability::One
                                                              : gpumech::IssueProbability::Average,
            .warps = divide_up(warps, static_cast<std::int64_t>(*schedulers)),
            .issue_rate = 1,
            .memory_warps = warps,
            .unit_cycles = busiest(units, warps) / *slot,
            .memory_cycles = busiest(servers, warps) / *slot};
        return std::pair{multithreading, gpumech::predict(intervals, multithreading, memory)};
    };
    const auto [multithreading, full] = ask(where.slots);
    if (!full) return full.as_failure();
    double cycles = real(where.full_waves) * cycles_of(full.value(), warp.value().slot);
    if (where.rest > 0) {
        const auto rest = ask(where.rest).second;
        if (!rest) return rest.as_failure();
        cycles += cycles_of(rest.value(), warp.value().slot);
    }
    Prediction found{.time = Estimate<Cycles>{cycles},
                     .symbols = gpumech::explain(multithreading, full.value())};
    found.symbols.push_back({"unit of time", *slot, "cycles", "issue slot of a scheduler"});
    // From a scheduler's slots per instruction to the multiprocessor's cycles per instruction.
    const double scale = cycles_of(full.value(), warp.value().slot) /
                         (real(where.warps()) * full.value().single_warp_instructions) /
                         full.value().cpi.value();
    double sum = 0;
    for (std::size_t part = 0; part < gpumech::categories; ++part) {
        const double share = full.value().stack.at(part) * scale;
        found.stack.emplace_back(gpumech::to_string(static_cast<gpumech::Category>(part)), share);
        sum += share;
    }
    found.cpi = Estimate<CyclesPerInstruction>{sum};
    return found;
}

} // namespace warpbound::models::prediction
