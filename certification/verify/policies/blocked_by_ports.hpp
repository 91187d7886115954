#pragma once
/// \file
/// Time slots in which ports that other warps hold block a warp (S17 and S23 of docs/theory): how
/// many, for each warp slot, by slot tables.

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/policies/slot_table.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// A port that an instruction holds from its issue on.
struct HeldPort {
    std::int64_t cycles = 0;
    bool of_multiprocessor = false; ///< Else of a scheduler.

    friend auto operator<=>(const HeldPort&, const HeldPort&) = default;
};

/// Time of slots that one use of each port blocks, in the order of `PortsInSlots::held`. `Unit:`
/// core cycles.
using TimeByUse = std::vector<std::int64_t>;
/// How many warps block so much.
using WarpsByTime = std::map<TimeByUse, std::int64_t>;

/// The warps that may block slots of a warp in one warp slot.
struct WarpSlotInTable {
    SlotDistance distance;
    WarpsByTime any_phase; ///< Wherever the time slots of other schedulers begin.
    /// Of a scheduler whose time slots begin so many cycles later; each of `schedulers` has one.
    std::vector<WarpsByTime> by_phase{};
    std::int64_t schedulers = 0;
};

/// Of a launch in one wave; of several waves nothing.
struct PortsInSlots {
    std::vector<HeldPort> held; ///< Each once, in order.
    std::vector<WarpSlotInTable> warp_slots;
    std::vector<WarpsByTime> blocks; ///< Warps that block a path through this block (S17, lemma 3).
    std::map<TimeByUse, std::string> certificates; ///< Their ids.
    DemandTables tables;                           ///< What instructions add to each.
};

/// Cycles for which an instruction holds a port that slots of other warps wait for: none behind a
/// memory queue (S78).
std::int64_t slot_blocking_occupancy(const TimedCode& code,
                                     const models::InstructionTiming& timing);

/// Throws `Finding` when a value is missing.
PortsInSlots ports_in_slots(const TimedCode& code);

/// Slots of a path that ports block: at this distance, or in any warp slot where none is given.
/// Side: upper.
std::vector<Term> blocked_port_terms(const TimedCode& code, const PortsInSlots& ports,
                                     const std::optional<SlotDistance>& distance,
                                     const CertificateValues& values);

} // namespace warpbound::certification::verify
