#include "cli/kernel_profiles.hpp"

#include "harness/simulator/machine.hpp"
#ifdef WARPBOUND_HAS_ANALYZER
#include "analyzer/analysis.hpp"
#endif

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::cli {

namespace {

Result<models::NamedProfile> profile_along(const LoadedKernel& kernel,
                                           const std::vector<std::size_t>& path) {
    auto steps = models::steps_along(*kernel.function, kernel.graph, path, kernel.facts);
    if (!steps) return steps.as_failure();
    models::NamedProfile profile;
    profile.name = kernel.function->name;
    profile.steps = std::move(steps).value();
    profile.counts = models::counts_of(profile.steps);
    if (kernel.function->register_count) profile.registers = *kernel.function->register_count;
    profile.digest = kernel.program.digest;
    return profile;
}

/// Runs whose paths are compared: odd, so that one is in the middle.
constexpr std::int64_t typical_runs = 9;

/// The blocks that the warp visits in the simulated run with the middle number of executed
/// instructions.
Result<std::vector<std::size_t>> simulated_path(const LoadedKernel& kernel,
                                                const models::Architecture& architecture,
                                                std::uint64_t seed) {
    const harness::Kernel one_warp{kernel.function, &kernel.graph, &kernel.facts,
                                   models::Launch{1, 1}};
    const auto machine = harness::simulator::Machine::prepare(architecture, one_warp);
    if (!machine) return machine.as_failure();
    struct Run {
        std::int64_t instructions = 0;
        std::vector<std::size_t> path;
    };
    std::vector<Run> runs;
    for (std::int64_t index = 0; index < typical_runs; ++index) {
        Run run;
        const harness::RunOptions options{
            harness::seed_of_run(seed, index), harness::Draw::Uniform, {}};
        const auto observed =
            machine.value()->run(options, [&](const harness::simulator::Event& event) {
                const auto* issued = std::get_if<harness::simulator::Issued>(&event);
                if (issued == nullptr) return;
                ++run.instructions;
                if (issued->instruction == kernel.graph.blocks[issued->block].first)
                    run.path.push_back(issued->block);
            });
        if (!observed) return observed.as_failure();
        runs.push_back(std::move(run));
    }
    std::ranges::stable_sort(runs, {}, &Run::instructions);
    return std::move(runs[runs.size() / 2].path);
}

} // namespace

const Result<models::NamedProfile>& KernelProfiles::of(models::prediction::Variant variant) const {
    switch (variant) {
    case models::prediction::Variant::Best:
        return best;
    case models::prediction::Variant::Typical:
        return typical;
    case models::prediction::Variant::Worst:
        break;
    }
    return worst;
}

Result<KernelProfiles> read_profiles(const std::string& file) {
    const auto source = assembly::read_source(file);
    if (!source) return source.as_failure();
    const auto profile = models::read_profile(source.value());
    if (!profile) return profile.as_failure();
    return KernelProfiles{
        profile, profile, profile,
        fmt::format("{} of {}",
                    profile.value().steps.empty() ? "instruction counts" : "executed instructions",
                    file)};
}

Result<KernelProfiles> profiles_of_listing(const LoadedKernel& kernel,
                                           const models::Architecture& architecture,
                                           std::uint64_t seed) {
    const Failure absent{"no path: this build has no analyzer"};
    KernelProfiles profiles{absent, absent, absent,
                            fmt::format("paths of {}: shortest and longest by analysis, typical "
                                        "the middle one of {} simulated runs",
                                        kernel.function->name, typical_runs)};
    const auto path = simulated_path(kernel, architecture, seed);
    if (path)
        profiles.typical = profile_along(kernel, path.value());
    else
        profiles.typical = path.error();
#ifdef WARPBOUND_HAS_ANALYZER
    analyzer::Request request;
    request.function = kernel.function;
    request.graph = &kernel.graph;
    request.architecture = &architecture;
    request.facts = &kernel.facts;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        if (!path) return analysis.as_failure();
        profiles.best = profiles.worst = analysis.error();
        return profiles;
    }
    const auto along = [&kernel](const analyzer::SideResult& side) -> Result<models::NamedProfile> {
        if (side.path.empty())
            return Failure{"the path is longer than 1,000,000 blocks, or the analysis found none",
                           kernel.function->name};
        return profile_along(kernel, side.path);
    };
    profiles.best = along(analysis.value().execution_time.lower);
    profiles.worst = along(analysis.value().execution_time.upper);
#else
    if (!path) return path.as_failure();
#endif
    return profiles;
}

} // namespace warpbound::cli
