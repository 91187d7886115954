#include "harness/protocol/block_lives.hpp"

#include <algorithm>

namespace warpbound::harness {

std::map<std::int64_t, LivesOnSm>
lives_of_blocks(const std::vector<models::WarpObservation>& warps) {
    std::map<std::int64_t, std::map<std::int64_t, BlockLife>> by_number;
    for (const auto& warp : warps) {
        auto& block = by_number[warp.multiprocessor]
                          .try_emplace(warp.block, BlockLife{*warp.first_clock, *warp.last_clock})
                          .first->second;
        block.begin = std::min(block.begin, *warp.first_clock);
        block.end = std::max(block.end, *warp.last_clock);
    }
    std::map<std::int64_t, LivesOnSm> lives;
    for (const auto& [multiprocessor, blocks] : by_number) {
        const BlockLife& any = blocks.begin()->second;
        LivesOnSm& all = lives[multiprocessor] = {{}, any.begin, any.end};
        for (const auto& [number, block] : blocks) {
            all.blocks.push_back(block);
            all.first_begin = std::min(all.first_begin, block.begin);
            all.first_end = std::min(all.first_end, block.end);
        }
    }
    return lives;
}

} // namespace warpbound::harness
