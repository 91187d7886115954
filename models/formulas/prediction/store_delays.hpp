#pragma once
/// \file
/// Delays of the stores of a kernel at the write buffer: by recurrence, and by network calculus for
/// any interleaving of the warps.

#include "models/formulas/prediction/question.hpp"
#include "models/formulas/write_buffer.hpp"

namespace warpbound::models::prediction {

struct StoreDelays {
    std::int64_t stores = 0; ///< Of one warp.
    std::int64_t warps = 0;  ///< Resident.
    /// Estimate: all warps start at the same time and store as one warp in isolation does.
    std::optional<write_buffer::Completion> recurrence{};
    /// Bounds on any store, from the time it may enter until it has drained.
    std::optional<write_buffer::Guarantee> guarantee{};
    std::vector<ExplainedSymbol> symbols{};
    std::vector<std::string> missing{};
    std::string refusal{}; ///< Why there is no guarantee, and no recurrence where that is absent.
};

/// None for a profile without stores. The recurrence uses typical values. The arrival curve of the
/// guarantee: the distance of two stores of a warp is at least the sum of the least distances of
/// its instructions, so W warps send at most W stores, and one more in each W-th part of that
/// distance. Where this is faster than the buffer drains, or there are several waves of blocks, the
/// burst is all stores of the blocks. Side: of the guarantee, upper. Sound when: every warp follows
/// the profile, the multiprocessors get equally many blocks, and the description's intervals hold
/// (contract C8, C15); passes that are not stated are one per lane (of AMD two), those of a
/// pattern two. With
/// accesses through the caches stores stay longer and may wait for the request link to the L2
/// (C26): no guarantee. Source: reference models 10 and 12.
std::optional<StoreDelays> store_delays(const Question& question);

} // namespace warpbound::models::prediction
