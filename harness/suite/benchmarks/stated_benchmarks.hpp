#pragma once
/// \file
/// The benchmarks of the calibration suite for machines with encoded issue control.

#include "harness/suite/emission/benchmark.hpp"

#include <string_view>
#include <vector>

namespace warpbound::harness {

/// Begins the name of every benchmark whose control fields are stated. Behind it stands the name of
/// the benchmark of machines with interlocks that asks the same.
inline constexpr std::string_view stated_prefix = "stated-";

/// Those of `benchmarks` that calibrate and whose results scoreboards can protect, then pairs
/// with the least stall count and the searches for fixed latencies, under names with
/// `stated_prefix`.
std::vector<Benchmark> stated_benchmarks(const std::vector<Benchmark>& benchmarks);

} // namespace warpbound::harness
