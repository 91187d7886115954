#pragma once
/// \file
/// The control flow of a bundle held against its listing, and the loops in it: written for
/// checking, apart from the code that the analysis uses.

#include "certification/verify/evidence.hpp"

#include <cstdint>
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

/// Blocks on a path that the facts allow: from the entry to an exit, or between two blocks.
std::vector<bool> live_blocks(const KernelCase& kernel, const ControlFlow& flow,
                              const std::optional<std::pair<std::size_t, std::size_t>>& between);

} // namespace warpbound::certification::verify
