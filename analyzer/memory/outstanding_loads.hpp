#pragma once
/// \file
/// How many loads through the caches a warp can have outstanding, from issue to result.

#include "analyzer/launch/timed_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

/// Whether a load waits for its own previous execution by the warp: by the register that both write
/// (C5), or by the scoreboard that both release (C6). Side: false when unknown.
bool is_outstanding_once(const TimedKernel& kernel, std::size_t load);

/// Largest number of line accesses that the loads of a warp have outstanding together; none: their
/// dependences do not bound it.
std::optional<std::int64_t> outstanding_lines(const TimedKernel& kernel);
/// The same for loads.
std::optional<std::int64_t> outstanding_loads(const TimedKernel& kernel);

} // namespace warpbound::analyzer
