#pragma once
/// \file
/// What `bound` and `analyze` share: the options of an analysis, its request and its report.

#include "analyzer/analyze.hpp"
#include "assembly/support/stop_token.hpp"
#include "certification/report/report.hpp"
#include "cli/program/command.hpp"
#include "models/time/clock.hpp"
#include "models/time/deadline.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::cli {

/// A launch, what schedules it, and in which times it is asked for.
struct AnalysisOptions {
    LaunchOptions launch;
    std::string policy = "unknown";
    std::string multiprocessors = "all";
    std::string clock;    ///< Empty: that of the description.
    std::string deadline; ///< Empty: none.
    std::uint64_t seed = 1;

    void add_to(CLI::App& command);
};

/// `warpbound certify ..` for this analysis, without the folder of the evidence.
std::string certify_command(const AnalysisOptions& options);

/// Those that differ from their defaults, beside the launch: " --policy gto --deadline 10ms".
std::string stated_options(const AnalysisOptions& options);

/// The request that the options make of a loaded launch, and the times of its report.
struct LaunchAnalysis {
    analyzer::Request request; ///< Points into the loaded launch.
    std::optional<models::Clock> clock;
    std::optional<models::Deadline> deadline;
};
Result<LaunchAnalysis> analysis_of(const AnalysisOptions& options, const LoadedLaunch& inputs);

/// The report with clock, deadline, inputs and solver. Where the deadline is not met anyway, it
/// names what a limit stopped. `scope`: of the analysis.
certification::Report report_of(const AnalysisOptions& options, const LoadedLaunch& inputs,
                                const LaunchAnalysis& planned, const analyzer::Analysis& analysis,
                                const StopScope& scope);

} // namespace warpbound::cli
