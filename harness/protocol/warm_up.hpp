#pragma once
/// \file
/// Runs before those that are recorded, until caches and clocks have settled.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace warpbound::harness {

struct WarmUp {
    std::int64_t runs = 0;
    bool settled = true; ///< False: the limit was reached first, or they were stopped.
};

/// Runs of the window over which the best time is looked at, and the limit.
inline constexpr std::int64_t warm_up_window = 8;
inline constexpr std::int64_t most_warm_up = 400;

/// Makes `count` runs or, without one, runs window by window until the best time of a window is no
/// better than that of the windows before, at most `most_warm_up`. None is begun once `stop` says
/// true.
/// `time_of` makes the run of that number, from 1, and gives its largest time, or none. Refuses
/// what it refuses.
Result<WarmUp>
warm_up(std::optional<std::int64_t> count,
        const std::function<Result<std::optional<std::int64_t>>(std::int64_t)>& time_of,
        const std::function<bool()>& stop = {});

} // namespace warpbound::harness
