#include "models/formulas/prediction/timed_steps.hpp"

#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpbound::models::prediction {
namespace {

using assembly::OpcodeClass;

/// Kinds of which a later step reads a result.
std::vector<bool> awaited(const Steps& steps) {
    const auto order = steps.order();
    std::vector<bool> found(steps.kinds().size());
    for (std::size_t at = 0; at < order.size(); ++at)
        for (const std::int64_t distance : steps.kinds()[order[at]].distances)
            if (distance <= static_cast<std::int64_t>(at))
                found[order[at - static_cast<std::size_t>(distance)]] = true;
    return found;
}

Cycles whole_up(double cycles) {
    return round_up(cycles);
}

/// Looks up the times of one step after the other; each value is looked up once.
class Timer {
public:
    explicit Timer(Inputs& inputs) : inputs_{inputs} {}
    std::optional<TimedStep> time(const ProfileStep& step, bool is_awaited,
                                  const std::optional<AccessEstimate>& estimate);

private:
    /// A value of a description that was looked up already, or was not known.
    struct Looked {
        bool done = false;
        std::optional<double> value;
    };
    /// Looked-up values of one class.
    struct ClassValues {
        Looked latency, initiation, line_interval, pass_cost;
        bool unit_done = false;
        std::optional<std::size_t> unit;
    };

    std::optional<double> once(Looked& looked, std::string_view path);
    std::optional<double> class_value(OpcodeClass opcode_class, Looked ClassValues::*value,
                                      std::string_view name);
    ClassValues& of(OpcodeClass opcode_class) {
        return classes_.at(static_cast<std::size_t>(opcode_class));
    }
    std::optional<std::size_t> unit_of(OpcodeClass opcode_class);
    std::optional<double> gap(const ProfileStep& step);
    std::optional<double> interlocked_gap(const ProfileStep& step,
                                          std::optional<double> same_warp) const;
    std::optional<double> occupancy(const ProfileStep& step, double count);
    std::optional<double> passes(const ProfileStep& step);
    std::optional<LevelShares> shares(const ProfileStep& step);
    std::optional<double> load_latency(const LevelShares& shares);
    std::optional<double> latency(const ProfileStep& step, const LevelShares& shares,
                                  bool is_awaited);

