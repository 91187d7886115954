#pragma once
/// \file
/// Discrete-event simulation of pipelines that share a GPU. It knows the rules of servers, releases
/// and shared memories, and no formula of the analysis.

#include "models/pipeline/system.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::harness {

/// One run. Each phase, jitter, execution time and order among equals is drawn.
struct PipelineRun {
    std::uint64_t seed = 1;
    std::int64_t jobs = 20;       ///< Of each pipeline, at least.
    bool starts_together = false; ///< First jobs become ready in one instant, the next ones early.
    bool takes_longest = false;   ///< Every operation takes its longest time.
};

/// `Unit:` ns.
struct ObservedTimes {
    std::int64_t count = 0;
    std::int64_t best = 0;
    std::int64_t worst = 0;

    void add(std::int64_t time);
};
/// A job in the worst case that was seen. `Unit:` ns from its nominal instant.
struct ObservedStage {
    std::int64_t arrival = 0;
    std::int64_t start = 0; ///< First time that its server took it.
    std::int64_t end = 0;
};
struct ObservedPipeline {
    ObservedTimes latency; ///< From the nominal instant to the end of the last stage.
    std::vector<ObservedTimes> responses; ///< From arrival to end. Shape: [stage].
    std::vector<ObservedStage> slowest;   ///< Of the job with the worst latency. Shape: [stage].
    /// Jobs by class of latency, 1/256 of it wide at most; the lower end of a class to its jobs.
    std::map<std::int64_t, std::int64_t> latencies;
    std::int64_t late = 0; ///< Jobs that missed the deadline.
};

/// Lower end of the class of a latency: its first nine binary digits. Requires: not negative.
std::int64_t latency_class(std::int64_t time);

/// Runs until every pipeline has ended so many jobs, or 200,000 events have passed, and adds
/// what it saw. `observed`: empty, or of earlier runs of the system. Requires: every stage has
/// a time.
void simulate_pipelines(const models::PipelineSystem& system, const PipelineRun& run,
                        std::vector<ObservedPipeline>& observed);

} // namespace warpbound::harness
