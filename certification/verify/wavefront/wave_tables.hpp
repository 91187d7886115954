#pragma once
/// \file
/// The path tables of a kernel of AMD against times that are derived here: an upper bound holds for
/// the longest path of delays, a lower one along every path of its table (docs/theory, S66).

#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/terms.hpp"

#include <cstddef>

namespace warpbound::certification::verify {

struct WaveTables {
    std::size_t derived = 0; ///< Tables whose times were derived again.
    std::size_t left = 0;    ///< Others, whose times re-analysis alone derives again.
};

/// Requires: a kernel of AMD whose tables have the edges of its control flow. Throws `Finding` when
/// a table claims less (an upper bound) or more (a lower bound) than the wavefront takes.
WaveTables check_wave_tables(const KernelCase& kernel, const LaunchDemand& demand);

} // namespace warpbound::certification::verify