    Inputs& inputs_;
    std::array<ClassValues, assembly::opcode_class_count> classes_{};
    Looked same_warp_, taken_, not_taken_, l1_, l2_, dram_;
};

std::optional<double> Timer::once(Looked& looked, std::string_view path) {
    if (!looked.done) looked = {true, inputs_.described(path)};
    return looked.value;
}

std::optional<double> Timer::class_value(OpcodeClass opcode_class, Looked ClassValues::*value,
                                         std::string_view name) {
    Looked& looked = of(opcode_class).*value;
    if (looked.done) return looked.value;
    return once(looked, fmt::format("classes/{}/{}", to_string(opcode_class), name));
}

std::optional<std::size_t> Timer::unit_of(OpcodeClass opcode_class) {
    ClassValues& values = of(opcode_class);
    if (values.unit_done) return values.unit;
    values.unit_done = true;
    const Architecture& architecture = inputs_.architecture();
    const auto found = architecture.classes.find(opcode_class);
    if (found != architecture.classes.end())
        values.unit = architecture.unit_index(found->second.unit);
    if (!values.unit)
        inputs_.miss(fmt::format("the unit of class {} (not known of {})", to_string(opcode_class),
                                 architecture.name));
    return values.unit;
}

/// C99, C106: S_NOP takes the place of several instructions, S_SLEEP lasts units of 64 cycles.
std::optional<double> Timer::interlocked_gap(const ProfileStep& step,
                                             std::optional<double> same_warp) const {
    constexpr std::int64_t unit = 64;
    if (!same_warp || !is_amd(inputs_.architecture().target)) return same_warp;
    const double plain = *same_warp * real(step.stall.value_or(1));
    if (!step.sleep) return plain;
    const Interval asleep{.lo = unit * (*step.sleep - 1),
                          .typical = unit * *step.sleep,
                          .hi = unit * (*step.sleep + 1)};
    const double cycles = choose(asleep, inputs_.variant());
    return inputs_.variant() == Variant::Best ? std::max(plain, cycles) : plain + cycles;
}

std::optional<double> Timer::gap(const ProfileStep& step) {
    std::optional<double> plain;
    if (inputs_.architecture().issue_control == IssueControl::Interlocked)
        plain = interlocked_gap(step, once(same_warp_, "schedulers/same-warp-interval"));
    else if (step.stall)
        plain = real(*step.stall);
    else
        inputs_.miss("stall counts of the instructions (control fields of a listing, or \"stall\" "
                     "of <step>)");
    const bool branches = step.transfers || step.opcode_class == OpcodeClass::Branch;
    const auto control = !branches ? std::optional{0.0}
                                   : once(step.transfers ? taken_ : not_taken_,
                                          step.transfers ? "control-flow/branch-taken"
                                                         : "control-flow/branch-not-taken");
    const auto barrier = step.opcode_class != OpcodeClass::Barrier
                             ? std::optional{0.0}
                             : class_value(step.opcode_class, &ClassValues::latency, "latency");
    if (!plain || !control || !barrier) return std::nullopt;
    return std::max({*plain, *control, *barrier});
}

/// Of the port: by the lines where they follow each other faster than instructions (C95).
std::optional<double> Timer::occupancy(const ProfileStep& step, double count) {
    const auto initiation = class_value(step.opcode_class, &ClassValues::initiation, "initiation");
    if (!initiation) return std::nullopt;
    const auto found = inputs_.architecture().classes.find(step.opcode_class);
    if (found == inputs_.architecture().classes.end() ||
        found->second.values.find("line-interval") == nullptr)
        return *initiation * count;
    const auto interval =
        class_value(step.opcode_class, &ClassValues::line_interval, "line-interval");
    if (!interval) return std::nullopt;
    return std::max(*initiation, *interval * count);
}

std::optional<double> Timer::passes(const ProfileStep& step) {
    if (step.passes)
        return choose({.lo = step.passes->min, .typical = std::nullopt, .hi = step.passes->max},
                      inputs_.variant());
    if (inputs_.variant() == Variant::Best) return 1.0;
    if (inputs_.variant() == Variant::Worst)
        return lanes_of_warp(inputs_) * (is_amd(inputs_.architecture().target) ? 2 : 1);
    inputs_.miss(step.address ? fmt::format("passes of the access at 0x{0:04x} (flow fact <memory "
                                            "at=\"0x{0:04x}\" .../>)",
                                            *step.address)
                              : std::string{"passes of a memory access (attribute of <step>)"});
    return std::nullopt;
}

std::optional<LevelShares> Timer::shares(const ProfileStep& step) {
    switch (step.level) {
    case MemoryLevel::L1:
        return LevelShares{.l1 = 1};
    case MemoryLevel::L2:
        return LevelShares{.l2 = 1};
    case MemoryLevel::Dram:
        return LevelShares{.dram = 1};
    case MemoryLevel::Any:
        break;
    }
    if (inputs_.variant() == Variant::Best) return LevelShares{.l1 = 1};
    if (inputs_.variant() == Variant::Worst) return LevelShares{.dram = 1};
    const auto l1 = inputs_.stated("l1-miss-rate");
    const auto l2 = !l1 || *l1 > 0 ? inputs_.stated("l2-miss-rate") : std::optional{0.0};
    if (!l1 || !l2) return std::nullopt;
    return LevelShares{.l1 = 1 - *l1, .l2 = *l1 * (1 - *l2), .dram = *l1 * *l2};
}

std::optional<double> Timer::load_latency(const LevelShares& shares) {
    double sum = 0;
    struct Level {
        double share;
        Looked& looked;
        std::string_view path;
    };
    const std::array levels{Level{shares.l1, l1_, "memories/l1/latency"},
                            Level{shares.l2, l2_, "memories/l2/latency"},
                            Level{shares.dram, dram_, "memories/dram/latency"}};
    for (const auto& [share, looked, path] : levels) {
        if (share == 0) continue;
        const auto latency = once(looked, path);
        if (!latency) return std::nullopt;
        sum += share * *latency;
    }
    return sum;
}

std::optional<double> Timer::latency(const ProfileStep& step, const LevelShares& shares,
                                     bool is_awaited) {
    if (is_global_load(step.opcode_class)) return load_latency(shares);
    if (!is_awaited && !of(step.opcode_class).latency.value) {
        const auto& classes = inputs_.architecture().classes;
        const auto found = classes.find(step.opcode_class);
        const SourcedValue* const value =
            found == classes.end() ? nullptr : found->second.values.find("latency");
        if (value == nullptr || !value->interval) return 1.0;
    }
    return class_value(step.opcode_class, &ClassValues::latency, "latency");
}

std::optional<TimedStep> Timer::time(const ProfileStep& step, bool is_awaited,
                                     const std::optional<AccessEstimate>& estimate) {
    const auto unit = unit_of(step.opcode_class);
    if (!unit) return std::nullopt;
    const auto issue_gap = gap(step);
    const auto count = estimate ? std::optional{estimate->passes} : passes(step);
    const bool loads = is_global_load(step.opcode_class);
    const auto served = !loads                         ? LevelShares{}
                        : estimate && estimate->shares ? estimate->shares
                                                       : shares(step);
    const auto first_pass = served ? latency(step, *served, is_awaited) : std::nullopt;
    const auto occupied = count ? occupancy(step, *count) : std::nullopt;
    const auto pass_cost =
        count && *count == 1 ? std::optional{0.0}
                             : class_value(step.opcode_class, &ClassValues::pass_cost, "pass-cost");
    if (!issue_gap || !count || !served || !first_pass || !occupied || !pass_cost)
        return std::nullopt;
    TimedStep timed{.latency = whole_up(*first_pass + (*count - 1) * *pass_cost),
                    .gap = whole_up(*issue_gap),
                    .unit = *unit,
                    .occupancy = whole_up(*occupied),
                    .passes = *count,
                    .shares = *served};
    if (estimate && estimate->through_caches) {
        timed.through_caches = true;
        timed.transactions = estimate->transactions;
        timed.miss_registers = estimate->miss_registers;
        timed.dram_transfers = estimate->dram_transfers;
        timed.dram_bytes = estimate->dram_bytes;
    } else if (loads) {
        timed.miss_registers = timed.transactions = *count * (1 - served->l1);
        timed.dram_transfers = *count * served->dram;
    }
    return timed;
}

} // namespace

