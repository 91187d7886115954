#pragma once
/// \file
/// How the measured runs of a user's kernel are released: what the device does right before a run.

#include "assembly/support/result.hpp"
#include "models/time/duration.hpp"

#include <string>
#include <string_view>

namespace warpbound::harness {

enum class ReleaseKind {
    BackToBack, ///< Queued behind a launch of the same kernel, whose results it works on.
    Warm,       ///< After a launch of the same kernel that has ended; inputs as stated.
    L2Flushed,  ///< Twice the size of the L2 was written before.
    Cold,       ///< The same, and the code was loaded anew.
    Periodic,   ///< At multiples of the interval; those that the host cannot meet are skipped.
    AfterIdle,  ///< After the interval without work.
};

struct ReleasePattern {
    ReleaseKind kind = ReleaseKind::BackToBack;
    models::Nanoseconds interval{}; ///< Of `Periodic` and `AfterIdle`; else 0.

    friend bool operator==(const ReleasePattern&, const ReleasePattern&) = default;
};

/// "back-to-back", "warm", "l2-flushed", "cold", "periodic:1ms", "idle:100ms". An interval has 1 us
/// to 1 hour.
Result<ReleasePattern> read_release(std::string_view text);
/// Canonical: `read_release` reads it.
std::string to_string(const ReleasePattern& pattern);

/// Whether the time from the release to the end, as the host sees it, is that of one run.
[[nodiscard]] bool has_host_time(const ReleasePattern& pattern);

} // namespace warpbound::harness
