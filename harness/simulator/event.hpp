#pragma once
/// \file
/// What happens in a run, as values. Listeners turn events into traces and counts.

#include <cstddef>
#include <cstdint>
#include <variant>

namespace warpbound::harness::simulator {

/// Why a warp's next instruction did not issue earlier: the last condition that held it, in
/// contract order.
enum class Stall { None, Gap, Register, Scoreboard, Port, WriteBuffer, Barrier, NotChosen };

/// An instruction issued. `Unit:` cycle counts from the start of the execution time.
struct Issued {
    std::int64_t cycle = 0;
    int warp = 0;          ///< Index of the warp in the launch: block * warps per block + warp.
    std::size_t block = 0; ///< Basic block of the control-flow graph.
    std::size_t instruction = 0; ///< Index into the function.
    bool executed = true;        ///< False when its predicate switched it off.
    Stall stall = Stall::None;   ///< What it waited for beyond its predecessor's issue.
};
/// The result of an instruction is ready.
struct Completed {
    std::int64_t cycle = 0;
    int warp = 0;
    std::size_t instruction = 0;
};
/// A write-buffer entry drained.
struct Drained {
    std::int64_t cycle = 0;
    int warp = 0;
};
struct WarpEnded {
    std::int64_t cycle = 0;
    int warp = 0;
};
using Event = std::variant<Issued, Completed, Drained, WarpEnded>;

} // namespace warpbound::harness::simulator
