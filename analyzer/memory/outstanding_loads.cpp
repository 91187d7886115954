#include "analyzer/memory/outstanding_loads.hpp"

#include "analyzer/memory/service_times.hpp"
#include "analyzer/launch/context.hpp"

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

std::optional<Announcement> announcement_of(const Problem& problem, std::size_t load) {
    const auto& instruction = problem.request.function->instructions[load];
    if (problem.request.architecture->issue_control == models::IssueControl::Interlocked) {
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

bool is_under_way_once(const Problem& problem, std::size_t load) {
    return announcement_of(problem, load).has_value();
}

namespace {

/// The most of what each load counts, over the loads of a warp that are under way together.
template <class Count> std::optional<std::int64_t> under_way(const Problem& problem, Count count) {
    std::map<Announcement, std::int64_t> counts;
    for (std::size_t i = 0; i < problem.timings.size(); ++i) {
        if (!problem.used[i] || !problem.timings[i]) continue;
        const auto& timing = problem.timings[i].value();
        if (!is_cached_load(timing)) continue;
        const auto announcement = announcement_of(problem, i);
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

std::optional<std::int64_t> lines_under_way(const Problem& problem) {
    return under_way(problem,
                     [](const models::InstructionTiming& timing) { return timing.passes.hi; });
}

std::optional<std::int64_t> loads_under_way(const Problem& problem) {
    return under_way(problem, [](const models::InstructionTiming&) { return std::int64_t{1}; });
}

} // namespace warpbound::analyzer
