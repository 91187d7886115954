#pragma once
/// \file
/// Times of stages when nothing else uses the device: as stated, from the described machine, or
/// from what the bundle of kernels claims; and the traffic that follows from their code.

#include "certification/verify/evidence.hpp"
#include "certification/verify/pipeline/claimed_pipelines.hpp"
#include "certification/verify/verdict.hpp"
#include "models/architecture/architecture.hpp"
#include "models/pipeline/system.hpp"

#include <optional>
#include <string>

namespace warpbound::certification::verify {

/// What the times of a system may follow from, besides its description.
struct TimeSources {
    std::optional<models::Architecture> machine;
    std::string machine_text;
    Files kernel_files; ///< Of the bundle of kernels; empty: none.
    Evidence kernels;
};

/// Compares the claimed times and traffic with their sources and gives them to the stages.
/// Throws `Finding`: failed where one does not follow, incomplete where its source is missing.
void check_own_times(models::PipelineSystem& system, const ClaimedPipelines& claims,
                     const TimeSources& sources);

} // namespace warpbound::certification::verify
