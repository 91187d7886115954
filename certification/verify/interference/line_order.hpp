#pragma once
/// \file
/// In which order the lines of a text are first executed, and how many misses of the instruction
/// caches can follow one another (docs/theory, S36, lemmas 4 to 6).

#include "certification/verify/flow/control_flow.hpp"
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

/// `flow` without edges that no thread takes: from and to blocks that are never executed, and, with
/// `of_lanes`, those of which a linear fact says so by itself. Where lanes wait for each other, a
/// warp may come to a block after one that does not lead there.
ControlFlow without_untaken_edges(const TimedCode& code, const ControlFlow& flow, bool of_lanes);

/// The same of the paths of a warp.
ControlFlow taken_by_warps(const TimedCode& code);

/// The numbers of the lines of which some path executes an instruction. `bytes`: of a line.
std::set<std::int64_t> lines_on_paths(const TimedCode& code, std::int64_t bytes);

/// The numbers of the lines without which some path from the entry ends, of a lane of each warp: a
/// thread block that has ended need not have looked them up (S84). `bytes`: of a line. Side: upper.
std::set<std::int64_t> line_numbers_left_out(const TimedCode& code, std::int64_t bytes);

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

/// How many times, at most, an SM begins to bring lines of `order` into its L1, where lines that
/// one miss of an L0 requests together count once (S36, lemma 6). `schedulers`: of the SM, with
/// warps. Side: upper.
std::int64_t transfers_to_l1(const LineOrder& order, const models::Interval& stream,
                             std::int64_t schedulers);

} // namespace warpbound::certification::verify
