#include "models/formulas/atomics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace warpbound::models::atomics {
namespace {

using testing::HasSubstr;

TEST(Atomics, CountTheLanesOfTheFullestAddress) {
    std::vector<std::uint64_t> distinct(32);
    std::iota(distinct.begin(), distinct.end(), 0);
    EXPECT_EQ(multiplicity(distinct).value(), 1);
    EXPECT_EQ(multiplicity(std::vector<std::uint64_t>(32, 64)).value(), 32);
    EXPECT_EQ(multiplicity(std::vector<std::uint64_t>{8, 4, 8, 4, 8}).value(), 3);
}

TEST(Atomics, RefuseWhatTheyCannotComputeWith) {
    EXPECT_THAT(multiplicity({}).error().what, HasSubstr("lanes is 0"));
    EXPECT_THAT(time_of(0, {8, 2}).error().what, HasSubstr("multiplicity is 0"));
    EXPECT_THAT(time_of(1, {-8, 2}).error().what, HasSubstr("base time is -8"));
    EXPECT_THAT(costs_from(4, 8, 4, 9).error().what, HasSubstr("larger multiplicity"));
    EXPECT_THAT(costs_from(1, 8, 2, 7).error().what, HasSubstr("falls"));
}

TEST(Atomics, ExplainThemselves) {
    const ExplainedSymbol expected{"T_op", 2, "cycles/lane", "measured"};
    EXPECT_THAT(explain(4, {8, 2}, time_of(4, {8, 2}).value()), testing::Contains(expected));
}

} // namespace
} // namespace warpbound::models::atomics
