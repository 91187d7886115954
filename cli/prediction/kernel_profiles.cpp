#include "cli/prediction/kernel_profiles.hpp"

#include "harness/simulator/paths/path_chooser.hpp"
#include "models/formulas/prediction/representative.hpp"
#ifdef WARPBOUND_HAS_ANALYZER
#include "analyzer/analyze.hpp"
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
    profile.shared_memory = kernel.function->shared_memory;
    profile.digest = kernel.program.digest;
    return profile;
}

/// Number of paths drawn; odd, so that the median is one of them.
constexpr std::int64_t drawn_paths = 9;

/// A path, the number of instructions it executes, and of loops that it enters; no blocks when the
/// path is too long.
struct DrawnPath {
    std::size_t instructions = 0;
    std::int64_t loops = 0;
    std::vector<std::size_t> blocks;
};

Result<DrawnPath> draw_path(const LoadedKernel& kernel,
                            const harness::simulator::PathChooser& chooser, std::uint64_t seed) {
    using namespace harness::simulator;
    const RandomSource random_source{harness::Draw::Uniform,
                                     RandomStream{seed, StreamOf::WarpPath, 0}};
    auto walk = chooser.choose(random_source, random_source);
    if (!walk) return walk.as_failure();
    DrawnPath path;
    std::vector<bool> seen(kernel.graph.blocks.size(), false);
    const auto visit = [&](std::size_t block) {
        if (seen[block]) return;
        seen[block] = true;
        path.loops += std::ranges::count(kernel.graph.loops, block, &assembly::Loop::header);
    };
    for (bool ended = false; !ended; ended = walk.value().advance().ends) {
        const auto& block = kernel.graph.blocks[walk.value().block()];
        path.blocks.push_back(walk.value().block());
        visit(walk.value().block());
        path.instructions += block.last - block.first + 1;
        if (path.instructions > models::profile_step_limit) {
            path.blocks.clear();
            return path;
        }
    }
    return path;
}

/// The path with the median number of executed instructions among paths that the simulated device
/// would draw, and of these among those that enter most loops: a thread that leaves early is not
/// typical of the others.
Result<std::vector<std::size_t>> typical_path(const LoadedKernel& kernel, std::uint64_t seed) {
    if (!kernel.facts.divergents.empty())
        return Failure{fmt::format("lanes may diverge at 0x{:04x}; a profile follows one path",
                                   kernel.facts.divergents.front().at),
                       kernel.facts.name, kernel.facts.divergents.front().from.line, 0};
    const auto chooser = harness::simulator::PathChooser::make(kernel.graph, kernel.facts);
    if (!chooser) return chooser.as_failure();
    std::vector<DrawnPath> paths;
    for (std::int64_t index = 0; index < drawn_paths; ++index) {
        auto path = draw_path(kernel, chooser.value(), harness::seed_of_run(seed, index));
        if (!path) return path.as_failure();
        paths.push_back(std::move(path).value());
    }
    const std::int64_t most_loops = std::ranges::max(paths, {}, &DrawnPath::loops).loops;
    std::erase_if(paths, [&](const DrawnPath& path) { return path.loops < most_loops; });
    std::ranges::stable_sort(paths, {}, &DrawnPath::instructions);
    DrawnPath& middle = paths[paths.size() / 2];
    if (middle.blocks.empty())
        return Failure{fmt::format("a typical path executes more than {} instructions",
                                   models::profile_step_limit),
                       kernel.function->name};
    return std::move(middle.blocks);
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

Result<KernelProfiles> read_profiles(const std::vector<std::string>& files,
                                     const models::prediction::Setting& setting) {
    namespace prediction = models::prediction;
    std::vector<models::NamedProfile> warps;
    for (const auto& file : files) {
        const auto source = assembly::read_source(file);
        if (!source) return source.as_failure();
        auto profile = models::read_profile(source.value());
        if (!profile) return profile.as_failure();
        if (!warps.empty() && warps.front().name != profile.value().name)
            return Failure{fmt::format("a profile of '{}'; expected one of another warp of '{}'",
                                       profile.value().name, warps.front().name),
                           file};
        warps.push_back(std::move(profile).value());
    }
    if (warps.size() == 1) {
        const Result<models::NamedProfile> only{warps.front()};
        return KernelProfiles{only, only, only,
                              fmt::format("{} of {}",
                                          warps.front().steps.empty() ? "instruction counts"
                                                                      : "executed instructions",
                                          files.front())};
    }
    std::string origin =
        fmt::format("executed instructions of {} warps; representative", warps.size());
    const auto chosen = [&](prediction::Variant variant) -> Result<models::NamedProfile> {
        const auto found = prediction::representative_of(warps, setting, variant);
        if (!found) return found.as_failure();
        const std::string& file = files[found.value().warp];
        origin += fmt::format("{} {} ({}, in the cluster of {})", origin.back() == ')' ? "," : "",
                              file, prediction::to_string(variant), found.value().cluster_size);
        return warps[found.value().warp];
    };
    KernelProfiles profiles{chosen(prediction::Variant::Best),
                            chosen(prediction::Variant::Typical),
                            chosen(prediction::Variant::Worst),
                            {}};
    if (!profiles.best && !profiles.typical && !profiles.worst) return profiles.worst.as_failure();
    profiles.origin = origin;
    return profiles;
}

Result<KernelProfiles>
profiles_of_listing(const LoadedKernel& kernel,
                    [[maybe_unused]] const models::Architecture& architecture, std::uint64_t seed) {
    const Failure absent{"this build has no analyzer to find the path"};
    KernelProfiles profiles{absent, absent, absent,
                            fmt::format("paths of {}: shortest and longest by analysis, typical "
                                        "the median of {} drawn at random, of those that "
                                        "enter most loops",
                                        kernel.function->name, drawn_paths)};
    const auto path = typical_path(kernel, seed);
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
