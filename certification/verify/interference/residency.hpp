#pragma once
/// \file
/// How many blocks of a launch one multiprocessor holds at the same time (occupancy limit: rules
/// C20 and C30 of docs/reference/timing-contract.md).

#include "certification/verify/evidence.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// Co-resident blocks: at most as many as the launch has. Throws `Finding` when no block fits or
/// the description lacks what the launch needs.
std::int64_t resident_blocks(const KernelCase& kernel, std::int64_t warps_per_block);

} // namespace warpbound::certification::verify
