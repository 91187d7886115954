#pragma once
/// \file
/// End-to-end latency of pipelines that share a GPU (docs/theory, S60 to S62).

#include "analyzer/bound.hpp"
#include "analyzer/pipeline/memory_interference.hpp"
#include "models/bounds.hpp"
#include "models/pipeline/system.hpp"
#include "models/time/deadline.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// A stage of a job, in its worst case. All but `response` and its parts count from the nominal
/// instant of the job. `Unit:` ns. `Side:` upper, `earliest` lower.
struct StageLatency {
    std::int64_t earliest = 0; ///< Arrival at its server, at least.
    std::int64_t latest = 0;   ///< Arrival at its server, at most.
    std::int64_t response = 0; ///< From arrival to end: own time, queueing and `memory`.
    std::int64_t memory = 0;   ///< Delay by others' traffic at the L2 and DRAM.
    std::int64_t end = 0;
};

/// From the nominal instant of a job to the end of its last stage.
struct LatencyBounds {
    std::int64_t lower = 0; ///< `Unit:` ns.
    /// `Unit:` ns. None: `SystemLatency::missing` or `refusal` says why.
    std::optional<std::int64_t> upper;
    std::vector<StageLatency> stages; ///< Shape: [stage]. Upper sides are 0 without `upper`.
    std::vector<std::size_t> chain;   ///< Stages that lead to the latest end, first to last.
};

struct SystemLatency {
    std::vector<LatencyBounds> pipelines;
    /// What is not stated and decides about upper bounds, with what to type.
    std::vector<std::string> missing;
    std::string refusal;             ///< Why no upper bound exists although nothing is missing.
    std::vector<double> utilisation; ///< Shape: [server]. For reports only.
};

/// Bounds of all pipelines together. Sound when: the assumptions of `pipeline_assumptions` hold.
/// Requires: every stage has a time.
SystemLatency bound_latency(const models::PipelineSystem& system);

/// What makes the bounds of a stage a fixed point, for evidence. `Unit:` ns.
struct StageFixedPoint {
    std::int64_t busy_period = 0;     ///< 0: its server serves one job at a time (S61).
    std::vector<std::int64_t> starts; ///< By priority: of each job of its busy period.
    MemoryInterference memory;        ///< Traffic of others beside it.
};
/// Shape: [pipeline][stage]. Empty parts for host tasks. Requires: `bound_latency` has upper
/// bounds.
std::vector<std::vector<StageFixedPoint>> fixed_point_of(const models::PipelineSystem& system);

/// A stated deadline against the bounds. None without a deadline.
std::optional<models::DeadlineVerdict> verdict_on(const models::Pipeline& pipeline,
                                                  const LatencyBounds& bounds);

/// A stage, as a report names it.
struct StageName {
    std::string pipeline;
    std::string stage;

    friend bool operator==(const StageName&, const StageName&) = default;
};
/// "display/detect".
std::string to_string(const StageName& name);

/// An assumption on a system of pipelines.
struct PipelineAssumption : Assumption {
    std::vector<StageName> stages{}; ///< That it speaks of; none: it is not about single stages.
};

/// What the bounds of the system rest on.
std::vector<PipelineAssumption> pipeline_assumptions(const models::PipelineSystem& system);

} // namespace warpbound::analyzer
