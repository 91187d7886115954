#pragma once
/// \file
/// Comparison of warp scheduling policies: bounds, observed times and variability of one kernel.

#include "analyzer/analyze.hpp"
#include "harness/protocol/schedules.hpp"

#include <optional>
#include <string>
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
};

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

    [[nodiscard]] bool refuted() const;
};

/// A policy in the ranking, with the reason of its rank.
struct Rank {
    std::size_t policy = 0; ///< Index into `policies`.
    std::string reason;
};
/// The most predictable policy first: by observed predictability, then by mean time. A reason gives
/// the predictability and the mean time relative to the fastest policy.
std::vector<Rank> rank(const SchedulerComparison& comparison);

/// Pareto-optimal policies in upper bound and mean time among those with bounds, by increasing
/// upper bound: indices into `policies`.
std::vector<std::size_t> best_trades(const SchedulerComparison& comparison);

std::string render_text(const SchedulerComparison& comparison);
std::string render_json(const SchedulerComparison& comparison);
std::string render_csv(const SchedulerComparison& comparison);
std::string render_xml(const SchedulerComparison& comparison);  ///< schema/scheduler-comparison.xsd
std::string render_html(const SchedulerComparison& comparison); ///< One self-contained page.

} // namespace warpbound::certification
