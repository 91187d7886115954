#pragma once
/// \file
/// What the instructions of the only path of a warp take of what warps share, where nothing that
/// counts is drawn.

#include "analyzer/microarchitecture/pipeline_model.hpp"
#include "analyzer/policies/exact/single_path.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

enum class Shared { Not, ByScheduler, ByMultiprocessor };

/// One instruction of a path.
struct ExactDemand {
    PathStep step;
    std::size_t unit = 0;
    Shared port = Shared::Not; ///< Not: also when it does not execute.
    std::int64_t occupancy = 0;
    bool enters_buffer = false;
    std::int64_t drain = 0;
};

/// `rules` have no write buffer. Nothing when a value that counts is an interval, an instruction
/// may execute or not, issue in the cycle of the one before, or go through caches.
std::optional<std::vector<ExactDemand>> exact_demand(const AnalysisContext& context,
                                                     const PipelinePair& rules,
                                                     const std::vector<PathStep>& path);

/// The slots of `rules` that can be above 0 on the way and for which an instruction may wait.
std::vector<std::size_t> slots_to_wait_for(const PipelinePair& rules,
                                           const std::vector<PathStep>& path);

} // namespace warpbound::analyzer
