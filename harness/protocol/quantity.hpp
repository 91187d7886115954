#pragma once
/// \file
/// The quantity that is extracted from an observation.

#include "assembly/support/result.hpp"
#include "models/launch/launch.hpp"
#include "models/observation.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

enum class Quantity {
    Region,         ///< Per warp: time between its first and its last clock read.
    ExecutionTime,  ///< One time per run: that of the launch.
    ResidentBlocks, ///< One number per run: the most blocks resident on one SM at once (N_slot), if
                    ///< the launch has enough: those that begin before the first block of the SM
                    ///< ends.
    Clocks,        ///< Per warp: its first and its last clock value, both since the earliest of the
                   ///< launch. Only launches on one SM have a common clock.
    CheckedRegion, ///< Per warp: time between its first and its last clock read, then 0 if its last
                   ///< store to global memory stored the right word, else 1.
};
/// The quantity of times that a profiler recorded; no device measures it. `Unit:` ns.
inline constexpr std::string_view profiled_time = "profiled-time";
/// Those of times of a user's kernel: between events of the driver before and after the launch, and
/// from the release until the host saw the end. No device of `open_device` measures them.
/// `Unit:` ns.
inline constexpr std::string_view device_time = "device-time";
inline constexpr std::string_view host_time = "host-time";
/// Whether the quantity is one of these three.
bool is_wall_time(std::string_view quantity);
/// "region", "execution-time", "resident-blocks", "clocks" or "checked-region", as series record
/// it.
std::string_view to_string(Quantity quantity);
/// Refuses a word that no device measures, at `where`, listing the known ones.
Result<Quantity> parse_quantity(std::string_view word, const std::string& where);
/// The unit of the numbers that a series of the quantity records: "cycles" (of a core), "blocks"
/// or "ns".
std::string_view unit_of(std::string_view quantity);
/// Whether a run has exactly one number, whatever its launch.
bool is_one_number(Quantity quantity);
/// The number of values that a run of a launch has.
std::size_t times_of_run(Quantity quantity, const models::Launch& launch);
/// Why no run of the launch can have given these times: their number is not `times_of_run`, or the
/// number of blocks on an SM is 0 or exceeds that of the launch. Empty: no contradiction.
std::string contradiction_in(const std::vector<std::int64_t>& times, Quantity quantity,
                             const models::Launch& launch);

/// The values of a run, ordered by block and warp, in the unit of the quantity. Except for the
/// execution time, refuses an observation with a warp that read the clock fewer than two times; for
/// checked regions one with a warp that stored nothing.
Result<std::vector<std::int64_t>> times_of(const models::Observation& observation,
                                           Quantity quantity);

} // namespace warpbound::harness
