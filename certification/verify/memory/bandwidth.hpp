#pragma once
/// \file
/// Lower bounds by the bandwidth of the memory system (step S21, and lemma 4 of S22, of
/// docs/theory).

#include "certification/verify/memory/footprint.hpp"

#include <vector>

namespace warpbound::certification::verify {

/// One sum for each of L1s, channels, links and slices that every run uses. Side: lower.
std::vector<std::vector<Term>> bandwidth_sums(const TimedCode& code, const MemoryLayout& layout,
                                              const Footprint& footprint);

} // namespace warpbound::certification::verify
