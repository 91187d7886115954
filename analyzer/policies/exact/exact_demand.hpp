#pragma once
/// \file
/// Demand for shared resources of the instructions on the single path of a warp, if all relevant
/// values are exact numbers.

#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/single_path.hpp"
#include "analyzer/microarchitecture/pipeline_model.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

enum class Shared { Not, ByScheduler, ByMultiprocessor };

/// Demand of one instruction of a path.
struct ExactDemand {
    PathStep step;
    std::size_t unit = 0;
    Shared port = Shared::Not; ///< Not: also when the instruction is predicated off.
    std::int64_t occupancy = 0;
    bool enters_buffer = false;
    std::int64_t drain = 0;
};

/// `pipelines` have no write buffer. None when a relevant value is an interval, or when an
/// instruction may be predicated off or not, may issue in the cycle of its predecessor, or accesses
/// the caches.
std::optional<std::vector<ExactDemand>> exact_demand(const TimedKernel& kernel,
                                                     const PipelinePair& pipelines,
                                                     const std::vector<PathStep>& path);

/// State components of `pipelines` that can be above 0 on the path and that an instruction may wait
/// for.
std::vector<std::size_t> awaited_components(const PipelinePair& pipelines,
                                            const std::vector<PathStep>& path);

} // namespace warpbound::analyzer
