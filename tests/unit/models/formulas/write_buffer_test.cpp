#include "models/formulas/write_buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::write_buffer {
namespace {

using testing::HasSubstr;

// Two entries, drains of 10: the third store waits for the first to leave at 10, the fourth, ready
// only at 100, where no store waits for it.
TEST(WriteBuffer, HoldsAStoreUntilAnEntryIsFree) {
    const std::vector<Store> stores{{0_cycles, 10_cycles},
                                    {0_cycles, 10_cycles},
                                    {5_cycles, 10_cycles},
                                    {100_cycles, 10_cycles}};
    const auto found = completion(stores, 1_cycles, 2).value();
    EXPECT_EQ(found.passages[1].entered, 1_cycles);
    EXPECT_EQ(found.passages[2].entered, 10_cycles);
    EXPECT_EQ(found.passages[2].drained, 30_cycles);
    EXPECT_EQ(found.last_entered.value(), 100);
    EXPECT_EQ(found.last_drained.value(), 110);
}

TEST(WriteBuffer, RefusesWhatItCannotComputeWith) {
    const std::vector<Store> stores{{0_cycles, 10_cycles}};
    EXPECT_THAT(completion({}, 0_cycles, 1).error().what, HasSubstr("no stores"));
    EXPECT_THAT(completion(stores, 0_cycles, 0).error().what, HasSubstr("entries is 0"));
    EXPECT_THAT(completion(stores, Cycles{-1}, 1).error().what, HasSubstr("gap between stores"));
    const ServiceCurve service{.latency = 0_cycles, .drain = {10_cycles, 41_cycles}};
    EXPECT_THAT(guarantee({.burst = 1, .interval = 40_cycles}, service).error().what,
                HasSubstr("faster than they drain"));
    EXPECT_THAT(guarantee({.burst = 0, .interval = 40_cycles}, service).error().what,
                HasSubstr("burst is 0"));
}

TEST(WriteBuffer, ExplainsItself) {
    const ArrivalCurve arrivals{.burst = 8, .interval = 40_cycles};
    const ServiceCurve service{.latency = 0_cycles, .drain = {10_cycles, 30_cycles}};
    const ExplainedSymbol delay{"delay", 240, "cycles", "network calculus, T + b/R"};
    EXPECT_THAT(explain(arrivals, service, guarantee(arrivals, service).value()),
                testing::Contains(delay));
    const std::vector<Store> stores{{0_cycles, 10_cycles}};
    const ExplainedSymbol entries{"K", 3, "entries", "calibration"};
    EXPECT_THAT(explain(stores, 34_cycles, 3, completion(stores, 34_cycles, 3).value()),
                testing::Contains(entries));
}

} // namespace
} // namespace warpbound::models::write_buffer
