#pragma once
/// \file
/// Resource demand under the round-robin policies: with the issue slots of the other warp slots for
/// loose round robin (step S27 of docs/theory), with dependence stalls for the strict one
/// (S28).

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Of the round-robin interference bound.
struct InterferencePerTurn {
    /// What the ids of its certificates end in, with the number of warp slots of a scheduler.
    std::string suffix;
    DemandTables tables;
};

/// What ends a waiting interval of a warp without its issue, and the waiting interval that follows.
InterferencePerTurn interference_per_turn_of(const TimedCode& code);

/// D of S28: how long a warp may remain unready after its turn before, by what it waits for itself,
/// whatever path it is on. `Unit:` core cycles. Side: upper.
struct DependenceStalls {
    std::vector<std::int64_t> of_instruction;
    std::int64_t longest = 0;
    std::int64_t after_barrier = 0; ///< D_B: of an instruction that may follow a barrier.
    std::int64_t completion = 1;    ///< From the last EXIT on.
};

/// Of strict round robin.
struct RotationDemand {
    /// N: what a rotation weighs by the certificates of the kernel, beyond which stalls count.
    /// None: the certificates count no rotations.
    std::optional<std::int64_t> rotation;
    DependenceStalls stalls;
    DemandTables tables;
};

RotationDemand rotation_demand_of(const TimedCode& code);

/// Ids of the certificates that count rotations of this length.
std::string rotations_certificate(std::int64_t rotation);
std::string stalls_certificate(std::int64_t rotation);

} // namespace warpbound::certification::verify
