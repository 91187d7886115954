#pragma once
/// \file
/// Time of one warp's atomic instruction: lanes that share an address follow each other.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpbound::models::atomics {

/// The largest number of lanes on one address. Unit: lanes. Side: exact when the addresses are
/// known. Source: reference models 14, inferred. Refuses no lanes and more than 1024.
/// `Shape:` addresses[lane], of each active lane.
Result<std::int64_t> multiplicity(std::span<const std::uint64_t> addresses);

/// Measured costs of atomics of one machine and memory.
struct Costs {
    double base = 0;          ///< T_base: of an atomic without conflicts. `Unit:` core cycles.
    double per_operation = 0; ///< T_op: of each further lane on the address.
};

/// Estimate, not a bound. T = T_base + (d - 1) T_op. Unit: core cycles.
/// Sound when: never a bound as such; with d the active lanes and the largest T_op measured it
/// overestimates the measured times. Memories whose atomics are lock loops (shared memory of Fermi
/// and Kepler) do not follow the line. Source: reference models 14, inferred. Refuses
/// multiplicities below 1 and above 1024, and negative costs.
Result<Estimate<Cycles>> time_of(std::int64_t multiplicity, const Costs& costs);

/// The line through the measured times of two multiplicities. Refuses equal or reversed ones, and
/// times that fall.
Result<Costs> costs_from(std::int64_t few, double time_of_few, std::int64_t many,
                         double time_of_many);

/// The symbols of `time_of` with their values and sources.
std::vector<ExplainedSymbol> explain(std::int64_t multiplicity, const Costs& costs,
                                     Estimate<Cycles> result);

} // namespace warpbound::models::atomics
