#pragma once
/// \file
/// What is known of a launch before its time is bounded: the analysis context that both sides
/// share.

#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/launch/footprint.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/memory_parameters.hpp"
#include "analyzer/request.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

struct AnalysisContext {
    const Request& request;
    ResolvedFacts facts;
    LaunchGeometry shape;
    std::vector<Result<models::InstructionTiming>> timings;
    std::vector<bool> used; ///< Per instruction: on a path that the facts allow.
    models::Interval buffer_entries{0, 0, 0};
    models::Interval buffer_drain{0, 0, 0};
    std::optional<MemoryParameters> caches; ///< Where an access goes through them.
    std::optional<Footprint> footprint;     ///< By accesses through them, where it can be listed.
    Deadline deadline;
};

/// A failure that names the instruction.
Failure refuse_at(const AnalysisContext& context, std::size_t instruction, const std::string& what);

/// Whether every scheduler chooses somebody whenever one of its warps may issue: by its policy, or
/// because its warps are so few.
bool conserves_work(const Request& request, const LaunchGeometry& shape);

} // namespace warpbound::analyzer
