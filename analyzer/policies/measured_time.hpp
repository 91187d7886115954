#pragma once
/// \file
/// The time between two reads of the clock register, of a warp that runs alone (C3).

#include "analyzer/launch/context.hpp"
#include "analyzer/launch/path_bound.hpp"

#include <optional>
#include <string>

namespace warpbound::analyzer {

/// Bounds of the measured time, or why there are none. Both empty: the kernel does not read the
/// clock.
struct MeasuredTime {
    std::optional<Envelope> envelope;
    std::string absent;
};

/// Side: both. Bounded where the kernel has exactly two clock reads outside loops that every path
/// executes once, one uniform warp runs alone, no access goes through the caches, and the size of
/// the write buffer is known. Keeps path certificates if the run keeps them.
MeasuredTime bound_measured_time(const AnalysisContext& context);

} // namespace warpbound::analyzer
