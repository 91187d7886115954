#pragma once
/// \file
/// Everything that `pipeline` says of pipelines which share a GPU, as one value; text, JSON, XML,
/// HTML, CSV and a compute graph are renderings of it.

#include "analyzer/pipeline/latency.hpp"
#include "analyzer/pipeline/miss_probability.hpp"
#include "analyzer/pipeline/sensitivity.hpp"
#include "harness/pipeline/pipeline_simulation.hpp"
#include "models/pipeline/system.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

struct PipelineReport {
    std::string tool_version;
    models::PipelineSystem system;
    analyzer::SystemLatency together;           ///< All pipelines and clients.
    std::vector<analyzer::SystemLatency> alone; ///< Each pipeline without the others.
    std::vector<analyzer::PipelineAssumption> assumptions;
    std::optional<analyzer::Sensitivity> sensitivity;
    bool wants_sensitivity = false;
    std::int64_t runs = 0;                           ///< Simulated.
    std::vector<harness::ObservedPipeline> observed; ///< Shape: [pipeline]; empty without runs.
    /// Shape: [pipeline]; none: no stage has samples.
    std::vector<std::optional<analyzer::MissProbability>> misses;

    /// A simulated latency outside its bounds, of the pipeline or of any.
    [[nodiscard]] bool is_refuted(std::size_t pipeline) const;
    [[nodiscard]] bool is_refuted() const;
    /// "no-upper-bound", "hybrid-estimate" where a time was measured, "bound-under-assumptions".
    [[nodiscard]] std::string kind(std::size_t pipeline) const;
    [[nodiscard]] const analyzer::LatencyBounds& alone_of(std::size_t pipeline) const {
        return alone[pipeline].pipelines.front();
    }
    /// Whether a pipeline shares the device with another one or with a client.
    [[nodiscard]] bool has_others() const {
        return system.pipelines.size() > 1 || !system.clients.empty();
    }
    /// None: no deadline is stated.
    [[nodiscard]] std::optional<models::DeadlineVerdict> verdict(std::size_t pipeline) const {
        return analyzer::verdict_on(system.pipelines[pipeline], together.pipelines[pipeline]);
    }
};

/// Where the time of a stage goes in its worst case. `Unit:` ns.
struct StageBudget {
    std::int64_t own = 0;
    std::int64_t queue = 0;  ///< Of its server.
    std::int64_t memory = 0; ///< Traffic of others.
    /// Of the latency bound, from the end of the stage before; 0 for a stage off the chain. The
    /// shares of the chain and of the jitter sum to 1.
    double share = 0;
    bool is_on_chain = false;
};
/// Requires: an upper bound.
StageBudget budget_of(const PipelineReport& report, std::size_t pipeline, std::size_t stage);

std::string render_text(const PipelineReport& report, bool quiet);
/// `{"schema": "warpbound-pipeline/1", ..}`: docs/reference/json.md.
std::string render_json(const PipelineReport& report);
std::string render_xml(const PipelineReport& report); ///< schema/pipeline-report.xsd.
std::string render_csv(const PipelineReport& report); ///< A row per stage (RFC 4180).
/// One self-contained page that is also well-formed XML.
std::string render_html(const PipelineReport& report);

} // namespace warpbound::certification
