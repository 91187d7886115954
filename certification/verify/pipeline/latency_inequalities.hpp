#pragma once
/// \file
/// Whether the claims on a system hold together (S62): arrivals, response times, ends, jobs one
/// after another, latency and verdict.

#include "certification/verify/pipeline/traffic.hpp"

#include <string>

namespace warpbound::certification::verify {

/// Throws `Finding` for the first claim that does not follow from the description and the other
/// claims. All that hold together bound every job: the smallest fixed point is not above them.
void check_latencies(const ClaimedSystem& of);

/// "met", "violated" or "undecided"; empty without a deadline.
std::string verdict_of(const models::Pipeline& pipeline, const ClaimedPipeline& claimed);
/// Of all pipelines: "violated", "undecided", "holds"; "none" without a deadline.
std::string verdict_of(const ClaimedSystem& of);

} // namespace warpbound::certification::verify
