#include "analyzer/memory/outstanding_loads.hpp"

#include "analyzer/memory/service_times.hpp"

#include <algorithm>
#include <map>

namespace warpbound::analyzer {

namespace {

/// Register or scoreboard that a load writes and waits for. Of the loads with the same one, at most
/// one is outstanding.
struct LoadDependence {
    std::optional<int> scoreboard;
    std::optional<assembly::Register> reg;
    friend auto operator<=>(const LoadDependence&, const LoadDependence&) = default;
};

std::optional<LoadDependence> dependence_of(const TimedKernel& kernel, std::size_t load) {
    const auto& instruction = kernel.function->instructions[load];
    if (kernel.architecture->issue_control == models::IssueControl::Interlocked) {
        if (instruction.effects.writes.empty()) return std::nullopt;
        return LoadDependence{.scoreboard = {}, .reg = instruction.effects.writes.front()};
    }
    if (!instruction.control || !instruction.control->write_barrier) return std::nullopt;
    const int scoreboard = *instruction.control->write_barrier;
    const auto waits = static_cast<unsigned>(instruction.control->wait_mask);
    const unsigned seen = waits & ~kernel.unseen_counters[load];
    if (((seen >> static_cast<unsigned>(scoreboard)) & 1U) == 0) return std::nullopt;
    return LoadDependence{.scoreboard = scoreboard, .reg = {}};
}

} // namespace

bool is_outstanding_once(const TimedKernel& kernel, std::size_t load) {
    return dependence_of(kernel, load).has_value();
}

namespace {

/// Largest sum of `count` over the loads that a warp has outstanding together.
template <class Count>
std::optional<std::int64_t> most_outstanding(const TimedKernel& kernel, Count count) {
    std::map<LoadDependence, std::int64_t> counts;
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        const auto& timing = kernel.timings[i].value();
        if (!is_cached_load(timing)) continue;
        const auto dependence = dependence_of(kernel, i);
        if (!dependence) return std::nullopt;
        auto& most = counts[*dependence];
        most = std::max(most, count(timing));
    }
    models::Cycles sum{0};
    for (const auto& [dependence, most] : counts)
        sum += models::Cycles{most};
    return sum.count();
}

} // namespace

std::optional<std::int64_t> outstanding_lines(const TimedKernel& kernel) {
    return most_outstanding(
        kernel, [](const models::InstructionTiming& timing) { return timing.passes.hi; });
}

std::optional<std::int64_t> outstanding_loads(const TimedKernel& kernel) {
    return most_outstanding(kernel,
                            [](const models::InstructionTiming&) { return std::int64_t{1}; });
}

} // namespace warpbound::analyzer
