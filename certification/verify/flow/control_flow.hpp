#pragma once
/// \file
/// The control flow of a bundle held against its listing, and the loops in it: written for
/// checking, apart from the code that the analysis uses.

#include "certification/verify/evidence.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::certification::verify {

struct CheckedLoop {
    std::size_t header = 0;
    std::set<std::size_t> blocks;
    std::int64_t min_turns = 0; ///< Back edges per entry.
    std::int64_t max_turns = 0;
};

struct ControlFlow {
    std::vector<BlockRow> blocks;
    std::vector<std::size_t> order; ///< Of each block: its place in reverse post order.
    std::vector<CheckedLoop> loops; ///< Inner ones before those around them.
    std::vector<bool> never;        ///< Blocks that the flow facts exclude.
    std::vector<std::size_t> first; ///< Instruction of each block.
    std::vector<std::size_t> last;
};

/// Every block is a run of instructions left only behind the last; its successors are those that
/// the last instruction may go to, and none of those it must be able to go to is missing; every
/// loop has its bound in the flow facts. Throws `Finding`.
ControlFlow check_control_flow(const KernelCase& kernel);

/// Gives `flow`, of which blocks are set, their order and loops without bounds. `id`: of the
/// kernel. Throws `Finding` where a block cannot be reached, or a loop be entered in its middle.
void find_order_and_loops(const std::string& id, ControlFlow& flow);

/// Blocks on a path that the facts allow: from the entry to an exit, or between two blocks.
std::vector<bool> live_blocks(const ControlFlow& flow,
                              const std::optional<std::pair<std::size_t, std::size_t>>& between);

/// What made the points at which such an instruction arrives; none: it does not arrive.
std::optional<assembly::ControlFlow> pushed_by(assembly::ControlFlow pop);

/// Where the instruction leads, from its operands; none: nowhere that they say.
std::optional<std::int64_t> target_of(const assembly::Instruction& instruction);

} // namespace warpbound::certification::verify
