#pragma once
/// \file
/// The control flow of a bundle compared with its listing, and its loops. Shares no code with the
/// analysis.

#include "certification/verify/evidence.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

struct CheckedLoop {
    std::size_t header = 0;
    std::set<std::size_t> blocks;
    std::int64_t min_back_edges = 0; ///< Taken per entry: iterations less one.
    std::int64_t max_back_edges = 0;
};

/// Which gaps an edge may have: those of lanes that fell through, and of a transfer (C4, C41).
struct EdgeGaps {
    bool falls = false;
    bool transfers = false;
};

struct ControlFlow {
    std::vector<BlockRow> blocks;
    std::vector<std::size_t> order; ///< Of each block: its index in reverse postorder.
    std::vector<CheckedLoop> loops; ///< Inner loops before outer ones.
    std::vector<bool> never;        ///< Blocks that the flow facts exclude.
    std::vector<std::size_t> first; ///< Index of each block's first instruction.
    std::vector<std::size_t> last;
    /// By the last instruction of a block and the first one of a successor, where the states of
    /// lanes tell the gaps. Empty: the text does.
    std::map<std::pair<std::size_t, std::size_t>, EdgeGaps> gaps{};
};

/// Every block is a sequence of instructions that is left only after the last one. Its successors
/// are those that the last instruction may have, and none that it must have is missing. Every loop
/// is natural and has a bound. Throws `Finding`.
ControlFlow check_control_flow(const KernelCase& kernel);

/// Sets order and loops, without bounds, of a `flow` whose blocks are set. `id`: of the kernel.
/// Throws `Finding` where a block cannot be reached, or a loop has more than one entry.
void find_order_and_loops(const std::string& id, ControlFlow& flow);

/// The flow of paths that may end within any loop, before its least number of iterations.
ControlFlow flow_of_beginnings(ControlFlow flow);

/// Per block: those that have it as a successor, in order.
std::vector<std::vector<std::size_t>> predecessors_of(const ControlFlow& flow);

/// Blocks on a path that the facts allow: from the entry to an exit, or between two blocks.
std::vector<bool> live_blocks(const ControlFlow& flow,
                              const std::optional<std::pair<std::size_t, std::size_t>>& between);

/// The control flow of the instructions that set the reconvergence points (or push the tokens) at
/// which an instruction like `pop` arrives; none: it arrives at none.
std::optional<assembly::ControlFlow> pushed_by(assembly::ControlFlow pop);

/// The target address among the operands; none: they name none.
std::optional<std::int64_t> target_of(const assembly::Instruction& instruction);

} // namespace warpbound::certification::verify
