/// \file
/// Which lanes go on when the active ones cannot (C39, C40), where some have left points.

#include "certification/verify/divergence/simt_stack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {
namespace {

using Kind = SimtStack::Kind;

/// Not looked at.
SimtStack::PassedOver any;

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

/// The only ones who can go on, with their stack from then on.
SimtStack::Resumed take(SimtStack& stack, const std::vector<SimtStack::Resumed>& choices) {
    EXPECT_EQ(choices.size(), 1U);
    if (choices.empty()) return {};
    stack = choices.front().stack;
    return choices.front();
}
SimtStack::Resumed arrive(SimtStack& stack, std::size_t point, std::size_t resume) {
    return take(stack, stack.arrive(point, resume, any));
}
SimtStack::Resumed end(SimtStack& stack, SimtStack::PassedOver& passed = any) {
    return take(stack, stack.end(passed));
}

/// Blocks where lanes may go on when the active ones end.
std::multiset<std::size_t> next_of(const SimtStack& stack) {
    std::multiset<std::size_t> blocks;
    for (const SimtStack::Resumed& lanes : stack.end(any))
        blocks.insert(lanes.block);
    return blocks;
}

TEST(SimtStack, OpensAPointForThoseWhoArriveThoughOthersLeftItBefore) {
    SimtStack stack = in_two_points();
    let_some_leave(stack);
    EXPECT_EQ(arrive(stack, 1, 8).block, 8U);
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_EQ(arrive(stack, 0, 9).block, 7U);
    EXPECT_EQ(arrive(stack, 0, 9).block, 9U);
    EXPECT_TRUE(stack.entries().empty());
}

TEST(SimtStack, KeepsAPointForThoseWhoWaitForTheirTurnInIt) {
    SimtStack stack = in_two_points();
    stack.push_pending(5, 7, stack);
    EXPECT_EQ(arrive(stack, 1, 8).block, 7U);
    stack.leave(1);
    const auto opened = stack.open_points(any);
    ASSERT_EQ(opened.size(), 1U);
    stack = opened.front();
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_EQ(arrive(stack, 0, 9).block, 8U);
}

// They wait from the moment on in which the last one ends, the others have waited before.
TEST(SimtStack, LetsThoseGoOnFirstWhosePointOpenedLater) {
    SimtStack stack = in_two_points();
    let_some_leave(stack);
    stack.wait_at(1, 8, stack);
    const auto ready = end(stack);
    EXPECT_EQ(ready.kind, Kind::Released);
    EXPECT_EQ(ready.block, 8U);
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_EQ(end(stack).block, 7U);
    EXPECT_EQ(stack.innermost(), 0U);
    EXPECT_EQ(end(stack).block, SimtStack::none);
}

// Lanes that stood below a group may part above it: how many groups there are is no longer that of
// one lane's executions. So the group is named, with the block where they go on.
TEST(SimtStack, NamesGroupsThatOthersWentOnBefore) {
    SimtStack stack = in_two_points();
    let_some_leave(stack);
    stack.wait_at(1, 8, stack);
    SimtStack::PassedOver passed;
    EXPECT_EQ(end(stack, passed).block, 8U);
    EXPECT_EQ(passed, (SimtStack::PassedOver{{{5, 7}, {8}}}));
    stack.push_pending(5, 7, stack);
    ASSERT_EQ(stack.entries().size(), 2U);
    EXPECT_TRUE(stack.entries().back().one_or_more);
}

// So are those that lanes pass which waited for the ones that arrive, but not by these alone.
TEST(SimtStack, NamesGroupsThatOthersPassWithThoseThatArrive) {
    SimtStack stack = in_two_points();
    let_some_leave(stack);
    SimtStack::PassedOver passed;
    EXPECT_EQ(stack.arrive(1, 8, passed).size(), 1U);
    EXPECT_TRUE(passed.empty());
    stack.wait_at(1, 8, stack);
    EXPECT_EQ(stack.arrive(1, 8, passed).size(), 1U);
    EXPECT_EQ(passed, (SimtStack::PassedOver{{{5, 7}, {8}}}));
}

TEST(SimtStack, LetsGroupsThatPartedAtOnceGoOnInAnyOrderEachOnce) {
    SimtStack stack = in_two_points();
    stack.push_pending(4, 6, stack);
    for (const std::size_t at : {7U, 8U, 9U})
        stack.push_pending(5, at, stack, true);
    EXPECT_EQ(next_of(stack), (std::multiset<std::size_t>{7, 8, 9}));
    for (const auto& first : stack.end(any)) {
        const auto seconds = first.stack.end(any);
        EXPECT_EQ(seconds.size(), 2U);
        for (const auto& second : seconds) {
            EXPECT_NE(second.block, first.block);
            SimtStack alone = second.stack;
            EXPECT_NE(end(alone).block, 6U);
            EXPECT_EQ(end(alone).block, 6U) << "who has waited longer goes on behind all of them";
        }
    }
}

// Where lanes leave a loop at two places, groups of both kinds come to wait in any order.
TEST(SimtStack, LetsGroupsOfSeveralKindsGoOnInAnyOrder) {
    SimtStack stack = in_two_points();
    stack.push_pending(5, 7, stack);
    stack.push_pending(6, 8, stack);
    EXPECT_EQ(next_of(stack).size(), 1U) << "each has waited once so far";
    stack.push_pending(5, 7, stack);
    SimtStack other_order = in_two_points();
    other_order.push_pending(6, 8, other_order);
    other_order.push_pending(5, 7, other_order);
    other_order.push_pending(6, 8, other_order);
    EXPECT_EQ(stack, other_order);
    std::set<std::pair<std::size_t, std::size_t>> next; // Where they go on, and who waits still.
    for (const auto& lanes : stack.end(any))
        next.emplace(lanes.block, lanes.stack.entries().size());
    // Two points, and all kinds or none.
    EXPECT_EQ(next,
              (std::set<std::pair<std::size_t, std::size_t>>{{7, 4}, {7, 2}, {8, 4}, {8, 2}}));
    // A third kind stands above them until one of them comes again.
    stack.push_pending(9, 10, stack);
    EXPECT_EQ(next_of(stack).size(), 1U);
    stack.push_pending(6, 8, stack);
    EXPECT_EQ(next_of(stack).size(), 6U);
}

// A group that need not be there goes on, or what is below it does.
TEST(SimtStack, LetsOptionalGroupsGoOnOrBeAbsent) {
    SimtStack stack = in_two_points();
    for (const std::size_t at : {7U, 8U})
        stack.push_pending(at - 2, at, stack, false, true);
    const auto next = stack.arrive(1, 9, any);
    std::map<std::size_t, SimtStack> by_block;
    for (const auto& lanes : next)
        by_block.emplace(lanes.block, lanes.stack);
    ASSERT_EQ(by_block.size(), 3U) << "both are absent, the upper one is there, or only the other";
    EXPECT_EQ(next.size(), 3U);
    EXPECT_EQ(by_block.at(9).entries().size(), 1U);
    EXPECT_EQ(by_block.at(8).entries().size(), 3U);
    ASSERT_EQ(by_block.at(7).entries().size(), 2U);
    EXPECT_EQ(by_block.at(7).entries()[1].resume, 9U) << "the others wait";
    EXPECT_EQ(next_of(stack), (std::multiset<std::size_t>{7, 8, SimtStack::none}));
}

// Several such groups of a loop: any number of them, none included.
TEST(SimtStack, MergesOptionalGroupsOfALoop) {
    SimtStack stack;
    stack.push_pending(5, 7, stack, false, true);
    stack.push_pending(5, 7, stack, false, true);
    ASSERT_EQ(stack.entries().size(), 1U);
    EXPECT_TRUE(stack.entries().front().one_or_more);
    EXPECT_TRUE(stack.entries().front().optional);
    EXPECT_EQ(next_of(stack), (std::multiset<std::size_t>{7, SimtStack::none}));
    stack.push_pending(5, 7, stack);
    EXPECT_FALSE(stack.entries().front().optional) << "one is there";
}

// Lanes wait at a point that opens unless an optional group holds it closed.
TEST(SimtStack, OpensAPointOrNotWhereAnOptionalGroupMayBeMissing) {
    SimtStack stack = in_two_points();
    stack.wait_at(1, 8, stack);
    stack.push_pending(5, 7, stack, false, true);
    stack.leave(1);
    const auto opened = stack.open_points(any);
    ASSERT_EQ(opened.size(), 2U);
    const auto released = std::count_if(opened.begin(), opened.end(), [](const SimtStack& one) {
        return one.entries().back().kind == Kind::Released && one.entries().size() == 2;
    });
    EXPECT_EQ(released, 1);
    EXPECT_EQ(std::count(opened.begin(), opened.end(), stack), 1);
}

TEST(SimtStack, CoversStacksThatLackWhatNeedNotBeThere) {
    SimtStack all;
    all.join(Kind::PostDominator, 9);
    all.push_pending(4, 6, all, false, true);
    all.push_pending(5, 7, all, false, true);
    SimtStack upper;
    upper.join(Kind::PostDominator, 9);
    upper.push_pending(5, 7, upper);
    EXPECT_TRUE(all.covers(all));
    EXPECT_TRUE(all.covers(upper));
    EXPECT_FALSE(upper.covers(all)) << "a group that is there is not one that may be";
    EXPECT_TRUE(all.covers(SimtStack{})) << "nobody but the active lanes is in the point";
    SimtStack swapped;
    swapped.join(Kind::PostDominator, 9);
    swapped.push_pending(5, 7, swapped, false, true);
    swapped.push_pending(4, 6, swapped, false, true);
    EXPECT_FALSE(all.covers(swapped)) << "another order";
    SimtStack without_point;
    without_point.push_pending(5, 7, without_point);
    EXPECT_FALSE(all.covers(without_point)) << "this group is in no point";
    SimtStack waiting = upper;
    waiting.wait_at(0, 9, waiting);
    EXPECT_FALSE(all.covers(waiting));
    EXPECT_FALSE(waiting.covers(upper));
    SimtStack many = upper;
    many.push_pending(5, 7, upper);
    EXPECT_TRUE(many.covers(upper));
    EXPECT_FALSE(upper.covers(many));
    SimtStack outside = all;
    outside.leave(0);
    EXPECT_FALSE(all.covers(outside));
    SimtStack in_code = in_two_points();
    EXPECT_FALSE(in_code.covers(SimtStack{})) << "a point of the code is there";
}

// Groups that diverged at once go on in any order; with another one between they would not.
TEST(SimtStack, CoversGroupsThatPartedAtOnceOnlyTogether) {
    SimtStack stack;
    for (const std::size_t at : {7U, 8U})
        stack.push_pending(5, at, stack, true);
    auto entries = stack.entries();
    for (SimtStack::Entry& entry : entries)
        entry.optional = true;
    EXPECT_TRUE(SimtStack::of(entries, {})->covers(stack));
    entries.insert(entries.begin() + 1, {Kind::Pending, 6, 9, {}, true});
    EXPECT_FALSE(SimtStack::of(entries, {})->covers(stack));
}

// Groups of a loop in any order, as many as come: all that is a sequence of them.
TEST(SimtStack, JoinsGroupsOfDifferentOrderAsAnyNumberInAnyOrder) {
    const auto stack_of = [](const std::vector<std::size_t>& resumes) {
        SimtStack stack = in_two_points();
        for (const std::size_t resume : resumes)
            stack.push_pending(resume + 10, resume, stack);
        return stack;
    };
    const auto in_order = stack_of({7, 8}).joined(stack_of({8}));
    ASSERT_TRUE(in_order);
    EXPECT_TRUE(in_order->entries()[2].optional);
    EXPECT_FALSE(in_order->entries()[3].optional) << "both have it";
    EXPECT_FALSE(in_order->covers(stack_of({8, 7})));
    const auto mixed = stack_of({7, 8}).joined(stack_of({8, 7}));
    ASSERT_TRUE(mixed);
    for (const auto& resumes : std::vector<std::vector<std::size_t>>{{}, {7}, {8}, {7, 8}, {8, 7}})
        EXPECT_TRUE(mixed->covers(stack_of(resumes)));
    EXPECT_FALSE(mixed->covers(stack_of({7, 9})));
    EXPECT_FALSE(mixed->covers(SimtStack{}));
    EXPECT_FALSE(stack_of({7}).joined(SimtStack{})) << "points of the code are there or not";
}

// What a bundle may claim.
TEST(SimtStack, IsOfEntriesThatBelongTogether) {
    const SimtStack::Entry point{Kind::Explicit, 3};
    const SimtStack::Entry group{Kind::Pending, 5, 7};
    EXPECT_TRUE(SimtStack::of({point, group}, {{Kind::Explicit, 3}}));
    EXPECT_FALSE(SimtStack::of({point, point}, {}));
    EXPECT_FALSE(SimtStack::of({group}, {{Kind::Explicit, 3}}));
    SimtStack::Entry nowhere = group;
    nowhere.resume = SimtStack::none;
    EXPECT_FALSE(SimtStack::of({nowhere}, {}));
    SimtStack::Entry mixed = group;
    mixed.one_or_more = mixed.interleaved = true;
    EXPECT_FALSE(SimtStack::of({mixed}, {})) << "with nothing below";
    EXPECT_FALSE(SimtStack::of({point, mixed}, {}));
    EXPECT_FALSE(SimtStack::of({group, mixed}, {}));
    SimtStack::Entry below = group;
    below.one_or_more = true;
    EXPECT_TRUE(SimtStack::of({below, mixed}, {}));
    below.optional = true;
    EXPECT_FALSE(SimtStack::of({below, mixed}, {})) << "one of both must be there, or none";
    below.optional = false;
    SimtStack::Entry elsewhere = mixed;
    elsewhere.left = {{Kind::Explicit, 3}};
    EXPECT_FALSE(SimtStack::of({point, below, elsewhere}, {})) << "either may be absent";
    elsewhere.optional = true;
    SimtStack::Entry optional_below = below;
    optional_below.optional = true;
    EXPECT_TRUE(SimtStack::of({point, optional_below, elsewhere}, {}));
    mixed.simultaneous = true;
    EXPECT_FALSE(SimtStack::of({below, mixed}, {}));
    SimtStack::Entry optional_point = point;
    optional_point.optional = true;
    EXPECT_FALSE(SimtStack::of({optional_point}, {}));
    SimtStack::Entry outside = group;
    outside.left = {{Kind::Explicit, 3}};
    EXPECT_FALSE(SimtStack::of({outside, point}, {})) << "the point is above";
    EXPECT_TRUE(SimtStack::of({point, outside}, {}));
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
    EXPECT_EQ(arrive(stack, 1, 8).block, 8U);
    leave_a_turn(2);
    ASSERT_EQ(stack.entries().size(), 4U) << "a point, a group, a point and a group";
    EXPECT_FALSE(stack.entries()[3].one_or_more);
    EXPECT_EQ(arrive(stack, 2, 8).block, 8U);
    ASSERT_EQ(stack.entries().size(), 2U);
    EXPECT_TRUE(stack.entries()[1].one_or_more);
    EXPECT_EQ(stack.arrive(0, 9, any).size(), 2U) << "another group waits, or none";
}

// Groups of one branch in different points are any number of both kinds. Either may be absent, so
// the point opens from which the others are missing.
TEST(SimtStack, MixesGroupsInDifferentPoints) {
    SimtStack stack = in_two_points();
    let_some_leave(stack);
    stack.push_pending(5, 7, stack);
    ASSERT_EQ(stack.entries().size(), 4U);
    EXPECT_TRUE(stack.entries()[2].left.empty());
    EXPECT_EQ(stack.entries()[3].left, (std::set<SimtStack::Point>{{Kind::Explicit, 1}}));
    for (const std::size_t group : {2U, 3U})
        EXPECT_TRUE(stack.entries()[group].one_or_more && stack.entries()[group].optional);
    EXPECT_TRUE(stack.entries()[3].interleaved);
    const auto next = stack.arrive(1, 8, any);
    const auto opened = std::find_if(next.begin(), next.end(), [](const auto& lanes) {
        return lanes.kind == Kind::Explicit && lanes.block == 8;
    });
    ASSERT_NE(opened, next.end());
    ASSERT_EQ(opened->stack.entries().size(), 2U);
    EXPECT_FALSE(opened->stack.entries()[1].interleaved) << "nothing is below it";
    EXPECT_TRUE(SimtStack::of(opened->stack.entries(), {})) << "as a bundle may have it";
    EXPECT_TRUE(std::any_of(next.begin(), next.end(),
                            [](const auto& lanes) { return lanes.kind == Kind::Pending; }));
}

// Multi-way branches, in two iterations: a later group may also be below those that diverged
// together with it.
TEST(SimtStack, MixesGroupsThatDivergedAtOnceWithLaterOnes) {
    SimtStack stack;
    stack.join(Kind::Explicit, 0);
    stack.push_pending(5, 7, stack);
    for (const std::size_t resume : {6U, 7U, 8U})
        stack.push_pending(5, resume, stack, true);
    stack.merge_groups();
    ASSERT_EQ(stack.entries().size(), 4U);
    EXPECT_TRUE(SimtStack::of(stack.entries(), {}));
    for (std::size_t group = 1; group < 4; ++group)
        EXPECT_TRUE(stack.entries()[group].one_or_more && !stack.entries()[group].simultaneous);
    EXPECT_EQ(next_of(stack), (std::multiset<std::size_t>{6, 6, 7, 7, 8, 8}))
        << "the last one, or not";
}

TEST(SimtStack, KeepsPointsOfEachGroupApart) {
    SimtStack stack = in_two_points();
    stack.join(Kind::Explicit, 2);
    SimtStack others = stack;
    others.leave(1);
    stack.wait_at(2, 8, stack);
    EXPECT_THROW(stack.wait_at(2, 8, others), SimtStack::NotFollowed);
}

} // namespace
} // namespace warpbound::certification::verify
