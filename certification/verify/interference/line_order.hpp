#pragma once
/// \file
/// In which order the lines of a text are first executed, and how many misses of the L1 instruction
/// cache can follow one another (docs/theory, S36, lemma 4).

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <map>
#include <set>

namespace warpbound::certification::verify {

/// The numbers of the lines of which some path executes an instruction. `bytes`: of a line.
std::set<std::int64_t> lines_on_paths(const TimedCode& code, std::int64_t bytes);

/// By the number of each line that some path executes: whether every path that comes to it has
/// executed the line before it in the text.
using LineOrder = std::map<std::int64_t, bool>;

/// Requires: few lines.
LineOrder line_order(const TimedCode& code, std::int64_t bytes);

/// Waits for the L1 on one scheduler, none of whose lines is requested when the one before begins.
/// `stream`: lines behind it that a miss requests. `by_all`: whichever warp waits;
/// otherwise one warp, at each time, of those of the scheduler. Side: upper.
std::int64_t misses_in_turn(const LineOrder& order, const models::Interval& stream, bool by_all);

} // namespace warpbound::certification::verify
