#pragma once
/// \file
/// How many blocks of a launch one multiprocessor holds together, read from rules C20 and C30 of
/// docs/reference/timing-contract.md.

#include "certification/verify/evidence.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// A number of the description that has to be exact. Throws `Finding` when it is unknown, an
/// interval, or outside `least` .. 2^40.
std::int64_t exact_number(const KernelCase& kernel, const models::ValueGroup& group,
                          const char* path, const char* name, std::int64_t least = 1);

/// At most as many as the launch has. Throws `Finding` when a block does not fit or the description
/// lacks what the launch needs.
std::int64_t resident_blocks(const KernelCase& kernel, std::int64_t warps_per_block);

} // namespace warpbound::certification::verify
