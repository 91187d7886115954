#pragma once
/// \file
/// Several series in turn, so that whatever drifts on the device is spread over all of them.

#include "harness/protocol/series_run.hpp"

#include <span>

namespace warpbound::harness {

/// Makes the runs of all series in rounds: in each round every series that wants more runs makes
/// some of them, in an order drawn from `seed` and the number of the round. The runs are those that
/// each series has alone. All are recorded together, behind the first turn of a series that ends a
/// quarter of a second or more after the last time; a kill loses what was made since. Stops after a
/// round when `progress` (runs done and wanted, of all series) returns false, and once `stop` says
/// true. On a failure or an exception the runs before it are recorded.
Result<void> measure_in_rounds(std::span<SeriesRun* const> series, std::uint64_t seed,
                               Campaign* campaign, unsigned threads = 1,
                               const Progress& progress = {},
                               const std::function<bool()>& stop = {});

} // namespace warpbound::harness
