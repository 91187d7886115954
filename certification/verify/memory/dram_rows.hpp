#pragma once
/// \file
/// Rows of DRAM that the transfers of a launch open (step S22 of docs/theory, lemma 3, and S22c).

#include "certification/verify/memory/footprint.hpp"

namespace warpbound::certification::verify {

/// None where addresses do not tell the bank, or there are more than 2^16 banks. `writes`: whether
/// stores reach DRAM. Side: upper.
std::optional<Footprint::Tails> tails_of(const TimedCode& code, const MemoryLayout& layout,
                                         const std::vector<LineAccess>& accesses, bool writes);

} // namespace warpbound::certification::verify
