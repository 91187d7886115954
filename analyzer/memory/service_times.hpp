#pragma once
/// \file
/// Service times of one access through the caches, and the number of outstanding accesses while
/// another one waits (docs/theory, S21). `Unit:` core cycles. Side: upper, unless stated.

#include "analyzer/launch/memory_parameters.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/units.hpp"

#include <cstdint>

namespace warpbound::analyzer {

bool is_cached_load(const models::InstructionTiming& timing);
bool is_cached_store(const models::InstructionTiming& timing);

/// At the L1: one service, and for each further line the longer of a service and its arrival
/// interval.
std::int64_t l1_time(const MemoryParameters& caches, const models::InstructionTiming& load);
/// At both links and a slice, for one transaction of a load.
std::int64_t transaction_time(const MemoryParameters& caches);
/// At one link, a slice and DRAM (`transfer` cycles for a line), and the cycle of the drain. For a
/// store that does not access the caches: only that cycle.
std::int64_t store_time(const MemoryParameters& caches, const models::InstructionTiming& store,
                        std::int64_t transfer);

/// Outstanding line accesses whenever one waits for an MSHR entry of an L1 (of a slice) or to merge
/// into one. Side: lower. `sectors`: largest number of L1 sectors that an access requests;
/// `merge_fits`: an access can always merge into the entry of its sector.
std::int64_t least_in_full_l1(const MemoryParameters& caches, std::int64_t sectors,
                              bool merge_fits);
std::int64_t least_in_full_slice(const MemoryParameters& caches, std::int64_t multiprocessors,
                                 std::int64_t sectors, bool merge_fits);

/// Refreshes, of `duration` each, that delay a run of `time` cycles without refreshes. At most one
/// refresh delays each of the `transfers`.
std::int64_t delaying_refreshes(const MemoryParameters& caches, models::Cycles duration,
                                models::Cycles time, std::int64_t transfers);

} // namespace warpbound::analyzer
