#pragma once
/// \file
/// Claims on pipelines as a bundle holds them: bounds, and the fixed point that they are.

#include "analyzer/pipeline/latency.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "models/pipeline/system.hpp"

#include <string>

namespace warpbound::certification {

/// One object for each pipeline: bounds, verdict, and the numbers of each stage.
/// Requires: upper bounds.
Json pipeline_claims(const models::PipelineSystem& system, const analyzer::SystemLatency& latency);

/// "hybrid-estimate" where a time was measured: of all that depends on it, verdicts included. Else
/// "bound-under-assumptions".
std::string kind_of_claims(const models::PipelineSystem& system);

/// "violated", "undecided", "holds"; "none" where no deadline is stated.
std::string verdict_on_all(const models::PipelineSystem& system,
                           const analyzer::SystemLatency& latency);

} // namespace warpbound::certification
