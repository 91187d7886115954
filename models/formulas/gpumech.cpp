#include "models/formulas/gpumech.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpbound::models::gpumech {
namespace {

using Stack = std::array<double, categories>;

double& part(Stack& stack, Category category) {
    return stack.at(static_cast<std::size_t>(category));
}

bool has_demand(const Interval& interval) {
    const MemoryDemand& demand = interval.memory;
    return demand.misses > 0 || demand.dram_reads > 0 || demand.dram_writes > 0;
}

std::optional<Failure> objection(std::span<const Interval> intervals,
                                 const Multithreading& multithreading,
                                 const std::optional<Memory>& memory) {
    InputCheck check{"gpumech"};
    check.count("warps", multithreading.warps, 1, 1 << 20)
        .count("warps that share the memory",
               multithreading.memory_warps.value_or(multithreading.warps), 1, 1 << 20)
        .not_negative("unit cycles", multithreading.unit_cycles)
        .not_negative("memory cycles", multithreading.memory_cycles);
    for (const auto& interval : intervals) {
        const MemoryDemand& demand = interval.memory;
        check.count("misses of an interval", demand.misses, 0, 1 << 20)
            .not_negative("DRAM reads of an interval", demand.dram_reads)
            .not_negative("DRAM writes of an interval", demand.dram_writes)
            .within("share of L1", demand.l1_share, 0, 1)
            .within("share of L2", demand.l2_share, 0, 1)
            .within("share of DRAM", demand.dram_share, 0, 1);
        const double shares = demand.l1_share + demand.l2_share + demand.dram_share;
        if (interval.cause == StallCause::Memory && interval.stall > 0_cycles &&
            std::abs(shares - 1) >= 1e-9)
            check.require(
                false, fmt::format("the levels of a memory stall sum to {}; expected 1", shares));
        check.require(
            !has_demand(interval) || memory.has_value(),
            "an interval has misses or DRAM traffic, and the machine's memory is missing");
    }
    if (memory)
        check.count("miss registers", memory->miss_registers, 1)
            .positive("miss latency", memory->miss_latency)
            .count("cores", memory->cores, 1);
    return check.failure();
}

/// Instructions of other warps that delay the warp in one interval.
double nonhiding_of(const Interval& interval, const Multithreading& multithreading,
                    double probability, double instructions_per_interval) {
    const double others = real(multithreading.warps - 1);
    const double stall = real(interval.stall.count());
    if (multithreading.policy == Policy::RoundRobin)
        return real(interval.instructions - 1) * probability * others;
    const double in_stall = instructions_per_interval * std::min(probability * stall, 1.0) * others;
    return std::max(in_stall - multithreading.issue_rate * stall, 0.0);
}

/// Adds the instructions and the stall of the warp to the categories that they belong to.
void add_interval(Stack& stack, const Interval& interval, double issue_rate) {
    const double times = real(interval.times);
    const double stall = times * real(interval.stall.count());
    part(stack, Category::Issue) += times * real(interval.instructions) / issue_rate;
    if (interval.cause == StallCause::Dependence) {
        part(stack, Category::Dependences) += stall;
        return;
    }
    part(stack, Category::L1) += stall * interval.memory.l1_share;
    part(stack, Category::L2) += stall * interval.memory.l2_share;
    part(stack, Category::DramLatency) += stall * interval.memory.dram_share;
}

struct Queueing {
    double mshr = 0;
    double dram = 0;
};

Result<Queueing> queueing_of(const Interval& interval, std::int64_t warps, const Memory& memory) {
    const MemoryDemand& demand = interval.memory;
    const auto mshr = mshr_delay(demand.misses * warps, memory.miss_registers, memory.miss_latency);
    if (!mshr) return mshr.as_failure();
    const double reads = std::min(demand.dram_reads * real(warps), real(memory.miss_registers));
    const auto dram = dram_delay((reads + demand.dram_writes * real(warps)) * real(memory.cores),
                                 memory.miss_latency, memory.dram);
    if (!dram) return dram.as_failure();
    return Queueing{.mshr = mshr.value().value(), .dram = dram.value().value()};
}

} // namespace

std::string_view to_string(Category category) {
    switch (category) {
    case Category::Issue:
        return "issue";
    case Category::Dependences:
        return "dependences";
    case Category::L1:
        return "L1";
    case Category::L2:
        return "L2";
    case Category::DramLatency:
        return "DRAM latency";
    case Category::MshrQueue:
        return "MSHR queueing";
    case Category::DramQueue:
        break;
    }
    return "DRAM queueing";
}

