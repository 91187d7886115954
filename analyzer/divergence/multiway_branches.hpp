#pragma once
/// \file
/// Copies for lanes that part to more than two ways at once, as by a table of branch targets
/// (docs/soundness.md, S19d).

#include "analyzer/divergence/serialized_blocks.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Lets the ways of one copy of the branch that begin at `starts` follow each other in any order,
/// each once; where this takes more than `most` copies, as many of any of them as there are ways or
/// `lanes`, which makes a longer path at most.
void let_several_follow(SerializedBlocks& copies, std::size_t branch,
                        const DivergentBranch& parting, const SerializedBlocks::Reached& reached,
                        const std::vector<std::size_t>& starts, std::size_t most,
                        std::int64_t lanes);

} // namespace warpbound::analyzer
