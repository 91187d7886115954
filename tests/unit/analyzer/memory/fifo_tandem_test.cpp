/// \file
/// What loads wait for at servers that take them in one order.

#include "analyzer/analyze.hpp"
#include "analyzer/memory/fifo_tandem.hpp"

#include <gtest/gtest.h>

namespace warpbound::analyzer {
namespace {

/// Services of 2 at the L1, of 5 at the link and 3 at a slice; 4 places in the load queue, 8 on the
/// link with its 20 cycles.
MemoryParameters caches() {
    MemoryParameters values;
    values.first_level_service = {2, std::nullopt, 2};
    values.link_service = {5, std::nullopt, 5};
    values.slice_service = {3, std::nullopt, 3};
    values.transit = {20, std::nullopt, 20};
    values.link_queue = 8;
    values.load_queue = 4;
    return values;
}

/// Ten loads of the chain among 100, of ten lines each; 400 of the lines leave the L1.
FifoTandem loads() {
    FifoTandem made;
    made.lines = 1000;
    made.requests = 400;
    made.on_critical_path = 10;
    made.least_lines = 10;
    made.queue_fills = false;
    made.link_fills = false;
    made.slices_in_l1_order = true;
    made.completes_in_order = true;
    made.latency = 300;
    return made;
}

std::int64_t wait(const FifoTandem& made) {
    return sum_of(tandem_delay(made, caches())).count();
}

constexpr std::int64_t response_link = 400 * 5;

TEST(InOrder, CountsATransactionWithItsLongestServiceAndAHitWithThatOfTheL1) {
    EXPECT_EQ(wait(loads()), 400 * 5 + 600 * 2 + response_link);
}

TEST(InOrder, CountsSlicesApartThatDoNotFollow) {
    auto made = loads();
    made.slices_in_l1_order = false;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 400 * 3);
}

TEST(InOrder, CountsAgainWhatALoadOfTheChainLeavesBehind) {
    auto made = loads();
    made.completes_in_order = false;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 10 * 8 * 5);
    made.on_critical_path = 1000; // No more than all services.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 400 * (5 + 3));
}

TEST(InOrder, TakesTheWayOfTheOldestHolderOnceForAllThatHoldEntries) {
    auto made = loads();
    made.least_sectors_in_mshr = 60; // 300 / 60 cycles of a transaction: no more than its service.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 400 / 60 * 300);
    made.on_critical_path = 1;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 300);
    made.least_sectors_in_mshr = 40; // 7.5 cycles
    EXPECT_EQ(wait(made), 400 * 300 / 40 + 600 * 2 + response_link + 300);
    made.further_sectors = 200;
    EXPECT_EQ(wait(made), 600 * 300 / 40 + 600 * 2 + response_link + 300);
    made.limit = 1234;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 1234);
}

TEST(InOrder, PassesEverythingInOrderWhereNothingIsGoneOverToAgain) {
    auto made = loads();
    made.least_sectors_in_mshr = 60;
    made.limit = 1234;
    made.revisits = false; // One way more for each load of the chain, however many ways there are.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 10 * 300);
}

TEST(InOrder, TakesTheWayOfTheOldestSharerOnceForTheLinesOfLoadsBetween) {
    auto made = loads();
    made.least_merged_loads = 2; // Eleven lines, ninety times.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 1000 / 11 * 300);
    made.on_critical_path = 5; // 27.3 cycles of each line.
    EXPECT_EQ(wait(made), 10910 + 16364 + response_link + 5 * 300);
    made.least_merged_loads = 1; // The line that waits.
    EXPECT_EQ(wait(made), 1000 * 300 + response_link + 5 * 300);
}

TEST(InOrder, CountsTheArrivalOfLinesByLineOrByFullQueue) {
    auto made = loads();
    made.pass_cost = 4;
    made.arrival = 9 * 4;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 36);
    made.arrival_short = 7;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 36 + 7);
    made.queue_fills = true; // 36 cycles for 30 lines: less than a service.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 36 + 7);
    made.arrival = 9 * 40; // 12 cycles a line
    made.pass_cost = 40;
    EXPECT_EQ(wait(made), 1000 * 12 + response_link + 360 + 7);
    made.least_lines = 1;
    made.pass_cost = 4; // Better one by one.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 4 + response_link);
}

TEST(InOrder, TakesAFullLinkOnceForAllOnIt) {
    auto made = loads();
    made.link_fills = true; // 20 / 8 cycles: less than a service; a way more for each load.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 10 * 20);
}

