#pragma once
/// \file
/// What control flow is computed from: the exits of a loop, or all branches of a function.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace warpbound::assembly {

/// Where a backward slice ends.
struct SliceSources {
    std::set<std::int64_t> constants; ///< Offsets in constant bank 0. `Unit:` bytes.
    std::set<std::size_t> loads;      ///< Instructions that read memory, or indexed constants.
    std::set<std::string> specials;   ///< Special registers, as in the listing: "SR_TID.X".
    /// Instructions that make an integer of a floating-point number, as quotients by a value that
    /// is not a constant do. They are passed.
    std::set<std::size_t> conversions;
};

/// The sources of the branches and EXITs by which a loop ends: of their backward slice over the
/// data dependences of registers (Weiser, ICSE 1981), without control dependences. An address is no
/// source of the data that is loaded from it.
SliceSources exit_sources(const Function& function, const ControlFlowGraph& graph,
                          const Loop& loop);

/// Per block: the instructions, in their order, that compute guards and predicate operands of
/// control instructions: the backward slice of all of these (Weiser, ICSE 1981). What a load reads
/// does not belong to it, except its guard. Instructions of which it is not known what they write
/// are in it, too.
/// `guards`: per instruction, whether its guard is computed, too; empty: no other's.
std::vector<std::vector<std::size_t>> control_slice(const Function& function,
                                                    const ControlFlowGraph& graph,
                                                    const std::vector<bool>& guards = {});

} // namespace warpbound::assembly
