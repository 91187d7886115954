#pragma once
/// \file
/// Claims on pipelines as a bundle holds them: bounds, and the fixed point that they are.

#include "analyzer/pipeline/latency.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "models/pipeline/system.hpp"

namespace warpbound::certification {

/// One object for each pipeline: bounds, verdict, and the numbers of each stage.
/// Requires: upper bounds.
Json pipeline_claims(const models::PipelineSystem& system, const analyzer::SystemLatency& latency);

/// "violated", "undecided", "holds"; "none" where no deadline is stated.
std::string verdict_on_all(const models::PipelineSystem& system,
                           const analyzer::SystemLatency& latency);

} // namespace warpbound::certification
