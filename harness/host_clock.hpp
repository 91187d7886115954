#pragma once
/// \file
/// The clock of the host, which releases runs and times them from end to end.

#include <cstdint>
#include <functional>

namespace warpbound::harness {

/// `Unit:` ns since some fixed moment. Tests replace it.
struct HostClock {
    std::function<std::int64_t()> now;
    /// Returns at this moment or later; at once if it has passed.
    std::function<void(std::int64_t)> wait_until;
};

/// The monotonic clock of the system. Waits asleep, the last fifth of a millisecond awake, so that
/// a release is late by some microseconds on an idle host.
HostClock system_clock();

} // namespace warpbound::harness
