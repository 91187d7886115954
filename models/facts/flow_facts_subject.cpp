// The listing and the launch that flow facts are about.
#include "models/facts/flow_facts.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace warpbound::models {

Result<void> check_written_for(const FlowFacts& facts, const std::string& kernel,
                               const std::string& listing) {
    if (facts.program_digest.empty())
        return Failure{fmt::format("these flow facts name no listing digest; this listing has "
                                   "digest=\"{}\"",
                                   listing),
                       facts.name};
    if (facts.program_digest != listing)
        return Failure{fmt::format("these flow facts are for a listing with digest {}; this one "
                                   "has {}",
                                   facts.program_digest, listing),
                       facts.name};
    if (facts.kernel != kernel)
        return Failure{
            fmt::format("these flow facts are for kernel '{}', not for '{}'", facts.kernel, kernel),
            facts.name};
    return boost::outcome_v2::success();
}

namespace {

/// The thread blocks of the box have to be blocks of the grid. Where no grid is stated, indices are
/// not known: only the box of all blocks is.
Result<void> check_box(const FlowFacts& facts, const Launch& launch) {
    if (!facts.representative) return boost::outcome_v2::success();
    const RepresentativeFact& fact = *facts.representative;
    const std::array<std::int64_t, 3> extents =
        launch.grid ? launch.grid->blocks : std::array<std::int64_t, 3>{launch.blocks, 1, 1};
    const auto shown = [](const std::array<std::int64_t, 3>& index) {
        return fmt::format("{},{},{}", index[0], index[1], index[2]);
    };
    for (std::size_t dimension = 0; dimension < extents.size(); ++dimension)
        if (fact.first[dimension] < 0 || fact.first[dimension] > fact.last[dimension] ||
            fact.last[dimension] >= extents[dimension])
            return refused(facts, fact.from,
                           fmt::format("<representative>: the thread blocks {} to {} are not all "
                                       "of the launch {}, whose grid is {}",
                                       shown(fact.first), shown(fact.last), to_string(launch),
                                       shown(extents)));
    if (!launch.grid && fact.blocks() != launch.blocks)
        return refused(
            facts, fact.from,
            fmt::format("<representative>: which thread blocks {} to {} are is not known "
                        "of the launch {}; state its grid (--grid X,Y,Z)",
                        shown(fact.first), shown(fact.last), to_string(launch)));
    return boost::outcome_v2::success();
}

} // namespace

Result<void> check_written_for(const FlowFacts& facts, const Launch& launch) {
    if (auto boxed = check_box(facts, launch); !boxed) return boxed;
    if (auto differs = contradiction(facts.conditions, launch))
        return Failure{*std::move(differs), facts.name};
    return boost::outcome_v2::success();
}

} // namespace warpbound::models
