#include "analyzer/launch/slot_table.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;

SlotTable table(const char* policy, std::int64_t warp_slots, std::int64_t slot = 1) {
    return {models::read_policy(policy).value(), models::Warps{warp_slots}, slot};
}

TEST(SlotTable, GivesTheFastWarpSlotItsShareAndTheOthersTheRestInCyclicOrder) {
    EXPECT_THAT(table("variable-rate:fast=0,every=2", 4).owners(), ElementsAre(0, 1, 0, 2, 0, 3));
    EXPECT_THAT(table("variable-rate:fast=2,every=2", 4).owners(), ElementsAre(2, 0, 2, 1, 2, 3));
    EXPECT_THAT(table("variable-rate:fast=0,every=3", 4).owners(),
                ElementsAre(0, 1, 2, 0, 3, 1, 0, 2, 3));
    EXPECT_THAT(table("variable-rate:fast=5,every=2", 1).owners(), ElementsAre(0));
    // The fast warp slot counts modulo the number of warp slots.
    EXPECT_THAT(table("variable-rate:fast=5,every=2", 2).owners(), ElementsAre(1, 0));
}

TEST(SlotTable, RepresentsEachClassOfEquivalentWarpSlots) {
    EXPECT_THAT(table("variable-rate:fast=0,every=2", 4).representatives(), ElementsAre(0, 1));
    EXPECT_THAT(table("variable-rate:fast=0,every=3", 4).representatives(), ElementsAre(0, 1));
    // 0 1 2: one of the others always follows the fast warp slot, one always comes before it.
    EXPECT_THAT(table("variable-rate:fast=0,every=3", 3).representatives(), ElementsAre(0, 1, 2));
    EXPECT_THAT(table("variable-rate:fast=1,every=2", 1).representatives(), ElementsAre(0));
}

TEST(SlotBoundaries, CountsLastCyclesOfSlots) {
    const SlotTable slots = table("variable-rate:fast=0,every=2", 3, 2); // 0 0 1 1 0 0 2 2
    const SlotBoundaries boundaries{slots, 2};                           // at 7, 15, ..
    EXPECT_EQ(boundaries.after(0, 2), 0);
    EXPECT_EQ(boundaries.after(0, 3), 1);
    EXPECT_EQ(boundaries.after(3, 3), 0); // Its own boundary does not count.
    EXPECT_EQ(boundaries.after(3, 4), 1); // That of the next period does.
    EXPECT_EQ(boundaries.after(1, 10), 3);
    EXPECT_EQ(boundaries.within(0, 7), 0);
    EXPECT_EQ(boundaries.within(0, 8), 1);
    EXPECT_EQ(boundaries.within(7, 1), 1);
    EXPECT_EQ(boundaries.within(8, 7), 0);
    EXPECT_EQ(boundaries.within(8, 16), 2);
}

} // namespace
} // namespace warpbound::analyzer
