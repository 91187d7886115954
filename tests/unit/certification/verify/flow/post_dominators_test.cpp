/// \file
/// Post-dominators against the definition: every path to an EXIT passes them.

#include "certification/verify/flow/post_dominators.hpp"

#include <gtest/gtest.h>

#include <random>

namespace warpbound::certification::verify {
namespace {

/// Blocks that paths from `block` reach without `without`.
std::vector<bool> reached(const ControlFlow& flow, std::size_t block,
                          std::optional<std::size_t> without) {
    std::vector<bool> blocks(flow.blocks.size(), false);
    std::vector<std::size_t> work{block};
    blocks[block] = true;
    while (!work.empty()) {
        const std::size_t at = work.back();
        work.pop_back();
        for (const std::size_t to : flow.blocks[at].successors)
            if (to != without && !blocks[to]) {
                blocks[to] = true;
                work.push_back(to);
            }
    }
    return blocks;
}

bool exits(const ControlFlow& flow, const std::vector<bool>& blocks) {
    for (std::size_t block = 0; block < blocks.size(); ++block)
        if (blocks[block] && flow.blocks[block].exits) return true;
    return false;
}

/// By leaving out one block after another.
std::optional<std::size_t> by_definition(const ControlFlow& flow, std::size_t block) {
    const std::size_t count = flow.blocks.size();
    const auto all = reached(flow, block, std::nullopt);
    if (!exits(flow, all)) return std::nullopt;
    std::vector<bool> on_all(count, false);
    for (std::size_t i = 0; i < count; ++i)
        on_all[i] = i != block && all[i] && !exits(flow, reached(flow, block, i));
    for (std::size_t i = 0; i < count; ++i) {
        if (!on_all[i]) continue;
        const auto before = reached(flow, block, i);
        bool first = true;
        for (std::size_t other = 0; other < count; ++other)
            first = first && !(before[other] && on_all[other]);
        if (first) return i;
    }
    return std::nullopt;
}

TEST(PostDominators, AgreeWithTheDefinitionOnRandomFlows) {
    std::mt19937 random{7};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (int round = 0; round < 2000; ++round) {
        ControlFlow flow;
        const std::size_t count = 1 + below(12);
        for (std::size_t block = 0; block < count; ++block) {
            BlockRow row;
            row.exits = below(5) == 0;
            for (std::size_t edges = below(3); edges > 0; --edges)
                row.successors.push_back(below(count));
            flow.blocks.push_back(row);
        }
        const PostDominators found{flow};
        for (std::size_t block = 0; block < count; ++block)
            ASSERT_EQ(found.immediate(block), by_definition(flow, block))
                << "round " << round << ", block " << block;
    }
}

} // namespace
} // namespace warpbound::certification::verify
