/// \file
/// Which lanes go on when the active ones cannot (C39, C40), where some have left points.

#include "certification/verify/divergence/simt_stack.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace warpbound::certification::verify {
namespace {

using Kind = SimtStack::Kind;

/// Whoever goes on may come to any block in the same turn.
const SimtStack::LaterIteration never = [](std::size_t, std::size_t) { return false; };

/// All are in the points that instructions 0 and 1 made.
SimtStack in_two_points() {
    SimtStack stack;
    stack.join(Kind::Explicit, 0);
    stack.join(Kind::Explicit, 1);
    return stack;
}

/// Some of the active lanes left the inner point and wait for their turn at block 7.
void let_some_leave(SimtStack& stack, std::size_t point = 1) {
    SimtStack others = stack;
    others.leave(point);
    stack.push_pending(5, 7, others);
}

/// The only ones who can go on.
SimtStack::Entry let_next(SimtStack& stack) {
    const auto choices = stack.next();
    EXPECT_EQ(choices.size(), 1U);
    if (choices.empty()) return {};
    stack = choices.front().second;
    return choices.front().first;
}

TEST(SimtStack, OpensAPointForThoseWhoArriveThoughOthersLeftItBefore) {
    SimtStack stack = in_two_points();
    let_some_leave(stack);
    EXPECT_TRUE(stack.arrive(1, 8, never));
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_FALSE(stack.arrive(0, 9, never));
    EXPECT_EQ(let_next(stack).resume, 7U);
    EXPECT_TRUE(stack.arrive(0, 9, never));
    EXPECT_TRUE(stack.entries().empty());
}

// Lanes that go on at block 7 may part at three blocks, at block 8 at one.
TEST(SimtStack, KnowsOnlyWhoPartedLastWhereOthersAreForgotten) {
    const std::vector<std::size_t> to_seven{2, 3, 5};
    const std::vector<std::size_t> to_eight{4};
    const SimtStack::DivergentBlocks parting = [&](std::size_t at) -> const auto& {
        return at == 7 ? to_seven : to_eight;
    };
    SimtStack stack{&parting};
    const SimtStack none = stack;
    stack.push_pending(3, 7, stack);
    const SimtStack one = stack;
    stack.push_pending(4, 8, none);
    stack.push_pending(5, 7, none);
    ASSERT_EQ(stack.entries().size(), 1U);
    using Groups = std::vector<SimtStack::Group>;
    EXPECT_EQ(stack.groups_of(stack.entries().front()), (Groups{{5, 7}, {2, 7}, {3, 7}, {4, 8}}));
    stack.end(never);
    std::set<SimtStack::Group> below;
    std::size_t empty = 0;
    for (const auto& [first, rest] : stack.next()) {
        EXPECT_EQ((SimtStack::Group{first.origin, first.resume}), (SimtStack::Group{5, 7}));
        if (rest.entries().empty())
            ++empty;
        else
            below.emplace(rest.entries().front().origin, rest.entries().front().resume);
    }
    EXPECT_EQ(empty, 1U);
    EXPECT_EQ(below, (std::set<SimtStack::Group>{{2, 7}, {3, 7}, {4, 8}}));

    SimtStack alone = none;
    alone.push_pending(5, 7, none);
    SimtStack two = one;
    two.push_pending(5, 7, none);
    EXPECT_EQ(two.without_earlier(), alone.without_earlier());
    EXPECT_TRUE(two.covers(alone));
    EXPECT_FALSE(alone.covers(two));
}

// In a later turn of a loop one that may wait below counts as one that does.
TEST(SimtStack, MixesWithThoseThatItForgot) {
    const std::vector<std::size_t> blocks{2, 3};
    const SimtStack::DivergentBlocks parting = [&](std::size_t) -> const auto& {
        return blocks;
    };
    SimtStack stack{&parting};
    const SimtStack none = stack;
    for (const std::size_t of : {2U, 3U, 2U})
        stack.push_pending(of, 7, none);
    ASSERT_EQ(stack.entries().size(), 2U);
    EXPECT_TRUE(stack.entries().front().one_or_more);
    EXPECT_TRUE(stack.entries().back().one_or_more);
    EXPECT_TRUE(stack.entries().back().interleaved);
    EXPECT_TRUE(stack.entries().back().earlier_resumes.empty());
}

TEST(SimtStack, KeepsAPointForThoseWhoWaitForTheirTurnInIt) {
    SimtStack stack = in_two_points();
    stack.push_pending(5, 7, stack);
    EXPECT_FALSE(stack.arrive(1, 8, never));
    EXPECT_EQ(let_next(stack).resume, 7U);
    stack.leave(1);
    stack.open_points(never);
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_FALSE(stack.arrive(0, 9, never));
    EXPECT_EQ(let_next(stack).resume, 8U);
}

// They wait from the moment on in which the last one ends, the others have waited before.
TEST(SimtStack, LetsThoseGoOnFirstWhosePointOpenedLater) {
    SimtStack stack = in_two_points();
    let_some_leave(stack);
    stack.wait_at(1, 8, stack);
    stack.end(never);
    const auto ready = let_next(stack);
    EXPECT_EQ(ready.kind, Kind::Released);
    EXPECT_EQ(ready.resume, 8U);
    EXPECT_EQ(stack.innermost(), 0U);
    stack.end(never);
    EXPECT_EQ(let_next(stack).resume, 7U);
    EXPECT_EQ(stack.innermost(), 0U);
    stack.end(never);
    EXPECT_TRUE(stack.next().empty());
}

// Lanes that stood below a group may part above it: how many groups there are is no longer that of
// one lane's executions.
TEST(SimtStack, CountsNoGroupsAboveOneThatOthersWentOnBefore) {
    SimtStack stack = in_two_points();
    let_some_leave(stack);
    SimtStack again = stack;
    let_some_leave(again);
    EXPECT_TRUE(again.entries().back().one_or_more);
    stack.wait_at(1, 8, stack);
    stack.end(never);
    EXPECT_EQ(let_next(stack).resume, 8U);
    EXPECT_THROW(stack.push_pending(5, 7, stack), SimtStack::NotFollowed);
}

TEST(SimtStack, LetsGroupsThatPartedAtOnceGoOnInAnyOrderEachOnce) {
    SimtStack stack = in_two_points();
    stack.push_pending(4, 6, stack);
    for (const std::size_t at : {7U, 8U, 9U})
        stack.push_pending(5, at, stack, true);
    stack.end(never);
    std::set<std::size_t> first;
    for (const auto& [group, rest] : stack.next()) {
        first.insert(group.resume);
        SimtStack then = rest;
        then.end(never);
        for (const auto& [second, last] : then.next()) {
            EXPECT_NE(second.resume, group.resume);
            SimtStack alone = last;
            alone.end(never);
            EXPECT_EQ(alone.next().size(), 1U);
            alone = alone.next().front().second;
            alone.end(never);
            EXPECT_EQ(let_next(alone).resume, 6U)
                << "who has waited longer goes on behind all of them";
        }
        EXPECT_EQ(then.next().size(), 2U);
    }
    EXPECT_EQ(first, (std::set<std::size_t>{7, 8, 9}));
    EXPECT_THROW(stack.push_pending(5, 8, stack), SimtStack::NotFollowed);
}

// Where lanes leave a loop at two places, groups of both kinds come to wait in any order.
TEST(SimtStack, LetsGroupsOfSeveralKindsGoOnInAnyOrder) {
    SimtStack stack = in_two_points();
    stack.push_pending(5, 7, stack);
    stack.push_pending(6, 8, stack);
    EXPECT_EQ(SimtStack{stack}.next().size(), 1U) << "each has waited once so far";
    stack.push_pending(5, 7, stack);
    SimtStack other_order = in_two_points();
    other_order.push_pending(6, 8, other_order);
    other_order.push_pending(5, 7, other_order);
    other_order.push_pending(6, 8, other_order);
    EXPECT_EQ(stack, other_order);
    stack.end(never);
    std::set<std::pair<std::size_t, std::size_t>> next; // Where they go on, and who waits still.
    for (const auto& [group, rest] : stack.next())
        next.emplace(group.resume, rest.entries().size());
    // Two points, and all kinds or none.
    EXPECT_EQ(next,
              (std::set<std::pair<std::size_t, std::size_t>>{{7, 4}, {7, 2}, {8, 4}, {8, 2}}));
    // A third kind stands above them until one of them comes again.
    stack.push_pending(9, 10, stack);
    EXPECT_EQ(stack.next().size(), 1U);
    stack.push_pending(6, 8, stack);
    EXPECT_EQ(stack.next().size(), 6U);
}

// In a turn they come to a point of that turn, and are of one kind once it is over.
TEST(SimtStack, JoinsGroupsOfSeveralTurnsWhenNoPointIsBetweenThem) {
    SimtStack stack;
    stack.join(Kind::Explicit, 0);
    const auto leave_a_turn = [&](std::size_t point) {
        stack.join(Kind::Explicit, 1);
        let_some_leave(stack, point);
    };
    leave_a_turn(1);
    EXPECT_TRUE(stack.arrive(1, 8, never));
    leave_a_turn(2);
    ASSERT_EQ(stack.entries().size(), 4U) << "a point, a group, a point and a group";
    EXPECT_FALSE(stack.entries()[3].one_or_more);
    EXPECT_TRUE(stack.arrive(2, 8, never));
    ASSERT_EQ(stack.entries().size(), 2U);
    EXPECT_TRUE(stack.entries()[1].one_or_more);
    EXPECT_FALSE(stack.arrive(0, 9, never));
    EXPECT_EQ(stack.next().size(), 2U) << "another group waits, or none";
}

// Who waited at a point of the turn comes to the branch in the next one, as those who left it would
// have: each turn still makes one group. Others may part there in the same turn.
TEST(SimtStack, CountsGroupsThatOthersOfTheSameTurnWentOnBefore) {
    const auto part_in_two_turns = [](const SimtStack::LaterIteration& later_turn) {
        SimtStack stack = in_two_points();
        let_some_leave(stack);
        stack.wait_at(1, 8, stack);
        stack.end(later_turn);
        EXPECT_EQ(let_next(stack).resume, 8U);
        stack.join(Kind::Explicit, 1);
        let_some_leave(stack, 2);
        EXPECT_TRUE(stack.arrive(2, 8, later_turn));
        return stack.entries().back().one_or_more;
    };
    EXPECT_TRUE(
        part_in_two_turns([](std::size_t of, std::size_t at) { return of == 5 && at == 8; }));
    EXPECT_THROW(part_in_two_turns(never), SimtStack::NotFollowed);
}

TEST(SimtStack, KeepsPointsOfEachGroupApart) {
    SimtStack stack = in_two_points();
    stack.join(Kind::Explicit, 2);
    let_some_leave(stack);
    EXPECT_THROW(stack.push_pending(5, 7, stack), SimtStack::NotFollowed);
    SimtStack others = stack;
    others.leave(1);
    stack.wait_at(2, 8, stack);
    EXPECT_THROW(stack.wait_at(2, 8, others), SimtStack::NotFollowed);
}

} // namespace
} // namespace warpbound::certification::verify
