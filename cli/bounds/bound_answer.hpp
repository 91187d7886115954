#pragma once
/// \file
/// The answer of `bound`: time, verdict and what carries it, or what is still needed.

#include "analyzer/launch/needs.hpp"
#include "certification/report/report.hpp"
#include "cli/bounds/launch_analysis.hpp"
#include "cli/program/command.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

/// One kernel: a report, or needs, or a refusal.
struct BoundAnswer {
    std::string kernel;
    std::optional<certification::Report> report;
    std::vector<analyzer::Need> needs;
    /// Of the kernel; none where its file does not describe them.
    std::optional<std::vector<assembly::KernelParameterLayout>> parameters{};
    std::optional<Failure> refusal;
    bool was_stopped = false; ///< By a limit or Ctrl-C; `refusal` names the step.
    /// Steps that a limit ended, without which more is needed than would be.
    std::vector<std::string> dropped{};
};

Exit exit_of(const BoundAnswer& answer);

/// Text: the answer first, then, unless `quiet`, the report.
std::string text_of(const BoundAnswer& answer, bool quiet);
/// The command that follows: evidence, or a file of the facts that are needed.
std::string next_step_of(const BoundAnswer& answer, const AnalysisOptions& options);
/// A row per kernel.
std::string table_of(const std::vector<BoundAnswer>& answers);
/// `{"schema": "warpbound-bound/1", "kernels": [..]}`: docs/reference/json.md.
std::string json_of(const std::vector<BoundAnswer>& answers);

} // namespace warpbound::cli
