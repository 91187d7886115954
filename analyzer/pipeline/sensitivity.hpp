#pragma once
/// \file
/// How much a time, a rate or the clock may change before a deadline is no longer guaranteed.

#include "models/pipeline/system.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Largest upper time of a stage with which all deadlines are still met. `Unit:` ns.
struct StageSlack {
    std::size_t pipeline = 0;
    std::size_t stage = 0;
    std::int64_t now = 0;
    std::int64_t most = 0;
    bool is_open = false; ///< Met up to the largest time that was tried, `most`.
};
/// Smallest distance of releases with which all deadlines are still met. `Unit:` ns.
struct RateSlack {
    std::size_t pipeline = 0;
    std::int64_t now = 0;
    std::int64_t least = 0;
};
struct Sensitivity {
    std::vector<StageSlack> stages;
    std::vector<RateSlack> rates;
    /// Lowest clock, in Hz, with which all deadlines are still met. None: no stage is known in
    /// cycles.
    std::optional<std::int64_t> lowest_clock;
};

/// Each change alone, by binary search: the response-time bounds do not decrease when a time or a
/// rate grows. None: a deadline is not met now, or none is stated. `Side:` a stated margin is
/// guaranteed, and one ns (Hz) beyond it no longer is.
std::optional<Sensitivity> sensitivity(const models::PipelineSystem& system);

} // namespace warpbound::analyzer
