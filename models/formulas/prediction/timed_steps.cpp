#include "models/formulas/prediction/timed_steps.hpp"

#include "models/formulas/whole_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace warpbound::models::prediction {
namespace {

using assembly::OpcodeClass;

constexpr double all_lanes = 32; // Passes of an access of which nothing is stated, at most.

/// Steps whose result a later step reads.
std::vector<bool> awaited(std::span<const ProfileStep> steps) {
    std::vector<bool> found(steps.size());
    for (std::size_t at = 0; at < steps.size(); ++at)
        for (const std::int64_t distance : steps[at].distances)
            if (distance <= static_cast<std::int64_t>(at))
                found[at - static_cast<std::size_t>(distance)] = true;
    return found;
}

Cycles whole_up(double cycles) {
    return round_up(cycles);
}

/// Looks up the times of one step after the other; what a class needs is looked up once.
class Timer {
public:
    explicit Timer(Inputs& inputs) : inputs_{inputs} {}
    std::optional<TimedStep> time(const ProfileStep& step, bool is_awaited);

private:
    std::optional<double> once(const std::string& path);
    std::optional<double> class_value(OpcodeClass opcode_class, std::string_view name) {
        return once(fmt::format("classes/{}/{}", to_string(opcode_class), name));
    }
    std::optional<double> level_latency(std::string_view level) {
        return once(fmt::format("memories/{}/latency", level));
    }
    std::optional<std::size_t> unit_of(OpcodeClass opcode_class);
    std::optional<double> gap(const ProfileStep& step);
    std::optional<double> passes(const ProfileStep& step);
    std::optional<LevelShares> shares(const ProfileStep& step);
    std::optional<double> load_latency(const LevelShares& shares);
    std::optional<double> latency(const ProfileStep& step, const LevelShares& shares,
                                  bool is_awaited);

    Inputs& inputs_;
    std::map<std::string, std::optional<double>, std::less<>> seen_;
};

std::optional<double> Timer::once(const std::string& path) {
    const auto found = seen_.find(path);
    if (found != seen_.end()) return found->second;
    return seen_.emplace(path, inputs_.described(path)).first->second;
}

std::optional<std::size_t> Timer::unit_of(OpcodeClass opcode_class) {
    const Architecture& architecture = inputs_.architecture();
    const auto found = architecture.classes.find(opcode_class);
    const auto unit = found == architecture.classes.end()
                          ? std::nullopt
                          : architecture.unit_index(found->second.unit);
    if (!unit)
        inputs_.miss(fmt::format("the unit of class {} (not known of {})", to_string(opcode_class),
                                 architecture.name));
    return unit;
}

std::optional<double> Timer::gap(const ProfileStep& step) {
    std::optional<double> plain;
    if (inputs_.architecture().issue_control == IssueControl::Interlocked)
        plain = once("schedulers/same-warp-interval");
    else if (step.stall)
        plain = real(*step.stall);
    else
        inputs_.miss("stall counts of the instructions (the text has no control fields)");
    const bool branches = step.transfers || step.opcode_class == OpcodeClass::Branch;
    const auto control = !branches ? std::optional{0.0}
                                   : once(step.transfers ? "control-flow/branch-taken"
                                                         : "control-flow/branch-not-taken");
    const auto barrier = step.opcode_class != OpcodeClass::Barrier
                             ? std::optional{0.0}
                             : class_value(step.opcode_class, "latency");
    if (!plain || !control || !barrier) return std::nullopt;
    return std::max({*plain, *control, *barrier});
}

std::optional<double> Timer::passes(const ProfileStep& step) {
    if (step.passes)
        return choose({.lo = step.passes->min, .typical = std::nullopt, .hi = step.passes->max},
                      inputs_.variant());
    if (inputs_.variant() == Variant::Best) return 1.0;
    if (inputs_.variant() == Variant::Worst) return all_lanes;
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
    const std::pair<std::string_view, double> levels[] = {
        {"l1", shares.l1}, {"l2", shares.l2}, {"dram", shares.dram}};
    for (const auto& [level, share] : levels) {
        if (share == 0) continue;
        const auto latency = level_latency(level);
        if (!latency) return std::nullopt;
        sum += share * *latency;
    }
    return sum;
}

std::optional<double> Timer::latency(const ProfileStep& step, const LevelShares& shares,
                                     bool is_awaited) {
    if (is_global_load(step.opcode_class)) return load_latency(shares);
    const auto& classes = inputs_.architecture().classes;
    const auto found = classes.find(step.opcode_class);
    const SourcedValue* const value =
        found == classes.end() ? nullptr : found->second.values.find("latency");
    if (!is_awaited && (value == nullptr || !value->interval)) return 1.0;
    return class_value(step.opcode_class, "latency");
}

std::optional<TimedStep> Timer::time(const ProfileStep& step, bool is_awaited) {
    const auto unit = unit_of(step.opcode_class);
    if (!unit) return std::nullopt;
    const auto issue_gap = gap(step);
    const auto count = passes(step);
    const auto served = is_global_load(step.opcode_class) ? shares(step) : LevelShares{};
    const auto first_pass = served ? latency(step, *served, is_awaited) : std::nullopt;
    const auto initiation = class_value(step.opcode_class, "initiation");
    const auto pass_cost =
        count && *count == 1 ? std::optional{0.0} : class_value(step.opcode_class, "pass-cost");
    if (!issue_gap || !count || !served || !first_pass || !initiation || !pass_cost)
        return std::nullopt;
    return TimedStep{.latency = whole_up(*first_pass + (*count - 1) * *pass_cost),
                     .gap = whole_up(*issue_gap),
                     .unit = *unit,
                     .occupancy = whole_up(*initiation * *count),
                     .passes = *count,
                     .shares = *served};
}

} // namespace

std::vector<TimedStep> timed_steps(std::span<const ProfileStep> steps, Inputs& inputs) {
    const auto is_awaited = awaited(steps);
    Timer timer{inputs};
    std::vector<TimedStep> timed;
    timed.reserve(steps.size());
    for (std::size_t at = 0; at < steps.size(); ++at)
        if (const auto step = timer.time(steps[at], is_awaited[at])) timed.push_back(*step);
    if (timed.size() != steps.size()) timed.clear();
    return timed;
}

std::vector<UnitWork> unit_work(std::span<const TimedStep> steps,
                                const Architecture& architecture) {
    std::vector<UnitWork> work;
    for (const auto& unit : architecture.units)
        work.push_back({.unit = unit.name, .scope = unit.scope, .cycles = {}});
    for (const auto& step : steps)
        work[step.unit].cycles += step.occupancy;
    std::erase_if(work, [](const UnitWork& unit) { return unit.cycles == Cycles{}; });
    return work;
}

} // namespace warpbound::models::prediction
