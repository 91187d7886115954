#pragma once
/// \file
/// Lanes that leave loops in different turns, in the copies of blocks that follow each other
/// (docs/soundness.md, S19d).

#include "analyzer/divergence/serialized_blocks.hpp"

namespace warpbound::analyzer {

/// Those who leave behind a copy of the branch go on before the others turn on, or wait until the
/// others have left. Requires: `DivergentBranch::leaving`.
void let_leave(SerializedBlocks& copies, std::size_t branch, const DivergentBranch& parting,
               const SerializedBlocks::Reached& reached);

/// The same at each of several branches of the same turns, of which one copy is `branch`. Those who
/// waited follow each other in any order; all come over one last block, at which their sequence
/// turns, at most `lanes` times. Returns the copies of all these branches; none when a block has
/// several copies there.
std::optional<SerializedBlocks::Set>
let_leave_at_several(SerializedBlocks& copies, std::size_t branch, const DivergentBranch& parting,
                     const std::vector<DivergentBranch>& divergent_branches,
                     const SerializedBlocks::Reached& reached, std::int64_t lanes);

/// Where lanes break off from the copies `of` a way of the parting: behind `ends`, all who did and
/// wait for their turn follow each other up to where they meet others; then `next` goes on.
void let_break_off(SerializedBlocks& copies, const DivergentBranch& parting,
                   const std::vector<DivergentBranch>& divergent_branches,
                   const SerializedBlocks::Set& of, const SerializedBlocks::Set& ends,
                   std::size_t next);

/// Where lanes that broke off in the copies `of` go on with those they meet.
SerializedBlocks::Set behind_breaks(const SerializedBlocks& copies, const DivergentBranch& parting,
                                    const std::vector<DivergentBranch>& divergent_branches,
                                    const SerializedBlocks::Set& of);

} // namespace warpbound::analyzer
