#include "certification/verify/flow/post_dominators.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

// The post-dominators of a block are itself and those that all its successors have in common. Each
// chain of immediate post-dominators leads to the end of all paths through falling ranks, so the
// nearest common one is where two chains meet. Started from one known successor each, and repeated
// until nothing changes, this is the greatest solution.
PostDominators::PostDominators(const ControlFlow& flow)
    : rank_(flow.blocks.size() + 1, unknown), parents_(flow.blocks.size(), unknown) {
    const std::size_t end = flow.blocks.size();
    rank_[end] = 0;
    order_from_exits(flow);
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t block : order_) {
            std::size_t common = flow.blocks[block].exits ? end : unknown;
            for (const std::size_t to : flow.blocks[block].successors) {
                if (parents_[to] == unknown) continue;
                common = common == unknown ? to : nearest_common(common, to);
            }
            changed = changed || parents_[block] != common;
            parents_[block] = common;
        }
    }
}

void PostDominators::order_from_exits(const ControlFlow& flow) {
    const auto before = predecessors_of(flow);
    std::vector<bool> seen(before.size(), false);
    std::vector<std::pair<std::size_t, std::size_t>> path; ///< Block, predecessors passed.
    for (std::size_t exit = 0; exit < before.size(); ++exit) {
        if (!flow.blocks[exit].exits || seen[exit]) continue;
        seen[exit] = true;
        path.emplace_back(exit, 0);
        while (!path.empty()) {
            auto& [block, passed] = path.back();
            if (passed == before[block].size()) {
                order_.push_back(block);
                path.pop_back();
                continue;
            }
            const std::size_t from = before[block][passed++];
            if (seen[from]) continue;
            seen[from] = true;
            path.emplace_back(from, 0);
        }
    }
    std::reverse(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size(); ++i)
        rank_[order_[i]] = i + 1;
}

std::size_t PostDominators::nearest_common(std::size_t a, std::size_t b) const {
    while (a != b) {
        if (rank_[a] < rank_[b]) std::swap(a, b);
        a = parents_[a];
    }
    return a;
}

} // namespace warpbound::certification::verify
