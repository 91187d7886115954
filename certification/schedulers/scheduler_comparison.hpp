#pragma once
/// \file
/// Comparison of warp scheduling policies: bounds, observed times and variability of one kernel.

#include "analyzer/analyze.hpp"
#include "harness/protocol/schedules.hpp"
#include "models/time/clock.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::certification {

/// One policy. `Unit:` core cycles for times.
struct PolicyResult {
    std::string policy;    ///< As `models::to_string` writes it.
    std::string guarantee; ///< "work-conserving", ...
    /// Bounds on the execution time; none where the analyzer refuses.
    std::optional<models::Bounds<models::Cycles>> bounds;
    std::string refusal; ///< Why there are no bounds.
    harness::ScheduleSummary observed;
    std::optional<harness::Timeline>
        slowest; ///< Timeline of the slowest run, if it is short enough to draw.

    /// Predictability: best over worst time, 1 when all runs take the same time. From the bounds it
    /// is guaranteed, from the runs it is observed.
    [[nodiscard]] std::optional<double> bounded_predictability() const;
    [[nodiscard]] double observed_predictability() const;
    /// Whether an observation lies outside the bounds.
    [[nodiscard]] bool refuted() const;
    /// Whether there are bounds, and observations to compare with them.
    [[nodiscard]] bool compared() const { return bounds && observed.times.count > 0; }
};

/// What policies are ranked by; less is better. `Unit:` core cycles.
enum class RankBy {
    Bound,  ///< Upper bound.
    Spread, ///< Upper bound less lower bound: no two runs differ by more.
    Jitter, ///< Worst less best observed time: what these runs differed by, no guarantee.
};
constexpr std::array<std::string_view, 3> rank_names{"bound", "spread", "jitter"};
constexpr std::string_view to_string(RankBy by) {
    return rank_names[static_cast<std::size_t>(by)];
}

struct SchedulerComparison {
    std::string tool_version;
    std::string kernel;
    std::string kernel_digest;
    std::string architecture;
    std::string architecture_digest;
    std::string launch;
    std::int64_t multiprocessors = 1; ///< Number of SMs that the launch runs on.
    std::string protocol;
    std::vector<analyzer::Assumption> assumptions; ///< Of the bounds; empty without bounds.
    std::vector<PolicyResult> policies;            ///< In the order of the command line.
    std::optional<models::Clock> clock;            ///< None: times are in cycles only.
    RankBy ranked_by = RankBy::Bound;
    std::vector<std::string> undecided; ///< What was not carried to its end, and why.

    /// The bounds of a policy in seconds, rounded outward. None without bounds or clock.
    [[nodiscard]] std::optional<models::Bounds<models::Nanoseconds>>
    time_of(const PolicyResult& result) const;
    [[nodiscard]] bool refuted() const;
    /// "refuted", "undecided", "holds", or "none" when no observation was compared with a bound.
    [[nodiscard]] std::string verdict() const;
};

/// A policy in the ranking, with the reason of its rank. Policies with equal values tie.
struct Rank {
    std::size_t policy = 0; ///< Index into `policies`.
    /// From 1, one more than the number of policies with a lower value; none without a value.
    std::optional<std::size_t> position;
    std::optional<std::int64_t> value; ///< What is ranked by. `Unit:` core cycles.
    std::vector<std::size_t> ties;     ///< Other policies with the same value.
    std::string reason;
};
/// The least value of what the comparison is ranked by first; policies without one last. Ties stay
/// in the order of the command line.
std::vector<Rank> rank(const SchedulerComparison& comparison);

/// "smallest upper bound first", and what a rank says about predictability.
std::string_view ranking_title(RankBy by);

/// Pareto-optimal policies in upper bound and mean time among those with bounds, by increasing
/// upper bound: indices into `policies`.
std::vector<std::size_t> best_trades(const SchedulerComparison& comparison);

std::string render_text(const SchedulerComparison& comparison);
std::string render_json(const SchedulerComparison& comparison);
std::string render_csv(const SchedulerComparison& comparison);
std::string render_xml(const SchedulerComparison& comparison);  ///< schema/scheduler-comparison.xsd
std::string render_html(const SchedulerComparison& comparison); ///< One self-contained page.

} // namespace warpbound::certification
