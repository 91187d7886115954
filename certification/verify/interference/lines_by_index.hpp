#pragma once
/// \file
/// Lines of code that a thread block which has ended leaves in the L0s, by the indices of its
/// threads (S97 of docs/theory). Shares no code with the analysis.

#include "certification/verify/interference/demand.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// Of the lines that a block may leave out (S84), how many some scheduler may look up though no
/// thread of a block is sure to there. All of them where the launch does not say which warps a
/// scheduler has, or runs draw guards. `bytes`: of a line. Side: upper.
std::int64_t lines_left_out_by_index(const TimedCode& code, std::int64_t bytes);

} // namespace warpbound::certification::verify
