#pragma once
/// \file
/// How often jobs of a pipeline miss their deadline, estimated from observed own times of stages
/// (docs/theory, S63).

#include "analyzer/pipeline/latency.hpp"
#include "models/estimate.hpp"
#include "models/pipeline/system.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

struct MissRate; ///< Share of the jobs that miss the deadline.

/// A stage whose observed times the estimate uses.
struct SampledStage {
    std::size_t stage = 0;
    std::int64_t count = 0; ///< Of samples.
    double band = 0;        ///< Half width of the confidence band of its distribution function.
};

/// Estimate, not a bound. The chance that own times as observed, with queues and traffic of others
/// at their bounds, end after the deadline. `Side:` the real share of late jobs may be lower; it is
/// not higher as far as the samples, the dependence and the assumptions are right.
struct MissProbability {
    models::Estimate<MissRate> value{0};
    models::Estimate<MissRate> upper{0}; ///< `value` is below it with this confidence.
    double confidence = 0.95;
    models::Dependence dependence = models::Dependence::Unknown;
    std::vector<SampledStage> stages;
    std::string refusal; ///< Why there is no value; empty: there is one.
};

/// Own times of a stage, alone on the device. `Unit:` ns. Shape: `samples[stage][run]`.
using ObservedOwnTimes = std::vector<std::vector<std::int64_t>>;

/// None: the pipeline has no samples. Stages without samples take their longest time. The upper
/// end is that of Dvoretzky, Kiefer, Wolfowitz and Massart for each stage, at a joint 95 %
/// (Bonferroni).
/// Sound when: runs are independent of each other and represent operation.
/// Requires: a deadline; no sample outside the own times of its stage.
/// Source: Massart 1990, corollary 1; models/statistics/discrete_distribution.hpp.
std::optional<MissProbability> miss_probability(const models::Pipeline& pipeline,
                                                const LatencyBounds& bounds,
                                                const ObservedOwnTimes& samples);

/// An estimate against the tolerated rate of a soft deadline.
enum class ToleranceVerdict {
    Below,     ///< With the stated confidence at most the tolerated rate.
    Undecided, ///< No lower end is estimated: nothing shows that it is above.
};
/// "estimated below", "not decided by the samples".
std::string_view to_string(ToleranceVerdict verdict);
/// None: no rate is tolerated, or there is no estimate.
std::optional<ToleranceVerdict> verdict_on(const models::Pipeline& pipeline,
                                           const MissProbability& estimate);

/// What the estimates rest on beside the bounds. Empty without samples.
std::vector<PipelineAssumption> sample_assumptions(const models::PipelineSystem& system);

} // namespace warpbound::analyzer
