#pragma once
/// \file
/// Runs experiments on a device many times and keeps what was observed.

#include "harness/hypotheses/recording.hpp"
#include "harness/hypotheses/scheduling_device.hpp"
#include "harness/protocol/protocol.hpp"

namespace warpbound::harness::hypotheses {

/// Every experiment of the rules `runs` times, with seeds derived from `seed`. An experiment that
/// the device refuses is recorded with the reason, and its runs until then are kept. Ends early
/// when `progress` returns false.
Recording run_experiments(SchedulingDevice& device, const std::vector<Rule>& rules,
                          std::int64_t runs, std::uint64_t seed, const Progress& progress = {});

} // namespace warpbound::harness::hypotheses
