#pragma once
/// \file
/// Loads of a launch that access none of some sectors (step S58 of docs/theory).

#include "certification/verify/memory/accesses.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// A(1) to A(3): the most loads that access none of so many sectors of the L1, whichever these are.
/// Empty beyond 128 sectors and 4,096 loads. Side: upper.
std::vector<std::int64_t> most_loads_avoiding(const MemoryLayout& layout,
                                              const std::vector<LineAccess>& accesses);

} // namespace warpbound::certification::verify
