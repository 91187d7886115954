#pragma once
/// \file
/// For how long one access through the caches is served, and how many of them go on while another
/// one waits (docs/soundness.md, S21). `Unit:` core cycles. Side: upper, except where said.

#include "analyzer/launch/memory_parameters.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/units.hpp"

#include <cstdint>

namespace warpbound::analyzer {

bool is_cached_load(const models::InstructionTiming& timing);
bool is_cached_store(const models::InstructionTiming& timing);

/// At the L1: one service, and for each further line another one or the time until it arrives.
std::int64_t l1_time(const MemoryParameters& caches, const models::InstructionTiming& load);
/// On both links and at a slice, for one transaction of a load.
std::int64_t transaction_time(const MemoryParameters& caches);
/// On one link, at a slice and by DRAM, which takes `transfer` for a line; and the cycle of the
/// drain. Of a store that does not go through the caches that cycle alone.
std::int64_t store_time(const MemoryParameters& caches, const models::InstructionTiming& store,
                        std::int64_t transfer);

/// Line accesses under way whenever one waits for an entry of an L1 or of a slice, or for a place
/// in one. Side: lower. `sectors`: of the L1, that an access asks for at most; `has_place`: an
/// entry always has a place for who asks for its sector.
std::int64_t held_by_l1(const MemoryParameters& caches, std::int64_t sectors, bool has_place);
std::int64_t held_by_slice(const MemoryParameters& caches, std::int64_t multiprocessors,
                           std::int64_t sectors, bool has_place);

/// Refreshes, of `duration` each, that are met in a time of `time` without them, in which so many
/// transfers start behind one at most.
std::int64_t refreshes_met(const MemoryParameters& caches, models::Cycles duration,
                           models::Cycles time, std::int64_t transfers);

} // namespace warpbound::analyzer
