#pragma once
/// \file
/// How many passes a warp's access of shared memory takes because its words share banks.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <span>

namespace warpbound::models::bank_conflicts {

/// The largest number of distinct words that lanes address in one bank; lanes of one word share a
/// pass. Unit: passes. Side: exact when the addresses are known. Source: Voudouris 2014, Tables 2
/// to 4 and Fig. 22; that equal words count once is in the programming guide (reference models 9).
/// Refuses no lanes, more than 1024, no banks and negative word addresses.
/// `Shape:` words[lane], the index of the word of each active lane.
Result<std::int64_t> degree(std::span<const std::int64_t> words, std::int64_t banks);

/// The degree of 32 lanes that address words `stride` apart; with 32 banks gcd(stride, 32), and 1
/// for stride 0. Unit: passes. Side: exact. Source: as `degree`. Refuses a negative stride, and
/// what `degree` refuses.
Result<std::int64_t> degree_of_stride(std::int64_t stride, std::int64_t banks);

} // namespace warpbound::models::bank_conflicts
