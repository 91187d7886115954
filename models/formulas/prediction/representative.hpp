#pragma once
/// \file
/// The profile of one warp that represents several different warps.

#include "models/formulas/prediction/prediction.hpp"

#include <span>

namespace warpbound::models::prediction {

struct Representative {
    std::size_t warp = 0;         ///< Index into the profiles.
    std::size_t cluster_size = 0; ///< Warps in its cluster.
};

/// The representative warp of GPUMech: nearest to the centre of the larger of two clusters, by
/// instructions and by instructions per cycle of a warp in isolation on the machine.
/// Source: Huang et al. 2014 (`gpumech::representative`). Refuses an empty list and profiles of
/// counts; names values that the times of the steps lack.
Result<Representative> representative_of(std::span<const NamedProfile> warps,
                                         const Setting& setting, Variant variant);

} // namespace warpbound::models::prediction
