#include "analyzer/memory/outstanding_loads.hpp"

#include "analyzer/launch/context.hpp"
#include "analyzer/memory/service_times.hpp"

#include <algorithm>
#include <map>

namespace warpbound::analyzer {

namespace {

/// Loads that announce themselves by the same thing and wait for it are under way one at a time.
struct Announcement {
    std::optional<int> scoreboard;
    std::optional<assembly::Register> reg;
    friend auto operator<=>(const Announcement&, const Announcement&) = default;
};

std::optional<Announcement> announcement_of(const AnalysisContext& context, std::size_t load) {
    const auto& instruction = context.request.function->instructions[load];
    if (context.request.architecture->issue_control == models::IssueControl::Interlocked) {
        if (instruction.effects.writes.empty()) return std::nullopt;
        return Announcement{.scoreboard = {}, .reg = instruction.effects.writes.front()};
    }
    if (!instruction.control || !instruction.control->write_barrier) return std::nullopt;
    const int scoreboard = *instruction.control->write_barrier;
    const auto waits = static_cast<unsigned>(instruction.control->wait_mask);
    if (((waits >> static_cast<unsigned>(scoreboard)) & 1U) == 0) return std::nullopt;
    return Announcement{.scoreboard = scoreboard, .reg = {}};
}

} // namespace

bool is_outstanding_once(const AnalysisContext& context, std::size_t load) {
    return announcement_of(context, load).has_value();
}

namespace {

/// The most of what each load counts, over the loads of a warp that are under way together.
template <class Count>
std::optional<std::int64_t> under_way(const AnalysisContext& context, Count count) {
    std::map<Announcement, std::int64_t> counts;
    for (std::size_t i = 0; i < context.timings.size(); ++i) {
        if (!context.used[i] || !context.timings[i]) continue;
        const auto& timing = context.timings[i].value();
        if (!is_cached_load(timing)) continue;
        const auto announcement = announcement_of(context, i);
        if (!announcement) return std::nullopt;
        auto& most = counts[*announcement];
        most = std::max(most, count(timing));
    }
    models::Cycles sum{0};
    for (const auto& [announcement, most] : counts)
        sum += models::Cycles{most};
    return sum.count();
}

} // namespace

std::optional<std::int64_t> outstanding_lines(const AnalysisContext& context) {
    return under_way(context,
                     [](const models::InstructionTiming& timing) { return timing.passes.hi; });
}

std::optional<std::int64_t> outstanding_loads(const AnalysisContext& context) {
    return under_way(context, [](const models::InstructionTiming&) { return std::int64_t{1}; });
}

} // namespace warpbound::analyzer
