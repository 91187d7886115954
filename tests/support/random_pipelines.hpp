#pragma once
/// \file
/// Random pipelines that share a GPU.

#include "models/pipeline/system.hpp"

#include <cstdint>
#include <random>

namespace warpbound::tests {

struct PipelineShape {
    int most_pipelines = 3;
    int most_stages = 5;
    bool memory = true;  ///< Traffic at the shared memories may delay.
    bool clients = true; ///< Best-effort clients may be there.
    /// Small systems at the edges: equal periods, jitter of several periods, stages and operations
    /// of no time, equal priorities, partitions of one SM with one stage, budgets of 0, bursts
    /// without a rate and rates without a burst, traffic that fills a memory, several clients.
    bool edges = false;
};

/// One to three servers or four, every order, chains and graphs of stages, with and without
/// overlapping jobs. Loads are small enough that most of them have bounds.
models::PipelineSystem random_pipelines(std::uint64_t seed, const PipelineShape& shape);

} // namespace warpbound::tests
