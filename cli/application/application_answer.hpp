#pragma once
/// \file
/// The answer of `application`: predicted time at each point of a sweep, and where it goes.

#include "analyzer/application/application_bounds.hpp"
#include "cli/program/command.hpp"
#include "harness/application/application_simulation.hpp"
#include "models/application/plan.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::cli {

/// Makespans of runs that draw every time. `Unit:` ns.
struct DrawnTimes {
    std::int64_t runs = 0;
    std::int64_t best = 0;
    double mean = 0;
    std::int64_t worst = 0;
};

/// Time on a critical path: by kind of operation, then of barriers. `Unit:` ns.
using PathParts = std::array<std::int64_t, models::application::operation_kinds + 1>;

/// One choice of parameters and machines. Points behind the first one keep no single operations.
struct ApplicationPoint {
    /// What is swept: name of the axis and value. Empty without a sweep.
    std::vector<std::pair<std::string, std::string>> choices;
    models::application::Plan plan;
    analyzer::ApplicationBounds bounds;
    std::int64_t lower_ends = 0; ///< Makespan with all times at their lower end. `Unit:` ns.
    std::int64_t upper_ends = 0;
    harness::ApplicationTimes typical;
    std::optional<DrawnTimes> drawn{};
    PathParts on_critical_path{}; ///< Of the typical run.
    std::optional<models::DeadlineVerdict> verdict{};

    /// Least and largest simulated makespan. `Unit:` ns.
    [[nodiscard]] std::int64_t least() const;
    [[nodiscard]] std::int64_t most() const;
    /// A simulated time outside the limits: an error of this program.
    [[nodiscard]] bool is_refuted() const;
    /// From the upper limit to the deadline, negative behind it. `Unit:` ns. Requires: a deadline.
    [[nodiscard]] std::int64_t margin() const;
};
PathParts path_parts(const models::application::Plan& plan, const harness::ApplicationTimes& times);
std::string path_part_name(std::size_t part);

struct ApplicationAnswer {
    models::application::Application application;
    std::vector<ApplicationPoint> points; ///< At least one.
    std::vector<analyzer::Assumption> assumptions;
    std::uint64_t seed = 1;

    [[nodiscard]] bool is_sweep() const { return points.size() > 1; }
    [[nodiscard]] bool is_refuted() const;
    [[nodiscard]] bool has_deadline() const { return points.front().verdict.has_value(); }
    /// Whether any point has this verdict.
    [[nodiscard]] bool has(models::DeadlineVerdict verdict) const;
};

/// "bound-under-assumptions", "hybrid-estimate" or "estimate".
std::string kind_of(const analyzer::ApplicationBounds& bounds);
/// How the limits, or the estimates, lie to the deadline. Requires: one.
std::string margin_phrase(const ApplicationPoint& point);
/// "12 ms", "-3.2 ms" behind the deadline. `Side:` rounded down.
std::string margin_text(std::int64_t margin);
/// To five digits: "30.385 ms".
std::string shown(std::int64_t nanoseconds);
/// "50.1 %"; "-" of nothing.
std::string percent(std::int64_t part, std::int64_t whole);
/// Operations of the critical path that follow each other and have one name and server.
struct PathRow {
    std::string name;
    std::string rank;
    std::string server;
    std::int64_t count = 0;
    std::int64_t time = 0; ///< `Unit:` ns.
};
/// Summed by name and server, largest first.
std::vector<PathRow> path_rows(const ApplicationPoint& point);

std::string text_of(const ApplicationAnswer& answer, bool quiet);
/// One row for each point.
std::string csv_of(const ApplicationAnswer& answer);
/// `{"schema": "warpbound-application/1", ..}`: docs/reference/json.md.
std::string json_of(const ApplicationAnswer& answer);
/// A page with the timeline of the first point.
std::string html_of(const ApplicationAnswer& answer);

} // namespace warpbound::cli
