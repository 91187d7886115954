#pragma once
/// \file
/// Microbenchmarks of the suite, run on a simulated device.

#include "harness/protocol/measure.hpp"
#include "harness/suite/emission/benchmark.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::tests {

/// The points of a benchmark on a described machine. Requires: both are known.
std::vector<harness::BenchmarkPoint> points(const std::string& benchmark,
                                            const std::string& architecture = "fermi-gtx470");

/// Runs of a point on the simulated device: per run the times between the two clock reads, one per
/// warp. `Unit:` core cycles.
std::vector<harness::Sample> runs_of(const harness::BenchmarkPoint& point,
                                     const std::string& architecture, std::int64_t runs);

/// The times of all warps and runs, in run order.
std::vector<std::int64_t> times_of(const harness::BenchmarkPoint& point,
                                   const std::string& architecture, std::int64_t runs);

} // namespace warpbound::tests
