#include "cli/bounds/code_bounds.hpp"

#include "analyzer/launch/needs.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/bounds/launch_analysis.hpp"

#include <fmt/format.h>

namespace warpbound::cli {

Result<BoundedCode> bound_code(const CodeToBound& code) {
    AnalysisOptions options;
    options.launch.kernel.file = code.file;
    options.launch.kernel.kernel = code.kernel;
    options.launch.kernel.takes_facts = true;
    options.launch.kernel.takes_amd = true;
    options.launch.kernel.flow_facts = code.flow_facts;
    options.launch.machine.architecture = code.machine;
    options.launch.launch.launch = code.launch;
    options.launch.arguments = code.arguments;
    options.policy = code.policy;
    options.multiprocessors = code.multiprocessors;
    const auto inputs = load_launch(options.launch);
    if (!inputs) return inputs.as_failure();
    auto planned = analysis_of(options, inputs.value());
    if (!planned) return planned.as_failure();
    planned.value().request.follow_branches = true;
    planned.value().request.may_share_caches = true; // Stages and kernels may overlap.
    const auto needs = analyzer::needs_of(planned.value().request);
    if (!needs) return needs.as_failure();
    if (!needs.value().empty())
        return Failure{fmt::format(
            "{}; `warpbound bound {}{} --gpu {} --launch {}` lists what to state",
            needs.value().front().what, code.file,
            code.kernel.empty() ? "" : " --kernel " + code.kernel, code.machine, code.launch)};
    auto analysis = analyzer::analyze(planned.value().request);
    if (!analysis) return analysis.as_failure();
    const auto& request = planned.value().request;
    std::optional<Result<models::PerMemory<std::int64_t>>> traffic;
    if (code.bounds_traffic) {
        auto found = unless_stopped([&] { return analyzer::bound_traffic(request); }, 1.0);
        traffic = found ? std::move(*found) : Failure{"a limit stopped the analysis before it"};
    }
    return BoundedCode{analysis.value().execution_time.bounds(),
                       std::move(analysis.value().assumptions),
                       {.kernel_digest = inputs.value().kernel->program.digest,
                        .kernel = request.function->name,
                        .launch = request.launch,
                        .machine_digest = request.architecture->digest,
                        .policy = to_string(request.policy),
                        .multiprocessors = request.multiprocessors},
                       std::move(traffic)};
}

} // namespace warpbound::cli
