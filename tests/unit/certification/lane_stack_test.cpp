/// \file
/// Which lanes go on when the active ones cannot (C39, C40), where some have left points.

#include "certification/verify/lane_stack.hpp"

#include <gtest/gtest.h>

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

TEST(LaneStack, OpensAPointForThoseWhoArriveThoughOthersLeftItBefore) {
    LaneStack stack = in_two_points();
    let_some_leave(stack);
    EXPECT_TRUE(stack.arrive(1, 8));
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_FALSE(stack.arrive(0, 9));
    const auto turn = stack.next();
    ASSERT_TRUE(turn);
    EXPECT_EQ(turn->at, 7U);
    EXPECT_TRUE(stack.arrive(0, 9));
    EXPECT_TRUE(stack.entries().empty());
}

TEST(LaneStack, KeepsAPointForThoseWhoWaitForTheirTurnInIt) {
    LaneStack stack = in_two_points();
    stack.wait_for_turn(5, 7, stack);
    EXPECT_FALSE(stack.arrive(1, 8));
    EXPECT_EQ(stack.next()->at, 7U);
    stack.leave(1);
    stack.open_points();
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_FALSE(stack.arrive(0, 9));
    EXPECT_EQ(stack.next()->at, 8U);
}

// They wait from the moment on in which the last one ends, the others have waited before.
TEST(LaneStack, LetsThoseGoOnFirstWhosePointOpenedLater) {
    LaneStack stack = in_two_points();
    let_some_leave(stack);
    stack.wait_at(1, 8, stack);
    stack.end();
    auto turn = stack.next();
    ASSERT_TRUE(turn);
    EXPECT_EQ(turn->kind, Kind::Ready);
    EXPECT_EQ(turn->at, 8U);
    EXPECT_EQ(stack.innermost(), 0U);
    stack.end();
    turn = stack.next();
    ASSERT_TRUE(turn);
    EXPECT_EQ(turn->at, 7U);
    EXPECT_EQ(stack.innermost(), 0U);
    stack.end();
    EXPECT_FALSE(stack.next());
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
    EXPECT_EQ(stack.next()->at, 8U);
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
