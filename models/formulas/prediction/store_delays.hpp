#pragma once
/// \file
/// What the stores of a kernel meet at the write buffer: by recurrence, and by network calculus for
/// any interleaving of the warps.

#include "models/formulas/prediction/question.hpp"
#include "models/formulas/write_buffer.hpp"

namespace warpbound::models::prediction {

struct StoreDelays {
    std::int64_t stores = 0; ///< Of one warp.
    std::int64_t warps = 0;  ///< Resident.
    /// Estimate: all warps start together and store as one warp alone does.
    std::optional<write_buffer::Completion> recurrence{};
    /// Of any store, from when it may enter until it has drained.
    std::optional<write_buffer::Guarantee> guarantee{};
    std::vector<ExplainedSymbol> symbols{};
    std::vector<std::string> missing{};
    std::string refusal{}; ///< Why there is no guarantee, and no recurrence where that is absent.
};

/// Nothing for a profile without stores. The recurrence takes typical values. The guarantee: the
/// stores of a warp are at least as far apart as its instructions' least distances say, so W warps
/// send at most W and one more in each W-th part of that; where this is faster than the buffer
/// drains, or blocks follow each other, at most all stores of the blocks.
/// Side: of the guarantee, upper. Sound when: every warp follows the profile, the multiprocessors
/// get equally many blocks, and the description's intervals hold (contract C8, C15); passes that
/// nothing states are 32, those of a pattern two of each lane. Beside accesses through the caches
/// stores stay longer and may wait for the way to the L2 (C26): no guarantee.
/// Source: reference models 10 and 12.
std::optional<StoreDelays> store_delays(const Question& question);

} // namespace warpbound::models::prediction
