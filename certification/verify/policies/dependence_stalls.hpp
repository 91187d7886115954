#pragma once
/// \file
/// Longest dependence stalls of a warp, by what is outstanding at each instruction (step S77 of
/// docs/theory), from listing and description.

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// D: how long a warp may remain unready after its turn before, by what it waits for itself,
/// whichever path it is on and however long others delay it. `Unit:` core cycles. Side: upper.
struct DependenceStalls {
    std::vector<std::int64_t> of_instruction; ///< 0 of those that cannot be reached.
    std::int64_t longest = 0;
    std::int64_t after_barrier = 0; ///< D_B: of an instruction that may follow a barrier.
    std::int64_t completion = 1;    ///< From the last EXIT on.
};

DependenceStalls dependence_stalls_of(const TimedCode& code);

} // namespace warpbound::certification::verify
