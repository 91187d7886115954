#pragma once
/// \file
/// How much the warp scheduler makes a kernel's time vary: policies side by side.

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
    /// Proved envelope of the execution time; none where the analyzer refuses.
    std::optional<models::Bounds<models::Cycles>> bounds;
    std::string refusal; ///< Why there are no bounds.
    harness::ScheduleSummary observed;
    std::optional<harness::Timeline>
        slowest; ///< The slowest run, where it is short enough to draw.

    /// Predictability, best over worst: 1 when all runs take the same time. Of the bounds it is a
    /// guarantee, of the observations an observation.
    [[nodiscard]] std::optional<double> bounded_predictability() const;
    [[nodiscard]] double observed_predictability() const;
    /// Observations outside the bounds: refuted.
    [[nodiscard]] bool refuted() const;
};

struct SchedulerComparison {
    std::string tool_version;
    std::string kernel;
    std::string kernel_digest;
    std::string architecture;
    std::string architecture_digest;
    std::string launch;
    std::int64_t multiprocessors = 1; ///< On which it runs.
    std::string protocol;
    std::vector<analyzer::Assumption> assumptions; ///< Of the bounds, when there are any.
    std::vector<PolicyResult> policies;            ///< In the order in which they were asked for.

    [[nodiscard]] bool refuted() const;
};

/// A policy's place and why.
struct Rank {
    std::size_t policy = 0; ///< Index into `policies`.
    std::string reason;
};
/// The most predictable first: by observed predictability, then by mean time. The reasons name
/// what the policy's predictability costs in mean time against the fastest policy.
std::vector<Rank> rank(const SchedulerComparison& comparison);

/// Policies with bounds to which no other is preferable in both upper bound and mean time, by upper
/// bound: indices into `policies`.
std::vector<std::size_t> best_trades(const SchedulerComparison& comparison);

std::string render_text(const SchedulerComparison& comparison);
std::string render_json(const SchedulerComparison& comparison);
std::string render_csv(const SchedulerComparison& comparison);
std::string render_xml(const SchedulerComparison& comparison);  ///< schema/scheduler-comparison.xsd
std::string render_html(const SchedulerComparison& comparison); ///< One self-contained page.

} // namespace warpbound::certification
