#pragma once
/// \file
/// Evidence for the latency of pipelines that share a GPU (docs/reference/evidence-format.md).

#include "analyzer/pipeline/latency.hpp"
#include "certification/bundle/evidence_file.hpp"
#include "certification/pipeline/evidence/pipeline_inputs.hpp"

#include <string>

namespace warpbound::certification {

/// Format of a bundle about pipelines.
inline constexpr const char* pipeline_evidence_format = "warpbound-pipeline-evidence/1";

struct PipelineBundle {
    EvidenceFiles files; ///< With the manifest.
    std::string report_id;
    models::PipelineSystem system; ///< With the times that have evidence.
    std::string verdict;           ///< "holds", "violated", "undecided"; "none": no deadline.
};

/// Refuses a system without upper bounds, naming what is missing: a lower bound needs no evidence.
Result<PipelineBundle> build_pipeline_bundle(const PipelineInputs& inputs);

/// Whether files are those of a pipeline, by the format of their manifest.
bool is_pipeline_bundle(const std::map<std::string, std::string>& files);
/// The files of a bundle made again from its inputs; the bundle of kernels is taken as it is.
Result<std::map<std::string, std::string>>
rebuild_pipeline_bundle(const std::map<std::string, std::string>& files);

} // namespace warpbound::certification
