#include "analyzer/pipeline/miss_probability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace warpbound::analyzer {

namespace {

using models::DiscreteDistribution;
using models::Pipeline;

constexpr double joint_error = 0.05; ///< Of all bands together, both sides.

/// Half width of the band about an empirical distribution function. Source: Massart 1990,
/// corollary 1: P(sup |F_n - F| > e) <= 2 exp(-2 n e^2).
double band_of(std::size_t samples, std::size_t stages) {
    const double error = joint_error / static_cast<double>(stages);
    return std::min(1.0, std::sqrt(std::log(2 / error) / (2 * static_cast<double>(samples))));
}

/// Which edge of the confidence bands the own times are taken from.
enum class Edge { Middle, Upper };

class LatencyDistribution {
public:
    LatencyDistribution(const Pipeline& pipeline, const LatencyBounds& bounds,
                        const ObservedOwnTimes& samples, const std::vector<SampledStage>& sampled)
        : pipeline_{pipeline}, bounds_{bounds}, samples_{samples}, sampled_{sampled} {}

    [[nodiscard]] double beyond(std::int64_t deadline, Edge edge) const {
        std::vector<DiscreteDistribution> ends;
        std::vector<bool> is_last(pipeline_.stages.size(), true);
        for (std::size_t i = 0; i < pipeline_.stages.size(); ++i) {
            const auto& after = pipeline_.stages[i].after;
            for (const std::size_t before : after)
                is_last[before] = false;
            const auto start = after.empty()
                                   ? DiscreteDistribution::constant(pipeline_.jitter.count())
                                   : latest_of(ends, after);
            ends.push_back(sum(start, response(i, edge), pipeline_.dependence));
        }
        std::vector<std::size_t> last;
        for (std::size_t i = 0; i < is_last.size(); ++i)
            if (is_last[i]) last.push_back(i);
        return latest_of(ends, last).limited(*bounds_.upper).exceedance(deadline);
    }

private:
    [[nodiscard]] DiscreteDistribution latest_of(const std::vector<DiscreteDistribution>& ends,
                                                 const std::vector<std::size_t>& stages) const {
        DiscreteDistribution latest = ends[stages.front()];
        for (std::size_t i = 1; i < stages.size(); ++i)
            latest = maximum(latest, ends[stages[i]], pipeline_.dependence);
        return latest;
    }

    /// Own time, and the rest of the bound on the response time: queue and traffic of others.
    [[nodiscard]] DiscreteDistribution response(std::size_t stage, Edge edge) const {
        const auto& time = *pipeline_.stages[stage].time;
        const std::int64_t longest = time.upper().count();
        const std::int64_t others =
            std::max<std::int64_t>(0, bounds_.stages[stage].response - longest);
        return own(stage, edge, longest).plus(others);
    }
    [[nodiscard]] DiscreteDistribution own(std::size_t stage, Edge edge,
                                           std::int64_t longest) const {
        const auto sampled =
            std::find_if(sampled_.begin(), sampled_.end(),
                         [&](const SampledStage& each) { return each.stage == stage; });
        if (sampled == sampled_.end()) return DiscreteDistribution::constant(longest);
        const auto seen = DiscreteDistribution::of_samples(samples_[stage]);
        return edge == Edge::Middle ? seen : seen.raised(sampled->band, longest);
    }

    const Pipeline& pipeline_;
    const LatencyBounds& bounds_;
    const ObservedOwnTimes& samples_;
    const std::vector<SampledStage>& sampled_;
};

} // namespace

std::string_view to_string(ToleranceVerdict verdict) {
    constexpr std::array<std::string_view, 2> names{"estimated below",
                                                    "not decided by the samples"};
    return names.at(static_cast<std::size_t>(verdict));
}

std::optional<MissProbability> miss_probability(const Pipeline& pipeline,
                                                const LatencyBounds& bounds,
                                                const ObservedOwnTimes& samples) {
    MissProbability found;
    found.dependence = pipeline.dependence;
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (!samples[i].empty())
            found.stages.push_back({i, static_cast<std::int64_t>(samples[i].size()), 0});
    if (found.stages.empty()) return std::nullopt;
    for (SampledStage& stage : found.stages)
        stage.band = band_of(samples[stage.stage].size(), found.stages.size());
    if (!bounds.upper) {
        found.refusal = "queues and traffic of others have no bound";
        return found;
    }
    const LatencyDistribution latency{pipeline, bounds, samples, found.stages};
    const std::int64_t deadline = pipeline.deadline->count();
    found.value = models::Estimate<MissRate>{latency.beyond(deadline, Edge::Middle)};
    found.upper = models::Estimate<MissRate>{latency.beyond(deadline, Edge::Upper)};
    return found;
}

std::optional<ToleranceVerdict> verdict_on(const Pipeline& pipeline,
                                           const MissProbability& estimate) {
    if (pipeline.tolerated_miss_rate.empty() || !estimate.refusal.empty()) return std::nullopt;
    // The reader accepts "0." and digits only.
    const double tolerated = std::strtod(pipeline.tolerated_miss_rate.c_str(), nullptr);
    return estimate.upper.value() <= tolerated ? ToleranceVerdict::Below
                                               : ToleranceVerdict::Undecided;
}

std::vector<PipelineAssumption> sample_assumptions(const models::PipelineSystem& system) {
    std::vector<PipelineAssumption> assumptions;
    const auto add = [&](std::string text, std::vector<StageName> stages) {
        assumptions.push_back(
            {{"", std::move(text), AssumptionStatus::Unchecked, AssumptionSubject::User},
             std::move(stages)});
    };
    for (const Pipeline& pipeline : system.pipelines) {
        std::string stages;
        std::vector<StageName> named;
        for (const auto& stage : pipeline.stages) {
            if (!stage.samples) continue;
            stages += (stages.empty() ? "'" : ", '") + stage.name + "'";
            named.push_back({pipeline.name, stage.name});
        }
        if (stages.empty()) continue;
        add(fmt::format("For the estimate of misses of '{}' only: the samples of {} are own times "
                        "alone on the device, of runs that are independent of each other and "
                        "represent operation.",
                        pipeline.name, stages),
            named);
        if (pipeline.dependence != models::Dependence::Unknown)
            add(fmt::format("For the estimate of misses of '{}' only: own times of its stages are "
                            "{}, as stated.",
                            pipeline.name,
                            pipeline.dependence == models::Dependence::Independent
                                ? "independent of each other"
                                : "comonotone: all grow together"),
                named);
    }
    return assumptions;
}

} // namespace warpbound::analyzer
