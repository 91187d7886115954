#include "certification/verify/flow/post_dominators.hpp"

namespace warpbound::certification::verify {

std::optional<std::size_t> PostDominators::immediate(std::size_t block) {
    auto& known = known_[block];
    if (!known) known.emplace(find(block));
    return *known;
}

std::optional<std::size_t> PostDominators::find(std::size_t block) const {
    const std::size_t count = flow_.blocks.size();
    const std::vector<bool> all = reached(block, std::nullopt);
    if (!exits(all)) return std::nullopt;
    std::vector<bool> on_all_paths(count, false);
    for (std::size_t i = 0; i < count; ++i)
        on_all_paths[i] = i != block && all[i] && !exits(reached(block, i));
    for (std::size_t i = 0; i < count; ++i) {
        if (!on_all_paths[i]) continue;
        const std::vector<bool> before = reached(block, i);
        bool first = true;
        for (std::size_t other = 0; other < count; ++other)
            first = first && !(before[other] && on_all_paths[other]);
        if (first) return i;
    }
    return std::nullopt;
}

std::vector<bool> PostDominators::reached(std::size_t block,
                                          std::optional<std::size_t> without) const {
    std::vector<bool> blocks(flow_.blocks.size(), false);
    std::vector<std::size_t> work{block};
    blocks[block] = true;
    while (!work.empty()) {
        const std::size_t at = work.back();
        work.pop_back();
        for (const std::size_t to : flow_.blocks[at].successors)
            if (to != without && !blocks[to]) {
                blocks[to] = true;
                work.push_back(to);
            }
    }
    return blocks;
}

bool PostDominators::exits(const std::vector<bool>& blocks) const {
    for (std::size_t block = 0; block < blocks.size(); ++block)
        if (blocks[block] && flow_.blocks[block].exits) return true;
    return false;
}

} // namespace warpbound::certification::verify
