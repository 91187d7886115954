#pragma once
/// \file
/// What is taken from an observation.

#include "assembly/support/result.hpp"
#include "models/observation.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpbound::harness {

enum class Quantity {
    Region,        ///< Per warp: time between its first and its last clock read.
    ExecutionTime, ///< One time: that of the launch.
    Clocks,        ///< Per warp: its first and its last clock value, both since the earliest of the
                   ///< launch. Only launches on one SM have one clock.
};
/// "region", "execution-time" or "clocks", as series record it.
std::string_view to_string(Quantity quantity);

/// The times of a run, by block and warp. `Unit:` core cycles. Refuses a region or clocks of a warp
/// that read the clock fewer than two times.
Result<std::vector<std::int64_t>> times_of(const models::Observation& observation,
                                           Quantity quantity);

} // namespace warpbound::harness