Result<Prediction> predict(std::span<const Interval> intervals,
                           const Multithreading& multithreading,
                           const std::optional<Memory>& memory) {
    const auto alone = performance_of(intervals, multithreading.issue_rate);
    if (!alone) return alone.as_failure();
    if (const auto wrong = objection(intervals, multithreading, memory)) return *wrong;

    const double instructions = alone.value().instructions;
    Prediction found{.cpi = Estimate<CyclesPerInstruction>{0}};
    found.single_warp_cycles = alone.value().cycles;
    found.single_warp_instructions = instructions;
    found.issue_probability = multithreading.probability == IssueProbability::One
                                  ? 1
                                  : instructions / found.single_warp_cycles;
    const std::int64_t memory_warps = multithreading.memory_warps.value_or(multithreading.warps);
    double count = 0;
    for (const auto& interval : intervals)
        count += real(interval.times);
    const double per_interval = instructions / count;
    for (const auto& interval : intervals) {
        const double times = real(interval.times);
        found.nonhiding +=
            times * nonhiding_of(interval, multithreading, found.issue_probability, per_interval);
        add_interval(found.stack, interval, multithreading.issue_rate);
        if (!has_demand(interval)) continue;
        const auto queueing = queueing_of(interval, memory_warps, *memory);
        if (!queueing) return queueing.as_failure();
        found.mshr_queueing += times * queueing.value().mshr;
        found.dram_queueing += times * queueing.value().dram;
    }
    const double others = found.nonhiding / multithreading.issue_rate;
    const double all_instructions = real(multithreading.warps) * instructions;
    const double unclipped = found.single_warp_cycles + others;
    found.multithreaded_cycles = std::max(unclipped, all_instructions / multithreading.issue_rate);

    part(found.stack, Category::Issue) += others;
    for (double& cycles : found.stack)
        cycles *= found.multithreaded_cycles / unclipped / all_instructions;
    if (multithreading.unit_cycles > found.multithreaded_cycles) {
        part(found.stack, Category::Issue) +=
            (multithreading.unit_cycles - found.multithreaded_cycles) / all_instructions;
        found.multithreaded_cycles = multithreading.unit_cycles;
    }
    found.dram_queueing =
        std::max(found.dram_queueing,
                 multithreading.memory_cycles - found.multithreaded_cycles - found.mshr_queueing);
    part(found.stack, Category::MshrQueue) = found.mshr_queueing / all_instructions;
    part(found.stack, Category::DramQueue) = found.dram_queueing / all_instructions;
    found.cpi = Estimate<CyclesPerInstruction>{
        std::accumulate(found.stack.begin(), found.stack.end(), 0.0)};
    return found;
}

std::vector<ExplainedSymbol> explain(const Multithreading& multithreading,
                                     const Prediction& result) {
    std::vector<ExplainedSymbol> symbols{
        {"W", real(multithreading.warps), "warps", "launch"},
        {"issue_rate", multithreading.issue_rate, "instructions/cycle", "machine"},
        {"warp_insts", result.single_warp_instructions, "instructions", "H14, interval profile"},
        {"warp_cycles", result.single_warp_cycles, "cycles", "H14, interval profile"},
        {"issue_prob", result.issue_probability, "1",
         multithreading.probability == IssueProbability::One ? "chosen" : "H14"},
        {"nonhiding insts", result.nonhiding, "instructions",
         multithreading.policy == Policy::RoundRobin ? "H14, round robin"
                                                     : "H14, greedy-then-oldest"},
        {"unit cycles", multithreading.unit_cycles, "cycles", "busiest unit, our extension"},
        {"memory cycles", multithreading.memory_cycles, "cycles",
         "busiest server of the memory, our extension"},
        {"cycles_mt", result.multithreaded_cycles, "cycles", "H14"},
        {"exp_queuing_delay", result.mshr_queueing, "cycles", "H14, MSHR"},
        {"W_dram", result.dram_queueing, "cycles", "re-implementations of H14"},
    };
    for (std::size_t category = 0; category < categories; ++category)
        symbols.push_back({fmt::format("CPI {}", to_string(static_cast<Category>(category))),
                           result.stack.at(category), "cycles/instruction", "H14, inferred"});
    symbols.push_back({"CPI", result.cpi.value(), "cycles/instruction", "H14"});
    return symbols;
}

} // namespace warpbound::models::gpumech
