#pragma once
/// \file
/// A point of a benchmark, measured.

#include "harness/protocol/measure.hpp"
#include "harness/suite/benchmark.hpp"

namespace warpbound::harness {

/// The series of a point on a device: by it a campaign finds the point again, whoever measures it.
SeriesKey series_key(const BenchmarkPoint& point, const DeviceIdentity& device,
                     const Protocol& protocol);

/// Refuses a point that the device refuses to run.
Result<void> check_point(const Device& device, const BenchmarkPoint& point);

/// `measure` for a point: at most as many runs as the benchmark has any use for.
Result<Measured> measure_point(const Device& device, const BenchmarkPoint& point,
                               const Protocol& protocol, Campaign* campaign, unsigned threads = 1,
                               const Progress& progress = {},
                               const std::function<bool()>& stop = {});

} // namespace warpbound::harness
