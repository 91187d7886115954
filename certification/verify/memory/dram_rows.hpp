#pragma once
/// \file
/// Rows of DRAM that the transfers of a launch open (step S22 of docs/theory, lemma 3, and S22c).

#include "certification/verify/memory/accesses.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// Tails of row activations, in which a bank is held but not its channel. Side: upper.
struct RowTails {
    std::int64_t of_access = 0; ///< r: those that one transfer waits for.
    std::int64_t of_loads = 0;  ///< Sum of t(L) over the loads of the launch (S22c).
};

/// None where addresses do not tell the bank, or there are more than 2^16 banks. `writes`: whether
/// stores reach DRAM. Side: upper.
std::optional<RowTails> tails_of(const TimedCode& code, const MemoryLayout& layout,
                                 const std::vector<LineAccess>& accesses, bool writes);

} // namespace warpbound::certification::verify
