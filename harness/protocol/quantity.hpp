#pragma once
/// \file
/// What is taken from an observation.

#include "assembly/support/result.hpp"
#include "models/launch/launch.hpp"
#include "models/observation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

enum class Quantity {
    Region,         ///< Per warp: time between its first and its last clock read.
    ExecutionTime,  ///< One time: that of the launch.
    ResidentBlocks, ///< One number: the most blocks that were on one SM at once (N_slot), where
                    ///< the launch has enough: they begin before the first block of the SM ends.
    Clocks, ///< Per warp: its first and its last clock value, both since the earliest of the
            ///< launch. Only launches on one SM have one clock.
};
/// "region", "execution-time", "resident-blocks" or "clocks", as series record it.
std::string_view to_string(Quantity quantity);
/// Refuses another word, at `where`, with those that there are.
Result<Quantity> parse_quantity(std::string_view word, const std::string& where);
/// What numbers of the quantity that a series records count: "cycles" (of a core) or "blocks".
std::string_view unit_of(std::string_view quantity);
/// Whether a run has one number of it, whatever its launch.
bool is_one_number(Quantity quantity);
/// How many numbers of it a run of a launch has.
std::size_t times_of_run(Quantity quantity, const models::Launch& launch);
/// What no run of a launch gives: another count of numbers than `times_of_run`, no block on an SM,
/// or more than the launch has for one. Empty: nothing.
std::string contradiction_in(const std::vector<std::int64_t>& times, Quantity quantity,
                             const models::Launch& launch);

/// The numbers of a run, times by block and warp, in the unit of the quantity. Refuses all but the
/// execution time of a warp that read the clock fewer than two times.
Result<std::vector<std::int64_t>> times_of(const models::Observation& observation,
                                           Quantity quantity);

} // namespace warpbound::harness
