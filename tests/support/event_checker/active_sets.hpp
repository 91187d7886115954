#pragma once
/// \file
/// When a warp surely is in the active set of the two-level policy (C19).

#include "tests/support/event_checker/recorded_launch.hpp"

#include <vector>

namespace warpbound::tests {

/// Per issue of the warp: whether it stays active from this issue to the next one, because the next
/// one waits neither at a barrier nor for the result of a long operation. False for the last one.
std::vector<bool> stays_active(const RecordedLaunch& run, const WarpRecord& warp);

} // namespace warpbound::tests
