#include "cli/bounds/bound_table.hpp"

#include "assembly/support/csv_cell.hpp"
#include "certification/report/stm_graph.hpp"
#include "certification/report/wording.hpp"
#include "models/time/duration.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace warpbound::cli {

namespace {

using analyzer::Side;
using certification::Claim;
using certification::Report;

struct ClaimCells {
    std::string cycles;
    std::string time; ///< ns
};

ClaimCells cells_of(const Report& report, const Claim* claim) {
    if (claim == nullptr) return {};
    const auto time = report.time_of(*claim);
    return {std::to_string(claim->value), time ? std::to_string(time->count()) : ""};
}

std::string missing_of(const BoundAnswer& answer) {
    if (answer.refusal) return "refused: " + answer.refusal->what;
    std::string what;
    for (const auto& need : answer.needs)
        what += (what.empty() ? "needs " : "; ") + need.what;
    return what;
}

std::string csv_row(const BoundAnswer& answer) {
    const std::string kernel = csv_cell(answer.kernel);
    if (!answer.report)
        return fmt::format("{},,,,,,,,,,,{}\n", kernel, csv_cell(missing_of(answer)));
    const Report& report = *answer.report;
    const Claim* upper = report.claim("execution-time", Side::Upper);
    const ClaimCells at_least = cells_of(report, report.claim("execution-time", Side::Lower));
    const ClaimCells at_most = cells_of(report, upper);
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},\n", kernel, csv_cell(certification::launch_text(report)),
        csv_cell(report.architecture), at_least.cycles, at_most.cycles, at_least.time, at_most.time,
        report.clock ? csv_cell(models::to_string(report.clock->range)) : "",
        report.deadline ? csv_cell(models::to_string(*report.deadline)) : "",
        report.deadline ? models::to_string(*report.deadline_verdict()) : std::string_view{"none"},
        upper == nullptr ? "" : certification::to_string(upper->kind));
}

/// A time above 0 that the graph needs.
Result<models::Nanoseconds> needed_time(const std::string& typed, std::string_view what,
                                        std::string_view option, std::string_view example) {
    if (typed.empty())
        return Failure{fmt::format("an STM graph needs {}: {} {}", what, option, example)};
    const auto time = models::parse_duration(typed);
    if (!time) return time.as_failure();
    if (time.value().count() < 1)
        return Failure{fmt::format("{} {}: the time must be above 0", option, typed)};
    return time;
}

Result<models::Nanoseconds> period_of(const std::vector<BoundAnswer>& answers,
                                      const StmOptions& options) {
    if (options.period.empty())
        for (const BoundAnswer& answer : answers)
            if (answer.report && answer.report->deadline && answer.report->deadline->is_time())
                return std::get<models::Nanoseconds>(answer.report->deadline->limit);
    return needed_time(options.period, "the period of its epoch", "--stm-period", "33ms");
}

} // namespace

void StmOptions::add_to(CLI::App& command) {
    command.add_option("--stm-period", period,
                       "Period of the epoch in an STM graph, as 33ms; otherwise the deadline");
    add_submission_to(command);
}

void StmOptions::add_submission_to(CLI::App& command) {
    command.add_option("--stm-submission", submission,
                       "Time that the host takes to launch a kernel, at most, as 50us: the WCET of "
                       "the runnables that submit, in an STM graph");
}

Result<models::Nanoseconds> StmOptions::submission_time() const {
    return needed_time(submission, "the time that the host takes to launch a kernel, at most",
                       "--stm-submission", "50us");
}

std::optional<std::string> table_format_of(const std::string& path) {
    const std::string ending = std::filesystem::path{path}.extension().string();
    if (ending == ".csv") return "csv";
    if (ending == ".yaml" || ending == ".yml") return "stm";
    return std::nullopt;
}

std::string csv_of(const std::vector<BoundAnswer>& answers) {
    std::string text = "kernel,launch,machine,lower bound cycles,upper bound cycles,lower bound ns,"
                       "upper bound ns,clock,deadline,verdict,kind,missing\n";
    for (const BoundAnswer& answer : answers)
        text += csv_row(answer);
    return text;
}

Result<std::string> stm_of(const std::vector<BoundAnswer>& answers, const StmOptions& options,
                           const std::string& name) {
    const auto period = period_of(answers, options);
    if (!period) return period.as_failure();
    const auto submission = options.submission_time();
    if (!submission) return submission.as_failure();
    certification::StmGraph graph{
        name,
        "The WCET of a kernel is its time on the GPU, alone there and without its launch.",
        submission.value(),
        {{name + "_client", period.value(), {}}},
        {}};
    auto& runnables = graph.clients.front().runnables;
    for (const BoundAnswer& answer : answers) {
        if (!answer.report) {
            graph.without_bound.push_back(answer.kernel + ": " + missing_of(answer));
            continue;
        }
        if (!answer.report->clock)
            return Failure{"an STM graph is in seconds and no clock is known: --clock 1590MHz"};
        runnables.push_back(certification::stm_runnable(*answer.report));
    }
    if (runnables.empty())
        return Failure{"no kernel has a bound; an STM graph needs one: " +
                       fmt::format("{}", fmt::join(graph.without_bound, "; "))};
    return certification::render_stm(graph);
}

} // namespace warpbound::cli
