/// \file
/// Which lanes go on when the active ones cannot (C39, C40), where some have left points.

#include "certification/verify/lane_stack.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace warpbound::certification::verify {
namespace {

using Kind = LaneStack::Kind;

/// All are in the points that instructions 0 and 1 made.
LaneStack in_two_points() {
    LaneStack stack;
    stack.join(Kind::Made, 0);
    stack.join(Kind::Made, 1);
    return stack;
}

/// Some of the active lanes left the inner point and wait for their turn at block 7.
void let_some_leave(LaneStack& stack) {
    LaneStack others = stack;
    others.leave(1);
    stack.wait_for_turn(5, 7, others);
}

/// The only ones who can go on.
LaneStack::Entry let_next(LaneStack& stack) {
    const auto choices = stack.next();
    EXPECT_EQ(choices.size(), 1U);
    if (choices.empty()) return {};
    stack = choices.front().second;
    return choices.front().first;
}

TEST(LaneStack, OpensAPointForThoseWhoArriveThoughOthersLeftItBefore) {
    LaneStack stack = in_two_points();
    let_some_leave(stack);
    EXPECT_TRUE(stack.arrive(1, 8));
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_FALSE(stack.arrive(0, 9));
    EXPECT_EQ(let_next(stack).at, 7U);
    EXPECT_TRUE(stack.arrive(0, 9));
    EXPECT_TRUE(stack.entries().empty());
}

TEST(LaneStack, KeepsAPointForThoseWhoWaitForTheirTurnInIt) {
    LaneStack stack = in_two_points();
    stack.wait_for_turn(5, 7, stack);
    EXPECT_FALSE(stack.arrive(1, 8));
    EXPECT_EQ(let_next(stack).at, 7U);
    stack.leave(1);
    stack.open_points();
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_FALSE(stack.arrive(0, 9));
    EXPECT_EQ(let_next(stack).at, 8U);
}

// They wait from the moment on in which the last one ends, the others have waited before.
TEST(LaneStack, LetsThoseGoOnFirstWhosePointOpenedLater) {
    LaneStack stack = in_two_points();
    let_some_leave(stack);
    stack.wait_at(1, 8, stack);
    stack.end();
    const auto ready = let_next(stack);
    EXPECT_EQ(ready.kind, Kind::Ready);
    EXPECT_EQ(ready.at, 8U);
    EXPECT_EQ(stack.innermost(), 0U);
    stack.end();
    EXPECT_EQ(let_next(stack).at, 7U);
    EXPECT_EQ(stack.innermost(), 0U);
    stack.end();
    EXPECT_TRUE(stack.next().empty());
}

// Lanes that stood below a group may part above it: how many groups there are is no longer that of
// one lane's executions.
TEST(LaneStack, CountsNoGroupsAboveOneThatOthersWentOnBefore) {
    LaneStack stack = in_two_points();
    let_some_leave(stack);
    LaneStack again = stack;
    let_some_leave(again);
    EXPECT_TRUE(again.entries().back().many);
    stack.wait_at(1, 8, stack);
    stack.end();
    EXPECT_EQ(let_next(stack).at, 8U);
    EXPECT_THROW(stack.wait_for_turn(5, 7, stack), LaneStack::NotFollowed);
}

// Where lanes leave a loop at two places, groups of both kinds come to wait in any order.
TEST(LaneStack, LetsGroupsOfSeveralKindsGoOnInAnyOrder) {
    LaneStack stack = in_two_points();
    stack.wait_for_turn(5, 7, stack);
    stack.wait_for_turn(6, 8, stack);
    EXPECT_EQ(LaneStack{stack}.next().size(), 1U) << "each has waited once so far";
    stack.wait_for_turn(5, 7, stack);
    LaneStack other_order = in_two_points();
    other_order.wait_for_turn(6, 8, other_order);
    other_order.wait_for_turn(5, 7, other_order);
    other_order.wait_for_turn(6, 8, other_order);
    EXPECT_EQ(stack, other_order);
    stack.end();
    std::set<std::pair<std::size_t, std::size_t>> next; // Where they go on, and who waits still.
    for (const auto& [group, rest] : stack.next())
        next.emplace(group.at, rest.entries().size());
    // Two points, and all kinds or none.
    EXPECT_EQ(next,
              (std::set<std::pair<std::size_t, std::size_t>>{{7, 4}, {7, 2}, {8, 4}, {8, 2}}));
    // A third kind stands above them until one of them comes again.
    stack.wait_for_turn(9, 10, stack);
    EXPECT_EQ(stack.next().size(), 1U);
    stack.wait_for_turn(6, 8, stack);
    EXPECT_EQ(stack.next().size(), 6U);
}

// What stands between may have been begun by others than those who part again.
TEST(LaneStack, MixesNoGroupsAcrossAPoint) {
    LaneStack stack = in_two_points();
    stack.wait_for_turn(5, 7, stack);
    stack.join(Kind::Made, 2);
    EXPECT_THROW(stack.wait_for_turn(5, 7, stack), LaneStack::NotFollowed);
}

TEST(LaneStack, KeepsPointsOfEachGroupApart) {
    LaneStack stack = in_two_points();
    stack.join(Kind::Made, 2);
    let_some_leave(stack);
    EXPECT_THROW(stack.wait_for_turn(5, 7, stack), LaneStack::NotFollowed);
    LaneStack others = stack;
    others.leave(1);
    stack.wait_at(2, 8, stack);
    EXPECT_THROW(stack.wait_at(2, 8, others), LaneStack::NotFollowed);
}

} // namespace
} // namespace warpbound::certification::verify
