#pragma once
/// \file
/// `pipeline --evidence`: the bundle of a system, with one of the kernels whose code was bounded.

#include "certification/pipeline/evidence/pipeline_evidence.hpp"

#include <optional>
#include <string>

namespace warpbound::cli {

/// `system`: with its times, as `complete_times` gives them. `description`: its text. `key`: PEM
/// file of the signature, or empty. Refuses kernels without evidence and systems without upper
/// bounds. The system of the bundle has the times that have evidence: a kernel's may be longer than
/// the analysis alone finds. Nothing where the time of the innermost `StopScope` ends before the
/// evidence is whole: it never depends on how much time there was.
Result<std::optional<certification::PipelineBundle>>
pipeline_bundle(const models::PipelineSystem& system, const std::string& description,
                const std::string& key);

} // namespace warpbound::cli
