#pragma once
/// \file
/// Warm-up runs, which are not recorded, until caches and clocks have settled.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace warpbound::harness {

struct WarmUp {
    std::int64_t runs = 0;
    bool settled = true; ///< False: the limit was reached first, or the warm-up was stopped.
};

/// Runs per window whose best time is compared, and the limit.
inline constexpr std::int64_t warm_up_window = 8;
inline constexpr std::int64_t most_warm_up = 400;

/// Makes `count` runs or, if it is empty, runs window by window until the best time of a window is
/// no better than that of the preceding windows, at most `most_warm_up`. No run is started once
/// `stop` returns true. `time_of` makes the run with the given number, from 1, and returns its
/// largest time, or none. Refuses what `time_of` refuses.
Result<WarmUp>
warm_up(std::optional<std::int64_t> count,
        const std::function<Result<std::optional<std::int64_t>>(std::int64_t)>& time_of,
        const std::function<bool()>& stop = {});

} // namespace warpbound::harness
