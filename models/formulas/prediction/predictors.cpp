#include "models/formulas/prediction/predictors.hpp"

#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::prediction {

std::vector<TimedStep> timed_steps_of(const Question& question, Inputs& inputs) {
    if (question.profile.steps.empty()) {
        inputs.miss("the executed instructions one by one (a listing, or <step> in the profile)");
        return {};
    }
    const Steps& steps = question.profile.steps;
    if (!has_patterns(steps)) return timed_steps(steps, {}, inputs);
    const auto& accesses = question.accesses(inputs.variant());
    for (const auto& symbol : accesses.used)
        inputs.use(symbol);
    for (const auto& what : accesses.missing)
        inputs.miss(what);
    // If the launch does not fit, the model itself refuses.
    if (accesses.estimates.empty()) return {};
    return timed_steps(steps, accesses.estimates, inputs);
}

Result<gpumech::IssueTrace> issue_trace_of(const Question& question,
                                           std::span<const TimedStep> timed,
                                           std::int64_t issue_slot) {
    const Steps& steps = question.profile.steps;
    const auto in_slots = [issue_slot](Cycles cycles) {
        return Cycles{std::max<std::int64_t>(1, divide_up(cycles.count(), issue_slot))};
    };
    std::vector<gpumech::TracedInstruction> traced;
    traced.reserve(timed.size());
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        const ProfileStep& step = steps.kinds()[kind];
        traced.push_back({.latency = in_slots(timed[kind].latency),
                          .distances = step.distances,
                          .memory = is_global_load(step.opcode_class) ||
                                    step.opcode_class == assembly::OpcodeClass::AtomicGlobal,
                          .gap = in_slots(timed[kind].gap)});
    }
    return gpumech::issue_trace(traced, steps.order());
}

Result<SingleWarp> single_warp(const Question& question, std::span<const TimedStep> timed,
                               std::int64_t issue_slot) {
    const auto trace = issue_trace_of(question, timed, issue_slot);
    if (!trace) return trace.as_failure();
    auto intervals = gpumech::intervals_of(trace.value());
    if (!intervals) return intervals.as_failure();
    return SingleWarp{.intervals = std::move(intervals).value(), .slot = issue_slot};
}

std::int64_t issued_instructions(const Steps& steps) {
    std::int64_t issued = 0;
    for (std::size_t kind = 0; kind < steps.kinds().size(); ++kind)
        if (!steps.kinds()[kind].dual_issued) issued += steps.executions()[kind];
    return issued;
}

double instructions_of(const NamedProfile& profile) {
    if (!profile.steps.empty()) return static_cast<double>(profile.steps.size());
    const KernelProfile& counts = profile.counts;
    return real(counts.arithmetic_independent + counts.arithmetic_dependent + counts.shared_loads +
                counts.shared_stores + counts.global_loads + counts.global_stores);
}

double cancelling_clock(Inputs& inputs) {
    constexpr double hertz = 1000; // Of a kHz.
    const auto clock = inputs.described_if_known("geometry/core-clock");
    return clock ? *clock * hertz : 1;
}

std::vector<ExplainedSymbol> in_cycles(std::vector<ExplainedSymbol> symbols, double clock) {
    if (clock != 1) return symbols;
    std::erase_if(symbols, [](const ExplainedSymbol& symbol) { return symbol.unit == "cycles/s"; });
    for (auto& symbol : symbols)
        if (symbol.unit == "s") symbol.unit = "cycles";
    return symbols;
}

std::optional<double> dram_bytes_of(const ProfileStep& step, const TimedStep& timed,
                                    Inputs& inputs) {
    const double share = is_global_load(step.opcode_class) ? timed.shares.dram : 1;
    if (share == 0) return 0.0;
    if (timed.through_caches && is_global_load(step.opcode_class)) return timed.dram_bytes;
    if (timed.passes <= 1) return share * lanes_of_warp(inputs) * real(step.bytes_per_lane);
    const auto line = inputs.stated_or_described("line-bytes", "memories/dram/line");
    if (!line) return std::nullopt;
    return share * timed.passes * *line;
}

} // namespace warpbound::models::prediction
