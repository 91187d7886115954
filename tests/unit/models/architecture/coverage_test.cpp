#include "models/architecture/coverage.hpp"

#include <gtest/gtest.h>

namespace warpbound::models {
namespace {

SourcedValue value_with(Grade grade, MeasuredOn measured) {
    SourcedValue value;
    value.grade = grade;
    value.measured = measured;
    if (grade != Grade::Unknown) value.interval = Interval{1, 1, 1};
    return value;
}

// One value of each kind in groups of different depth, and two more measured on the card.
TEST(Coverage, CountsEachValueOnceByWhatItRestsOn) {
    Architecture machine;
    machine.geometry.values = {value_with(Grade::Vendor, MeasuredOn::Nothing),
                               value_with(Grade::Repository, MeasuredOn::Card)};
    machine.classes[assembly::OpcodeClass::FloatAdd].values.values = {
        value_with(Grade::Vendor, MeasuredOn::Card),
        value_with(Grade::Inferred, MeasuredOn::Family)};
    machine.memories.push_back({"l2",
                                {value_with(Grade::PeerReviewed, MeasuredOn::Nothing),
                                 value_with(Grade::Measured, MeasuredOn::Card)}});
    // An assumption stays one, whatever was measured beside it.
    machine.blocks.values = {value_with(Grade::Assumed, MeasuredOn::Family),
                             value_with(Grade::Unknown, MeasuredOn::Nothing)};
    const Coverage coverage = coverage_of(machine);
    EXPECT_EQ(
        coverage,
        (Coverage{.unknown = 1, .assumed = 1, .card = 3, .family = 1, .vendor = 1, .derived = 1}));
    EXPECT_EQ(to_string(coverage),
              "3 of 8 values measured on this card, 1 on its family, 1 stated by the vendor, 1 "
              "derived, 1 assumed, 1 unknown; no whole kernel compared");
}

TEST(Coverage, OfNothingIsNothing) {
    EXPECT_EQ(coverage_of(Architecture{}), Coverage{});
}

} // namespace
} // namespace warpbound::models
