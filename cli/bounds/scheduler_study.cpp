#include "cli/bounds/scheduler_study.hpp"

#include "analyzer/analyze.hpp"
#include "harness/protocol/schedules.hpp"

#include <utility>

namespace warpbound::cli {

namespace {

/// Whether the run has few enough warps and issues for a timeline.
bool is_drawable(const models::Launch& launch, const harness::ScheduledRun& run) {
    constexpr std::int64_t most_threads = 64 * 32;
    constexpr std::int64_t most_instructions = 1'000'000;
    return launch.blocks <= most_threads && launch.threads <= most_threads &&
           launch.blocks * launch.threads <= most_threads && run.instructions <= most_instructions;
}

} // namespace

Result<certification::PolicyResult>
study_policy(const harness::Protocol& protocol, const LoadedLaunch& inputs,
             std::int64_t multiprocessors, const models::WarpPolicy& policy,
             std::vector<analyzer::Assumption>& assumptions, bool& complete) {
    certification::PolicyResult result;
    result.policy = models::to_string(policy);
    result.guarantee = std::string{models::to_string(models::guarantee_of(policy))};
    analyzer::Request request;
    request.function = inputs.kernel->function;
    request.graph = &inputs.kernel->graph;
    request.architecture = &inputs.architecture;
    request.facts = &inputs.kernel->facts;
    request.launch = inputs.launch;
    request.multiprocessors = multiprocessors;
    request.policy = policy;
    const auto analysis = analyzer::analyze(request);
    if (analysis) {
        result.bounds = analysis.value().execution_time.bounds();
        assumptions = analysis.value().assumptions;
    } else {
        result.refusal = analysis.error().what;
    }
    const auto machine = harness::simulator::Machine::prepare(
        inputs.architecture, inputs.launched(), policy, multiprocessors);
    if (!machine) return machine.as_failure();
    ProgressBar bar{"simulating " + result.policy};
    const auto runs =
        harness::run_schedules(*machine.value(), protocol, worker_threads(), bar.callback());
    if (!runs) return runs.as_failure();
    complete = complete && static_cast<std::int64_t>(runs.value().size()) == protocol.repetitions;
    if (runs.value().empty()) return result;
    result.observed = harness::summarise_schedules(runs.value());
    const std::int64_t worst = result.observed.worst_run;
    if (is_drawable(inputs.launch, runs.value()[static_cast<std::size_t>(worst)])) {
        auto timeline = harness::timeline_of(*machine.value(), protocol, worst);
        if (!timeline) return timeline.as_failure();
        result.slowest = std::move(timeline).value();
    }
    return result;
}

} // namespace warpbound::cli
