#pragma once
/// \file
/// Service times of accesses through caches, and how many of these can be outstanding (steps S26
/// and S29 of docs/theory).

#include "certification/verify/interference/demand.hpp"
#include "certification/verify/memory/memory_parameters.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::certification::verify {

/// For how long the accesses of a warp may make any warp wait, itself included (the table of S26).
DemandTables service_demand_of(const TimedCode& code, const MemoryParameters& memory);

/// S29: what ends between two time slots is found over at the next one, for each load and store.
/// `longest_distance`: of the time slots of any warp slot.
DemandTables slot_boundary_demand_of(const TimedCode& code, std::int64_t longest_distance);

bool is_load_through_caches(const models::InstructionTiming& timing);
/// Of a load: whether a warp has at most one execution of it outstanding (S21, case e).
bool waits_for_itself(const TimedCode& code, std::size_t load);

/// Loads of a warp through the caches on any path. Side: upper.
std::int64_t most_loads(const TimedCode& code);
/// Line accesses of a warp through the caches on any path, of its loads, its stores or both. Side:
/// upper.
std::int64_t most_lines(const TimedCode& code, bool of_loads, bool of_stores);

/// S21, case e: of a warp's loads, those that can be in flight at one time, and their line
/// accesses; none where no dependence limits them. Side: upper.
std::optional<std::int64_t> loads_in_flight_of_warp(const TimedCode& code);
std::optional<std::int64_t> lines_in_flight_of_warp(const TimedCode& code);

} // namespace warpbound::certification::verify
