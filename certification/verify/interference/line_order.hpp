#pragma once
/// \file
/// In which order the lines of a text are first executed, and how many misses of the instruction
/// caches can follow one another (docs/theory, S36, lemmas 4 and 5).

#include "certification/verify/interference/demand.hpp"
#include "models/sourced.hpp"

#include <cstdint>
#include <map>
#include <set>

namespace warpbound::certification::verify {

/// A line, in relation to the one before it in the text.
struct LineInOrder {
    bool is_preceded = false; ///< Every path that comes to it has executed that line.
    bool is_next = false;     ///< Besides, it is the first new one after that line in each warp.
};
/// By the number of each line that some path executes.
using LineOrder = std::map<std::int64_t, LineInOrder>;

/// The numbers of the lines of which some path executes an instruction. `bytes`: of a line.
std::set<std::int64_t> lines_on_paths(const TimedCode& code, std::int64_t bytes);

/// Lines without which some path from the entry ends, of a lane of each warp: a thread block that
/// has ended need not have looked them up (S84). `bytes`: of a line. Side: upper.
std::int64_t lines_left_out(const TimedCode& code, std::int64_t bytes);

/// Requires: few lines.
LineOrder line_order(const TimedCode& code, std::int64_t bytes);

/// Whose waits count on one scheduler.
enum class Waiters {
    Sole, ///< Its only warp's.
    Turn, ///< At each time those of one of its warps.
    All
};

/// On one scheduler. Side: upper.
struct MissesInTurn {
    std::int64_t requests = 0; ///< To the L1.
    std::int64_t groups = 0;   ///< Of lines that come together, each with all transfers.
    std::int64_t of_l1 = 0;    ///< Of the L1 alone.
};

/// `stream`: lines behind it that a miss requests.
MissesInTurn misses_in_turn(const LineOrder& order, const models::Interval& stream,
                            Waiters waiters);

} // namespace warpbound::certification::verify
