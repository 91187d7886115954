#include "analyzer/memory/outstanding_loads.hpp"

#include "analyzer/launch/context.hpp"
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

std::optional<LoadDependence> dependence_of(const AnalysisContext& context, std::size_t load) {
    const auto& instruction = context.request.function->instructions[load];
    if (context.request.architecture->issue_control == models::IssueControl::Interlocked) {
        if (instruction.effects.writes.empty()) return std::nullopt;
        return LoadDependence{.scoreboard = {}, .reg = instruction.effects.writes.front()};
    }
    if (!instruction.control || !instruction.control->write_barrier) return std::nullopt;
    const int scoreboard = *instruction.control->write_barrier;
    const auto waits = static_cast<unsigned>(instruction.control->wait_mask);
    const unsigned seen = waits & ~context.unseen_counters[load];
    if (((seen >> static_cast<unsigned>(scoreboard)) & 1U) == 0) return std::nullopt;
    return LoadDependence{.scoreboard = scoreboard, .reg = {}};
}

} // namespace

bool is_outstanding_once(const AnalysisContext& context, std::size_t load) {
    return dependence_of(context, load).has_value();
}

namespace {

/// Largest sum of `count` over the loads that a warp has outstanding together.
template <class Count>
std::optional<std::int64_t> most_outstanding(const AnalysisContext& context, Count count) {
    std::map<LoadDependence, std::int64_t> counts;
    for (std::size_t i = 0; i < context.timings.size(); ++i) {
        if (!context.used[i] || !context.timings[i]) continue;
        const auto& timing = context.timings[i].value();
        if (!is_cached_load(timing)) continue;
        const auto dependence = dependence_of(context, i);
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

std::optional<std::int64_t> outstanding_lines(const AnalysisContext& context) {
    return most_outstanding(
        context, [](const models::InstructionTiming& timing) { return timing.passes.hi; });
}

std::optional<std::int64_t> outstanding_loads(const AnalysisContext& context) {
    return most_outstanding(context,
                            [](const models::InstructionTiming&) { return std::int64_t{1}; });
}

} // namespace warpbound::analyzer
