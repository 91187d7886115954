#pragma once
/// \file
/// Phrases that the renderings of a pipeline report share, so that each number has the same name
/// everywhere.

#include "certification/pipeline/pipeline_report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::certification {

/// To four digits, never below (above) the time. `Unit:` ns.
std::string at_most_text(std::int64_t nanoseconds);
std::string at_least_text(std::int64_t nanoseconds);

/// "1 pipeline, 2 best-effort clients".
std::string contents_phrase(const models::PipelineSystem& system);
/// "every 10 ms, jitter 0 ns".
std::string releases_phrase(const models::Pipeline& pipeline);
/// "met", "met as a hybrid estimate", .. Requires: a deadline.
std::string verdict_phrase(const PipelineReport& report, std::size_t pipeline);
/// "margin 2.5 ms", "every job ends after it", .. Requires: a deadline.
std::string margin_phrase(const PipelineReport& report, std::size_t pipeline);
/// "none outside the bounds", .. Requires: simulated runs.
std::string comparison_phrase(const PipelineReport& report, std::size_t pipeline);
/// "host", or the name of the server.
const std::string& server_name(const PipelineReport& report, const models::PipelineStage& stage);

/// "display/detect, display/show"; empty: none.
std::string stages_phrase(const std::vector<analyzer::StageName>& stages);

/// "37.5 %", "0.0 %, without clients" where operations of clients are not counted.
std::string in_use_phrase(const PipelineReport& report, std::size_t server);
/// "estimate: at most 0.0012 of the jobs (95 %: 0 to 0.03); .." or why it is not estimated.
std::string misses_phrase(const analyzer::MissProbability& misses);
/// "estimated below the tolerated 0.001", ..; empty: nothing is tolerated or estimated.
std::string tolerance_phrase(const models::Pipeline& pipeline,
                             const analyzer::MissProbability& misses);

} // namespace warpbound::certification
