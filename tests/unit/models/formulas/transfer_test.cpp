#include "models/formulas/transfer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::transfer {
namespace {

using testing::HasSubstr;

const Direction direction{
    .start = Seconds{1e-6}, .bandwidth = 1e9, .lambda = 0.5, .empty = std::nullopt};

TEST(Transfer, RefusesWhatItCannotComputeWith) {
    EXPECT_THAT(time_of(0, direction).error().what, HasSubstr("0 bytes is missing"));
    EXPECT_THAT(time_of(-1, direction).error().what, HasSubstr("bytes is -1"));
    EXPECT_THAT(time_of(1, {}).error().what, HasSubstr("start-up is 0"));
    EXPECT_THAT(start_from({}).error().what, HasSubstr("no times"));
    EXPECT_THAT(lambda_from(1, Seconds{1e-6}, Seconds{1e-6}, 1e9).error().what,
                HasSubstr("time above the start-up is 0"));
}

TEST(Transfer, TakesTheMeanOfSmallCopiesAsStart) {
    const std::vector<Seconds> times{Seconds{4e-6}, Seconds{3e-6}, Seconds{5e-6}};
    EXPECT_DOUBLE_EQ(start_from(times).value().count(), 4e-6);
}

TEST(Transfer, ExplainsItself) {
    const ExplainedSymbol expected{"bw", 1e9, "bytes/s", "machine"};
    EXPECT_THAT(explain(8, direction, time_of(8, direction).value()), testing::Contains(expected));
}

} // namespace
} // namespace warpbound::models::transfer