double lanes_of_warp(Inputs& inputs) {
    constexpr double lanes = 32;
    if (!is_amd(inputs.architecture().target)) return lanes;
    return inputs.described("geometry/warp-size").value_or(lanes);
}

std::vector<TimedStep> timed_steps(const Steps& steps, const AccessEstimates& estimates,
                                   Inputs& inputs) {
    const auto is_awaited = awaited(steps);
    Timer timer{inputs};
    std::vector<TimedStep> timed;
    for (std::size_t kind = 0; kind < steps.kinds().size(); ++kind)
        if (const auto step =
                timer.time(steps.kinds()[kind], is_awaited[kind],
                           estimates.empty() ? std::optional<AccessEstimate>{} : estimates[kind]))
            timed.push_back(*step);
    if (timed.size() != steps.kinds().size()) timed.clear();
    return timed;
}

std::vector<UnitWork> unit_work(const Steps& steps, std::span<const TimedStep> timed,
                                Inputs& inputs) {
    const auto& units = inputs.architecture().units;
    std::vector<Cycles> cycles(units.size());
    double stored = 0; // Passes.
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        const std::int64_t executions = steps.executions()[kind];
        cycles[timed[kind].unit] += executions * timed[kind].occupancy;
        if (is_global_store(steps.kinds()[kind].opcode_class))
            stored += real(executions) * timed[kind].passes;
    }
    std::vector<UnitWork> work;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (cycles[unit] == Cycles{}) continue;
        UnitWork found{units[unit].name, 1, real(cycles[unit].count())};
        if (units[unit].scope == UnitScope::Warp) found.groups.reset();
        if (units[unit].scope == UnitScope::Partition) {
            const auto schedulers = inputs.described("schedulers/count");
            if (!schedulers) continue;
            found.groups = static_cast<std::int64_t>(*schedulers);
        }
        work.push_back(std::move(found));
    }
    if (stored == 0) return work;
    if (const auto drain = inputs.described("write-buffer/drain"))
        work.push_back({"write-buffer", 1, std::ceil(stored * *drain)});
    return work;
}

std::vector<UnitWork> memory_work(const Steps& steps, std::span<const TimedStep> timed,
                                  std::int64_t multiprocessors, Inputs& inputs) {
    if (std::ranges::none_of(timed, &TimedStep::through_caches)) return {};
    const auto known = [&inputs](std::string_view path) { return inputs.described_if_known(path); };
    const auto l2_latency = known("memories/l2/latency");
    const auto dram_latency = known("memories/dram/latency");
    const auto l2_sector = known("memories/l2/sector");
    double at_l1 = 0;   // Lines.
    double waiting = 0; // Of misses for their data.
    double sent = 0;
    double answered = 0;
    double sectors = 0; // Of DRAM.
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        const TimedStep& step = timed[kind];
        if (!step.through_caches) continue;
        const double times = real(steps.executions()[kind]);
        sent += times * step.transactions;
        if (!is_global_load(steps.kinds()[kind].opcode_class)) continue;
        answered += times * step.transactions;
        at_l1 += times * step.passes;
        const double far =
            step.transactions == 0 ? 0 : std::min(1.0, step.dram_transfers / step.transactions);
        waiting += times * step.miss_registers *
                   ((1 - far) * l2_latency.value_or(0) + far * dram_latency.value_or(0));
        if (l2_sector) sectors += times * step.dram_bytes / *l2_sector;
    }
    std::vector<UnitWork> work;
    const auto add = [&work](const char* name, double cycles, std::optional<double> each,
                             std::optional<double> servers) {
        if (each && servers && cycles > 0) work.push_back({name, 1, cycles * *each / *servers});
    };
    const double shared = real(multiprocessors);
    add("l1", at_l1, known("memories/l1/service"), 1);
    add("miss registers", waiting, l2_latency && dram_latency ? std::optional{1.0} : std::nullopt,
        known("memories/l1/mshr-entries"));
    const auto link = known("memories/interconnect/service");
    add("link to L2", sent, link, 1);
    add("link from L2", answered, link, 1);
    add("l2", sent * shared, known("memories/l2/service"), known("memories/l2/slices"));
    add("dram", sectors * shared, known("memories/dram/row-hit"), known("memories/dram/channels"));
    return work;
}

} // namespace warpbound::models::prediction