TEST(InOrder, CountsALineWithTheTimeThatItHoldsThePortIfThatIsLongest) {
    auto made = loads();
    made.occupancy = 4;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 4 + response_link);
    made.occupancy = 7;
    EXPECT_EQ(wait(made), 1000 * 7 + response_link);
}

TEST(InOrder, CountsLinksBackForEachAccessThatWaitsThereIfThatIsLess) {
    auto made = loads();
    made.response_link = ResponseLink{3, 100};
    // Ten loads of the chain, with the service that their time without waits does not have.
    constexpr std::int64_t known = 10 * (3 + 5) + 100;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + known);
    made.least_sectors_in_mshr = 60; // Holders of entries wait there, too.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + known + 400 / 60 * (300 + 3));
    made.limit = 1;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + known + 1 + 3 * 400);
    made.least_sectors_in_mshr.reset();
    made.slices_in_l1_order = false;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + known + 400 * 3);
    made.response_link->extra_delay = 5000; // More than everything that they serve.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + response_link + 400 * 3);
}

/// The same loads where one trace explains the launch: with latencies of 280 on the path.
FifoTandem loads_of_one_trace() {
    auto made = loads();
    made.single_trace = true;
    made.unloaded = 280;
    return made;
}

TEST(SingleTrace, CountsATransactionOnceForBothLinks) {
    EXPECT_EQ(wait(loads_of_one_trace()), 400 * 5 + 600 * 2 + 10 * 5);
    auto made = loads_of_one_trace();
    made.completes_in_order = false; // Nothing is traversed twice.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 10 * 5);
}

TEST(SingleTrace, TakesTheWayOfTheOldestHolderAndOneResponseForAllThatHoldEntries) {
    auto made = loads_of_one_trace();
    made.unloaded = 295;
    made.least_sectors_in_mshr = 61; // 305 / 61: no more than its service.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 10 * 5);
    made.least_sectors_in_mshr = 50; // 6.1 cycles
    EXPECT_EQ(wait(made), 400 * 305 / 50 + 600 * 2 + 10 * 5);
    made.further_sectors = 100;
    EXPECT_EQ(wait(made), 500 * 305 / 50 + 600 * 2 + 10 * 5);
    made.least_sectors_in_mshr = 251; // One holder.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 10 * 5 + 100 * 305 / 251 + 1);
    made.further_sectors = 102;
    made.least_sectors_in_mshr = 501;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 10 * 5 + 102 * 305 / 501 + 1);
}

TEST(SingleTrace, CountsWhatAHolderTakesLongerThanALoadOfThePath) {
    auto made = loads_of_one_trace();
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 10 * 5); // Nothing is full.
    made.least_sectors_in_mshr = 61;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 10 * 5 + 10 * (300 - 280 - 5));
    made.least_sectors_in_mshr.reset();
    made.link_fills = true; // A holder on the link takes 20.
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 10 * 5);
    made.unloaded = 10;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 10 * 5 + 10 * (20 - 10 - 5));
}

TEST(SingleTrace, CountsThoseThatMergeApartOrWithTheLinesOfLoadsBetween) {
    auto made = loads_of_one_trace();
    made.unloaded = 295;
    made.least_merged_loads = 10; // 91 lines, ten times.
    EXPECT_EQ(wait(made), (400 * 755 + 90) / 91 + (600 * 300 + 90) / 91 + 10 * 5);
    made.lines = 100'000; // 3.3 cycles of each line, and a response of each transaction.
    made.requests = 20'000;
    EXPECT_EQ(wait(made), (20'000 * 755 + 90) / 91 + (80'000 * 300 + 90) / 91 + 10 * 5);
    made.requests = 4; // Each of them has one entry.
    made.least_merged_loads = 2;
    EXPECT_EQ(wait(made), 4 * 5 + 99'996 * 2 + 10 * 5 + 4 * 300);
    made.most_merge_waits = 3;
    EXPECT_EQ(wait(made), 4 * 5 + 99'996 * 2 + 10 * 5 + 3 * 300);
}

TEST(SingleTrace, IsNotTakenWhereSegmentsTakeLess) {
    auto made = loads_of_one_trace();
    made.completes_in_order = true;
    made.on_critical_path = 100;
    made.response_link = ResponseLink{0, 0};
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 100 * 5);
    made.least_sectors_in_mshr = 61;
    made.limit = 7;
    made.unloaded = 0;
    EXPECT_EQ(wait(made), 400 * 5 + 600 * 2 + 100 * 5 + 7);
}

} // namespace
} // namespace warpbound::analyzer
