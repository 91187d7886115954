#pragma once
/// \file
/// When a warp is certainly in the active set of the two-level policy (C19).

#include "tests/support/event_checker/recorded_launch.hpp"

#include <vector>

namespace warpbound::tests {

/// Per issue of the warp: whether it remains active until its next issue, because that one waits
/// neither at a barrier nor for the result of a long operation. False for the last issue.
std::vector<bool> remains_active(const RecordedLaunch& run, const WarpRecord& warp);

} // namespace warpbound::tests
