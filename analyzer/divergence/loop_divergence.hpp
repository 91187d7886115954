#pragma once
/// \file
/// Lanes that leave loops in different turns, in the copies of blocks that follow each other
/// (docs/soundness.md, S19d).

#include "analyzer/divergence/serialized_blocks.hpp"

namespace warpbound::analyzer {

/// Those who leave behind a copy of the branch go on before the others turn on, or wait until the
/// others have left. Requires: `Parting::leaving`.
void let_leave(WarpCopies& copies, std::size_t branch, const Parting& parting,
               const WarpCopies::Reached& reached);

/// The same at each of several branches of the same turns, of which one copy is `branch`. Those who
/// waited follow each other in any order; all come over one last block, at which their sequence
/// turns, at most `lanes` times. Returns the copies of all these branches; none when a block has
/// several copies there.
std::optional<WarpCopies::Set> let_leave_at_several(WarpCopies& copies, std::size_t branch,
                                                    const Parting& parting,
                                                    const std::vector<Parting>& partings,
                                                    const WarpCopies::Reached& reached,
                                                    std::int64_t lanes);

/// Where lanes break off from the copies `of` a way of the parting: behind `ends`, all who did and
/// wait for their turn follow each other up to where they meet others; then `next` goes on.
void let_break_off(WarpCopies& copies, const Parting& parting, const std::vector<Parting>& partings,
                   const WarpCopies::Set& of, const WarpCopies::Set& ends, std::size_t next);

/// Where lanes that broke off in the copies `of` go on with those they meet.
WarpCopies::Set behind_breaks(const WarpCopies& copies, const Parting& parting,
                              const std::vector<Parting>& partings, const WarpCopies::Set& of);

} // namespace warpbound::analyzer
