#pragma once
/// \file
/// Where lanes may go after a block, by the code and the facts.

#include "analyzer/launch/context.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// The block ends with a branch at which lanes may diverge.
bool diverges_after(const AnalysisContext& context, std::size_t block);
/// Blocks after the given one that lanes may come to.
std::set<std::size_t> next_blocks(const AnalysisContext& context, std::size_t block);
/// Per block: lanes may end after it. Of the others none is executed.
std::vector<bool> ending_blocks(const AnalysisContext& context);
/// About how many nodes the sets of groups make that diverge after the block and meet again at
/// `meeting`; 0: it has two paths at most.
std::size_t set_nodes_at(const AnalysisContext& context, std::size_t block,
                         const std::optional<std::size_t>& meeting);
/// The same of all branches; 0 is among them.
std::set<std::size_t> sizes_of_sets(const AnalysisContext& context);

} // namespace warpbound::analyzer
