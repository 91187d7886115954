#pragma once
/// \file
/// Resource demand under the round-robin policies: with the issue slots of the other warp slots for
/// loose round robin (step S27 of docs/theory), with dependence stalls for the strict one
/// (S28).

#include "certification/verify/interference/demand.hpp"
#include "certification/verify/policies/dependence_stalls.hpp"

#include <cstdint>
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

/// Of strict round robin.
struct RotationDemand {
    /// N: what a rotation weighs by certificates of the kernel, beyond which stalls count, in
    /// increasing order. Empty: the certificates count no rotations.
    std::vector<std::int64_t> rotations;
    DependenceStalls stalls;
    DemandTables tables;
};

RotationDemand rotation_demand_of(const TimedCode& code);

/// Ids of the certificates that count rotations of this length.
std::string rotations_certificate(std::int64_t rotation);
std::string stalls_certificate(std::int64_t rotation);

} // namespace warpbound::certification::verify
