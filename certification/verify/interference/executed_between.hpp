#pragma once
/// \file
/// What the warps of a block execute from one of its barriers to the next one (step S17, lemma 3,
/// of docs/theory).

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

struct ExecutedBetween {
    /// From the start to the first barrier, and so on to the end. `Shape:`
    /// instructions[interval][index].
    std::vector<std::vector<bool>> instructions;
    /// The least time from the last arrival at a barrier to what follows it. `Unit:` core cycles.
    std::int64_t shortest_release = 0;
};

/// None where a barrier is in a loop, or a path leaves one out.
std::optional<ExecutedBetween> executed_between_barriers(const TimedCode& code);

} // namespace warpbound::certification::verify
