#pragma once
/// \file
/// The answer of `pipeline`: latency, verdict and margin of each pipeline, then why.

#include "analyzer/pipeline/latency.hpp"
#include "analyzer/pipeline/sensitivity.hpp"
#include "cli/command.hpp"
#include "harness/pipeline/pipeline_simulation.hpp"
#include "models/pipeline/system.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

struct PipelineAnswer {
    models::PipelineSystem system;
    analyzer::SystemLatency together;           ///< All pipelines and clients.
    std::vector<analyzer::SystemLatency> alone; ///< Each pipeline without the others.
    std::vector<analyzer::Assumption> assumptions;
    std::optional<analyzer::Sensitivity> sensitivity;
    bool wants_sensitivity = false;
    std::int64_t runs = 0;                           ///< Simulated.
    std::vector<harness::ObservedPipeline> observed; ///< Shape: [pipeline]; empty without runs.

    /// A simulated latency outside the bounds.
    [[nodiscard]] bool is_refuted() const;
    /// "no-upper-bound", "hybrid-estimate" where a time was measured, "bound-under-assumptions".
    [[nodiscard]] std::string kind(std::size_t pipeline) const;
};

/// What needs attention first: violated or refuted, incomplete, undecided.
Exit exit_of(const PipelineAnswer& answer);

std::string text_of(const PipelineAnswer& answer, bool quiet);
/// `{"schema": "warpbound-pipeline/1", ..}`: docs/reference/json.md.
std::string json_of(const PipelineAnswer& answer);

} // namespace warpbound::cli
