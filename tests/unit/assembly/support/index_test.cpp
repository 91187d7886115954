#include "assembly/flow/block_index.hpp"
#include "assembly/support/index.hpp"
#include "assembly/support/indexed_vector.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace warpbound::assembly {
namespace {

using Node = Index<struct TestNodeTag>;

template <class Vector, class Position>
concept IndexedBy = requires(Vector vector, Position at) {
    vector[at];
};
template <class A, class B>
concept ComparableWith = requires(A a, B b) {
    a == b;
};

// What a mix-up of indices would need does not exist.
static_assert(!std::is_convertible_v<Node, BlockIndex>);
static_assert(!std::is_constructible_v<BlockIndex, Node>);
static_assert(!std::is_assignable_v<BlockIndex&, Node>);
static_assert(!std::is_convertible_v<std::size_t, BlockIndex>);
static_assert(!std::is_convertible_v<BlockIndex, std::size_t>);
static_assert(!ComparableWith<Node, BlockIndex>);
static_assert(ComparableWith<Node, Node>);
static_assert(!IndexedBy<PerBlock<int>, Node>);
static_assert(!IndexedBy<PerBlock<int>, std::size_t>);
static_assert(IndexedBy<PerBlock<int>, BlockIndex>);
static_assert(!IndexedBy<std::vector<int>, BlockIndex>);
static_assert(!std::is_convertible_v<std::vector<int>, PerBlock<int>>);
static_assert(sizeof(Node) == sizeof(std::size_t) && std::is_trivially_copyable_v<Node>);

TEST(Index, OrdersAndHashesByItsValue) {
    EXPECT_LT(Node{2}, Node{3});
    EXPECT_EQ(++Node{2}, Node{3});
    EXPECT_EQ(std::hash<Node>{}(Node{7}), std::hash<std::size_t>{}(7));
}

TEST(IndexedVector, SaysWhereItPutAnElement) {
    IndexedVector<Node, int> numbers;
    EXPECT_EQ(numbers.next(), Node{0});
    EXPECT_EQ(numbers.push_back(5), Node{0});
    EXPECT_EQ(numbers.append(2, 6), Node{1});
    EXPECT_EQ(numbers.last(), Node{2});
    EXPECT_EQ(numbers[Node{2}], 6);
}

// Elements that come while a loop runs are not of the loop.
TEST(IndexedVector, ListsThePositionsThatItHas) {
    IndexedVector<Node, bool> flags(3, false);
    for (const Node node : flags.indices()) {
        flags[node] = node != Node{1};
        flags.push_back(true);
    }
    EXPECT_EQ(flags, (IndexedVector<Node, bool>{true, false, true, true, true, true}));
}

TEST(BlockIndex, ReadsTheGraphsNumbers) {
    ControlFlowGraph graph;
    graph.blocks.resize(3);
    graph.blocks[2].address = 0x20;
    graph.innermost_loop = {{}, 0, 0};
    graph.edges = {{2, 1, EdgeKind::Taken}};
    Loop loop;
    loop.header = 1;
    loop.blocks = {1, 2};
    graph.loops = {loop};
    EXPECT_EQ(block_at(graph, BlockIndex{2}).address, 0x20);
    EXPECT_EQ(from_block(graph.edges.front()), BlockIndex{2});
    EXPECT_EQ(to_block(graph.edges.front()), header_block(graph.loops.front()));
    EXPECT_TRUE(has_block(graph.loops.front(), BlockIndex{2}));
    EXPECT_FALSE(has_block(graph.loops.front(), entry_block));
    EXPECT_EQ(innermost_loop_of(graph, BlockIndex{1}), 0U);
    EXPECT_FALSE(innermost_loop_of(graph, entry_block));
}

} // namespace
} // namespace warpbound::assembly
