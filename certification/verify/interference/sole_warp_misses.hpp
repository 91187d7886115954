#pragma once
/// \file
/// The misses of an L0 instruction cache by the only warp of its scheduler (docs/theory, S36, lemma
/// 5).

#include "certification/verify/interference/demand.hpp"
#include "models/sourced.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::certification::verify {

/// The most of any path, from any contents of the cache; empty where lemma 5 claims none. `bytes`:
/// of a line. `stream`: lines behind it that a miss requests. Side: upper.
std::optional<std::int64_t> sole_warp_misses(const TimedCode& code, std::int64_t bytes,
                                             const models::Interval& stream);

} // namespace warpbound::certification::verify
