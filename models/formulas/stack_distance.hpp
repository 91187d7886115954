#pragma once
/// \file
/// Stack distance to hit probability of a set-associative cache whose mapping to sets is not known
/// (SDCM).

#include "assembly/support/result.hpp"

#include <cstdint>

namespace warpbound::models::stack_distance {

/// Estimate, not a bound. Probability that an access hits which comes after D different lines since
/// the last access of its line, in a cache of B lines and A ways: the sum over a = 0..A-1 of C(D,
/// a) (A/B)^a ((B-A)/B)^(D-a). With A = B it is 1 for D < B and 0 from there on. Unit: 1. Sound
/// when: never a bound; lines are taken to fall on sets uniformly at random. Source: SDCM as
/// carried in PPT-GPU (reference models 11). Refuses a negative distance, no ways and more ways
/// than lines.
Result<double> hit_probability(std::int64_t distance, std::int64_t lines, std::int64_t ways);

} // namespace warpbound::models::stack_distance
