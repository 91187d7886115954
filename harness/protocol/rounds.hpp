#pragma once
/// \file
/// Interleaved measurement of several series, so that drift of the device affects all of them
/// alike.

#include "harness/protocol/series_run.hpp"

#include <span>

namespace warpbound::harness {

/// Makes the runs of all series in campaign rounds: in each round every series that needs more runs
/// makes a batch of them, in an order drawn from `seed` and the number of the round. Each series
/// makes the same runs as if measured alone. All series are recorded in one transaction, after the
/// first batch that ends a quarter of a second or more after the last recording; a killed process
/// loses the runs made since. Stops after a round when `progress` (runs done and wanted, of all
/// series) returns false, and once `stop` returns true. On a failure or an exception the preceding
/// runs are recorded.
Result<void> measure_in_rounds(std::span<SeriesRun* const> series, std::uint64_t seed,
                               Campaign* campaign, unsigned threads = 1,
                               const Progress& progress = {},
                               const std::function<bool()>& stop = {});

} // namespace warpbound::harness
