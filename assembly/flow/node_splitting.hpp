#pragma once
/// \file
/// Makes loops that are entered at several places into loops with one entry.

#include "assembly/flow/block_exploration.hpp"

#include <vector>

namespace warpbound::assembly {

/// Blocks of a loop get copies for the paths that enter it elsewhere than at its header, until they
/// reach the header. Paths from the entry are the same sequences of instructions as before; blocks
/// that no path reaches may stay. Of too many copies, the rest of the loops keeps its entries.
/// Source: Hecht and Ullman 1974, on node splitting; Janssen and Corporaal 1997, on which node to
/// keep: here one that leaves no loop to copy where there is one, and then few blocks.
std::vector<ExploredBlock> with_single_entries(std::vector<ExploredBlock> blocks);

} // namespace warpbound::assembly
