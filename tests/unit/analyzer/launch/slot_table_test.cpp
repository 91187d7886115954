#include "analyzer/launch/slot_table.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;

SlotTable order(const char* policy, std::int64_t places, std::int64_t slot = 1) {
    return {models::read_policy(policy).value(), places, slot};
}

TEST(SlotTable, GivesTheFastPlaceItsShareAndTheOthersTheRestInTurn) {
    EXPECT_THAT(order("variable-rate:fast=0,every=2", 4).owners(), ElementsAre(0, 1, 0, 2, 0, 3));
    EXPECT_THAT(order("variable-rate:fast=2,every=2", 4).owners(), ElementsAre(2, 0, 2, 1, 2, 3));
    EXPECT_THAT(order("variable-rate:fast=0,every=3", 4).owners(),
                ElementsAre(0, 1, 2, 0, 3, 1, 0, 2, 3));
    EXPECT_THAT(order("variable-rate:fast=5,every=2", 1).owners(), ElementsAre(0));
    // The fast place counts modulo the number of places.
    EXPECT_THAT(order("variable-rate:fast=5,every=2", 2).owners(), ElementsAre(1, 0));
}

TEST(SlotTable, NamesOnePlaceOfThoseThatAreAlike) {
    EXPECT_THAT(order("variable-rate:fast=0,every=2", 4).kinds(), ElementsAre(0, 1));
    EXPECT_THAT(order("variable-rate:fast=0,every=3", 4).kinds(), ElementsAre(0, 1));
    // 0 1 2: one of the others always follows the fast place, one always comes before it.
    EXPECT_THAT(order("variable-rate:fast=0,every=3", 3).kinds(), ElementsAre(0, 1, 2));
    EXPECT_THAT(order("variable-rate:fast=1,every=2", 1).kinds(), ElementsAre(0));
}

TEST(SlotBoundaries, CountsLastCyclesOfSlots) {
    const SlotTable places = order("variable-rate:fast=0,every=2", 3, 2); // 0 0 1 1 0 0 2 2
    const SlotBoundaries points{places, 2};                               // at 7, 15, ..
    EXPECT_EQ(points.behind(0, 2), 0);
    EXPECT_EQ(points.behind(0, 3), 1);
    EXPECT_EQ(points.behind(3, 3), 0); // Its own point does not count.
    EXPECT_EQ(points.behind(3, 4), 1); // The next round's does.
    EXPECT_EQ(points.behind(1, 10), 3);
    EXPECT_EQ(points.within(0, 7), 0);
    EXPECT_EQ(points.within(0, 8), 1);
    EXPECT_EQ(points.within(7, 1), 1);
    EXPECT_EQ(points.within(8, 7), 0);
    EXPECT_EQ(points.within(8, 16), 2);
}

} // namespace
} // namespace warpbound::analyzer
