#pragma once
/// \file
/// One warp's profile that stands for several different ones.

#include "models/formulas/prediction/prediction.hpp"

#include <span>

namespace warpbound::models::prediction {

struct Representative {
    std::size_t warp = 0;         ///< Index into the profiles.
    std::size_t cluster_size = 0; ///< Warps that it stands for most closely.
};

/// Of the profiles of several warps the one that GPUMech takes for all: nearest to the middle of
/// the larger of two clusters, by instructions and by instructions per cycle when the warp runs
/// alone on the machine.
/// Source: Huang et al. 2014 (`gpumech::representative`). Refuses no profiles, profiles of counts,
/// and what the steps' times lack, naming it.
Result<Representative> representative_of(std::span<const NamedProfile> warps,
                                         const Setting& setting, Variant variant);

} // namespace warpbound::models::prediction
