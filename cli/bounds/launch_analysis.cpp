#include "cli/bounds/launch_analysis.hpp"

#include "assembly/support/digest.hpp"
#include "cli/options/clock_options.hpp"
#include "cli/options/multiprocessors.hpp"
#include "cli/output/next_step.hpp"
#include "cli/version.hpp"
#include "models/launch/warp_policy.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <utility>

namespace warpbound::cli {

void AnalysisOptions::add_to(CLI::App& command) {
    launch.add_to(command);
    launch.kernel.takes_amd = true;
    add_policy(command, policy);
    add_multiprocessors(command, multiprocessors);
    add_clock(command, clock);
    add_deadline(command, deadline);
}

std::string certify_command(const AnalysisOptions& options) {
    return fmt::format("warpbound certify {} --policy {} --multiprocessors {}{}",
                       typed(options.launch), shell_word(options.policy), options.multiprocessors,
                       options.clock.empty() ? "" : " --clock " + shell_word(options.clock));
}

std::string stated_options(const AnalysisOptions& options) {
    const AnalysisOptions defaults;
    std::string text;
    const auto add = [&](const char* name, const std::string& stated, const std::string& without) {
        if (stated != without) text += fmt::format(" {} {}", name, shell_word(stated));
    };
    add("--policy", options.policy, defaults.policy);
    add("--multiprocessors", options.multiprocessors, defaults.multiprocessors);
    add("--clock", options.clock, defaults.clock);
    add("--deadline", options.deadline, defaults.deadline);
    return text;
}

Result<LaunchAnalysis> analysis_of(const AnalysisOptions& options, const LoadedLaunch& inputs) {
    LaunchAnalysis planned;
    auto clock = models::clock_in_use(options.clock, inputs.architecture);
    if (!clock) return clock.as_failure();
    planned.clock = std::move(clock).value();
    auto deadline = deadline_of(options.deadline, planned.clock, inputs.architecture);
    if (!deadline) return deadline.as_failure();
    planned.deadline = std::move(deadline).value();
    const auto multiprocessors = multiprocessors_of(options.multiprocessors, inputs.architecture);
    if (!multiprocessors) return multiprocessors.as_failure();
    const auto policy = models::read_policy(options.policy);
    if (!policy) return policy.as_failure();
    analyzer::Request& request = planned.request;
    request.function = inputs.kernel->function;
    request.graph = &inputs.kernel->graph;
    request.architecture = &inputs.architecture;
    request.facts = &inputs.kernel->facts;
    request.launch = inputs.launch;
    request.multiprocessors = multiprocessors.value();
    request.policy = policy.value();
    request.seed = options.seed;
    return planned;
}

namespace {

/// What a limit stopped.
void add_limits(certification::Report& report, const StopScope& scope) {
    for (const auto side : {analyzer::Side::Upper, analyzer::Side::Lower})
        if (const auto* claim = report.claim("execution-time", side);
            claim != nullptr && claim->limit_reached)
            report.undecided.push_back(
                fmt::format("a limit stopped the search for a tighter {} bound; the bound is sound",
                            side == analyzer::Side::Upper ? "upper" : "lower"));
    for (const std::string& step : scope.dropped())
        report.undecided.push_back(
            fmt::format("a limit stopped {}; the bounds are sound without it", step));
}

} // namespace

certification::Report report_of(const AnalysisOptions& options, const LoadedLaunch& inputs,
                                const LaunchAnalysis& planned, const analyzer::Analysis& analysis,
                                const StopScope& scope) {
    const LoadedKernel& kernel = *inputs.kernel;
    certification::Report report =
        certification::report_of(kernel.program, planned.request, analysis);
    report.tool_version = version;
    if (planned.clock)
        certification::use_clock(report, *planned.clock,
                                 fmt::format("A{}", report.assumptions.size() + 1));
    report.deadline = planned.deadline;
    if (report.deadline_verdict() != models::DeadlineVerdict::Met) add_limits(report, scope);
    report.inputs.push_back({"listing", kernel.program.name, kernel.program.digest});
    report.inputs.push_back({"architecture", inputs.architecture.name, inputs.architecture.digest});
    if (!options.launch.kernel.flow_facts.empty())
        report.inputs.push_back(
            {"flow facts", options.launch.kernel.flow_facts, kernel.flow_facts_digest});
    for (const auto& source : kernel.sources)
        report.inputs.push_back({"source", source.name, assembly::digest_of(source.text)});
    if (!analysis.solver.empty()) report.versions.push_back(analysis.solver);
    return report;
}

} // namespace warpbound::cli
