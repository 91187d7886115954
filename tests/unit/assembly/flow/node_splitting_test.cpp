#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/flow/node_splitting.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::assembly {
namespace {

/// Blocks of one instruction each, with these successors.
std::vector<ExploredBlock> blocks_of(const std::vector<std::vector<std::size_t>>& successors) {
    std::vector<ExploredBlock> blocks(successors.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i].first = blocks[i].last = i;
        for (std::size_t k = 0; k < successors[i].size(); ++k)
            blocks[i].successors.push_back({successors[i][k], k > 0});
    }
    return blocks;
}

bool is_reducible(const std::vector<ExploredBlock>& blocks) {
    Function function;
    function.instructions.resize(blocks.size());
    return order_blocks(function, blocks).has_value();
}

/// Whether the paths from both entries are the same sequences of instructions.
bool has_the_same_paths(const std::vector<ExploredBlock>& a, const std::vector<ExploredBlock>& b) {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    std::vector<std::pair<std::size_t, std::size_t>> work{{0, 0}};
    while (!work.empty()) {
        const auto [x, y] = work.back();
        work.pop_back();
        if (!seen.insert({x, y}).second) continue;
        if (a[x].first != b[y].first || a[x].successors.size() != b[y].successors.size())
            return false;
        for (std::size_t k = 0; k < a[x].successors.size(); ++k) {
            if (a[x].successors[k].taken != b[y].successors[k].taken) return false;
            work.emplace_back(a[x].successors[k].block, b[y].successors[k].block);
        }
    }
    return true;
}

TEST(NodeSplitting, CopiesWhatIsPassedBeforeTheHeader) {
    // 0 enters the loop of 1 and 2 at both.
    const auto blocks = blocks_of({{1, 2}, {2}, {1, 3}, {}});
    EXPECT_FALSE(is_reducible(blocks));
    const auto split = with_single_entries(blocks);
    EXPECT_EQ(split.size(), 5U);
    EXPECT_TRUE(is_reducible(split));
    EXPECT_TRUE(has_the_same_paths(blocks, split));
}

TEST(NodeSplitting, LeavesLoopsWithOneEntryAlone) {
    const auto blocks = blocks_of({{1}, {2, 4}, {2, 3}, {1}, {}});
    EXPECT_EQ(with_single_entries(blocks).size(), blocks.size());
}

TEST(NodeSplitting, MakesEveryRandomGraphReducible) {
    int split_graphs = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        std::mt19937_64 engine{seed};
        std::vector<std::vector<std::size_t>> successors(4 + engine() % 5);
        for (auto& of : successors)
            for (std::uint64_t count = 1 + engine() % 2; count > 0; --count)
                of.push_back(engine() % successors.size());
        const auto blocks = blocks_of(successors);
        const auto split = with_single_entries(blocks);
        ASSERT_TRUE(is_reducible(split)) << "seed " << seed;
        ASSERT_TRUE(has_the_same_paths(blocks, split)) << "seed " << seed;
        split_graphs += is_reducible(blocks) ? 0 : 1;
    }
    EXPECT_GT(split_graphs, 20);
}

} // namespace
} // namespace warpbound::assembly
